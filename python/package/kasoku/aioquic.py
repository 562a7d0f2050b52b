"""Makes aioquic protect packets with Kasoku if their cipher suite has AES-GCM.

>>> import kasoku.aioquic
>>> kasoku.aioquic.install()

Connections created after install() protect and unprotect each packet in one call. ChaCha20-Poly1305 and everything else
in aioquic do not change. The module works with aioquic 1.7, because it replaces internal names of that version;
uninstall() restores them.
"""

from __future__ import annotations

from typing import Any

from aioquic import _crypto
from aioquic.quic import crypto

from ._kasoku import HeaderKey, PacketKey

_KEY_BYTES = {b"aes-128-gcm": 16, b"aes-256-gcm": 32, b"aes-128-ecb": 16, b"aes-256-ecb": 32}
_IV_BYTES = 12

_AEAD, _HeaderProtection = _crypto.AEAD, _crypto.HeaderProtection
_encrypt_packet = crypto.CryptoContext.encrypt_packet
_decrypt_packet = crypto.CryptoContext.decrypt_packet


def AEAD(cipher_name: bytes, key: bytes, iv: bytes) -> Any:
    """Replaces aioquic's class for AES-GCM. Other suites and invalid arguments go to aioquic's class."""
    if _KEY_BYTES.get(cipher_name) == len(key) and cipher_name.endswith(b"gcm") and len(iv) == _IV_BYTES:
        return PacketKey(key, iv, _crypto.CryptoError)
    return _AEAD(cipher_name, key, iv)


def HeaderProtection(cipher_name: bytes, key: bytes) -> Any:
    """Replaces aioquic's class for header protection with AES. Other arguments go to aioquic's class."""
    if _KEY_BYTES.get(cipher_name) == len(key) and cipher_name.endswith(b"ecb"):
        return HeaderKey(key, _crypto.CryptoError)
    return _HeaderProtection(cipher_name, key)


def encrypt_packet(self: Any, plain_header: bytes, plain_payload: bytes, packet_number: int) -> bytes:
    """Replaces CryptoContext's method: protects payload and header in one call."""
    if type(self.aead) is PacketKey:
        return self.aead.protect(self.hp, plain_header, plain_payload, packet_number)
    return _encrypt_packet(self, plain_header, plain_payload, packet_number)


def decrypt_packet(
    self: Any, packet: bytes, encrypted_offset: int, expected_packet_number: int
) -> tuple[bytes, bytes, int, bool]:
    """Replaces CryptoContext's method: opens a packet in one call, unless the key phase changes."""
    if type(self.aead) is PacketKey:
        opened = self.aead.unprotect(self.hp, packet, encrypted_offset, expected_packet_number, self.key_phase)
        if opened is not None:
            return opened
    return _decrypt_packet(self, packet, encrypted_offset, expected_packet_number)


def install() -> None:
    """Makes connections created later use Kasoku."""
    _replace(AEAD, HeaderProtection, encrypt_packet, decrypt_packet)


def uninstall() -> None:
    """Makes connections created later use aioquic's own code again."""
    _replace(_AEAD, _HeaderProtection, _encrypt_packet, _decrypt_packet)


def _replace(aead: Any, header_protection: Any, encrypt: Any, decrypt: Any) -> None:
    for module in (_crypto, crypto):
        setattr(module, "AEAD", aead)
        setattr(module, "HeaderProtection", header_protection)
    setattr(crypto.CryptoContext, "encrypt_packet", encrypt)
    setattr(crypto.CryptoContext, "decrypt_packet", decrypt)
