"""Replaces AES-GCM in PyCA's cryptography, for kasoku.install()."""

from __future__ import annotations

from typing import Any, NoReturn

from cryptography.exceptions import UnsupportedAlgorithm, _Reasons
from cryptography.hazmat.bindings._rust import openssl
from cryptography.hazmat.primitives.ciphers import aead, algorithms, base
from cryptography.hazmat.primitives.ciphers.modes import GCM

from ._kasoku import AESGCM, Decryptor, Encryptor

_AESGCM = aead.AESGCM
_create_encryption_ctx = openssl.ciphers.create_encryption_ctx
_create_decryption_ctx = openssl.ciphers.create_decryption_ctx

_AES = (algorithms.AES, algorithms.AES128, algorithms.AES256)
_TAG_BYTES = 16


def _reset_nonce(self: Any, nonce: bytes) -> NoReturn:
    """Raises an error: AES-GCM contexts cannot be reset."""
    why = "This algorithm or mode does not support resetting the nonce."
    raise UnsupportedAlgorithm(why, _Reasons.UNSUPPORTED_CIPHER)


class _EncryptionContext(Encryptor):
    reset_nonce = _reset_nonce


class _DecryptionContext(Decryptor):
    """Decryptor with PyCA's names, under which plaintext is not verified either."""

    update = Decryptor.update_unverified
    update_into = Decryptor.update_unverified_into
    reset_nonce = _reset_nonce


base.AEADEncryptionContext.register(_EncryptionContext)
base.AEADDecryptionContext.register(_DecryptionContext)


def create_encryption_ctx(algorithm: Any, mode: Any) -> Any:
    """Replaces the function behind Cipher.encryptor(). Other ciphers than AES-GCM go to PyCA's function."""
    if type(mode) is GCM and type(algorithm) in _AES:
        return _EncryptionContext(AESGCM(algorithm.key), mode.initialization_vector)
    return _create_encryption_ctx(algorithm, mode)


def create_decryption_ctx(algorithm: Any, mode: Any) -> Any:
    """Replaces the function behind Cipher.decryptor(). Other ciphers, and short tags, go to PyCA's function."""
    if type(mode) is GCM and type(algorithm) in _AES:
        tag = mode.tag
        if (mode._min_tag_length if tag is None else len(tag)) == _TAG_BYTES:
            return _DecryptionContext(AESGCM(algorithm.key), mode.initialization_vector, tag)
    return _create_decryption_ctx(algorithm, mode)


def install() -> None:
    """Puts Kasoku's names in place of PyCA's."""
    _replace(AESGCM, create_encryption_ctx, create_decryption_ctx)


def uninstall() -> None:
    """Restores PyCA's names."""
    _replace(_AESGCM, _create_encryption_ctx, _create_decryption_ctx)


def _replace(aes_gcm: Any, encryption: Any, decryption: Any) -> None:
    setattr(aead, "AESGCM", aes_gcm)
    setattr(openssl.ciphers, "create_encryption_ctx", encryption)
    setattr(openssl.ciphers, "create_decryption_ctx", decryption)
