#!/usr/bin/env python3
"""Recomputes every vector of this folder with other implementations, and fails if a result differs.

    pip install cryptography==50.0.2 pycryptodome==4.4.0
    apt install libgcrypt20 libssl3
    python3 vectors/check.py

Ciphers, AEADs and hashes go through libgcrypt (AES-128-CBC-HMAC-SHA1 also through the combined cipher of the system's
OpenSSL 3), agreements and signatures through PyCryptodome, AES-GCM-SIV, ML-KEM and ML-DSA through pyca/cryptography.
make.py computed our own vectors with pyca/cryptography too, so our ML-DSA signature has no independent check.
"""

import ctypes
import ctypes.util
import hashlib
import hmac
import json
import sys
from pathlib import Path

from Crypto.Cipher import AES
from Crypto.Hash import CMAC, SHA256
from Crypto.Protocol import DH
from Crypto.PublicKey import ECC, RSA
from Crypto.Signature import DSS, eddsa, pkcs1_15
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import mldsa, mlkem
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

HERE = Path(__file__).resolve().parent


# ---------------------------------------------------------------- libgcrypt


def load(name):
    path = ctypes.util.find_library(name)
    if path is None:
        sys.exit(f"lib{name} is not here")
    return ctypes.CDLL(path)


GCRYPT = load("gcrypt")
GCRYPT.gcry_check_version.restype = ctypes.c_char_p
GCRYPT.gcry_check_version(None)
GCRYPT.gcry_control(38, 0)  # GCRYCTL_INITIALIZATION_FINISHED

# Constants of gcrypt.h: modes, then the number of each cipher and its mode.
CBC, CTR, CCM, GCM, POLY1305, OCB, XTS = 3, 6, 8, 9, 10, 11, 13
CIPHERS = {
    "des-ede3-cbc": (2, CBC),
    "blowfish-cbc": (4, CBC),
    "camellia-128-cbc": (310, CBC),
    "camellia-256-cbc": (312, CBC),
    "aes-128-cbc": (7, CBC),
    "aes-256-cbc": (9, CBC),
    "aes-128-ctr": (7, CTR),
    "aes-256-ctr": (9, CTR),
    "aes-256-xts": (9, XTS),
    "aes-128-gcm": (7, GCM),
    "aes-256-gcm": (9, GCM),
    "aes-128-ccm": (7, CCM),
    "aes-128-ocb": (7, OCB),
    "chacha20-poly1305": (316, POLY1305),
}
HASHES = {"sha-1": 2, "sha-256": 8, "sha-512": 10, "sha3-256": 313, "blake2b-512": 318, "blake2s-256": 322}


def call(function, *arguments):
    error = function(*arguments)
    if error:
        raise ValueError(f"{function.__name__}: error {error & 0xFFFF}")


class Gcrypt:
    """Cipher of libgcrypt with key and nonce."""

    def __init__(self, algorithm, key, nonce):
        number, mode = CIPHERS[algorithm]
        self.mode, self.handle = mode, ctypes.c_void_p()
        call(GCRYPT.gcry_cipher_open, ctypes.byref(self.handle), number, mode, 0)
        call(GCRYPT.gcry_cipher_setkey, self.handle, key, ctypes.c_size_t(len(key)))
        set_nonce = GCRYPT.gcry_cipher_setctr if mode == CTR else GCRYPT.gcry_cipher_setiv
        call(set_nonce, self.handle, nonce, ctypes.c_size_t(len(nonce)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        GCRYPT.gcry_cipher_close(self.handle)

    def start(self, aad, length):
        if self.mode == CCM:  # CCM needs all lengths first
            lengths = (ctypes.c_uint64 * 3)(length, len(aad), 16)
            call(GCRYPT.gcry_cipher_ctl, self.handle, 69, lengths, ctypes.c_size_t(24))  # GCRYCTL_SET_CCM_LENGTHS
        if aad:
            call(GCRYPT.gcry_cipher_authenticate, self.handle, aad, ctypes.c_size_t(len(aad)))

    def apply(self, function, text):
        if self.mode in (OCB, GCM, POLY1305):
            call(GCRYPT.gcry_cipher_ctl, self.handle, 5, None, ctypes.c_size_t(0))  # GCRYCTL_FINALIZE
        out = ctypes.create_string_buffer(len(text))
        call(function, self.handle, out, ctypes.c_size_t(len(text)), text, ctypes.c_size_t(len(text)))
        return out.raw

    def encrypt(self, text):
        return self.apply(GCRYPT.gcry_cipher_encrypt, text)

    def decrypt(self, text):
        return self.apply(GCRYPT.gcry_cipher_decrypt, text)

    def tag(self):
        out = ctypes.create_string_buffer(16)
        call(GCRYPT.gcry_cipher_gettag, self.handle, out, ctypes.c_size_t(16))
        return out.raw


def cipher(algorithm, operation, key, nonce, text):
    with Gcrypt(algorithm, key, nonce) as job:
        return job.encrypt(text) if operation == "encrypt" else job.decrypt(text)


def aead(algorithm, operation, key, nonce, aad, text):
    if algorithm == "xaes-256-gcm":
        algorithm, key, nonce = "aes-256-gcm", xaes_key(key, nonce[:12]), nonce[12:]
    if algorithm.endswith("-siv"):  # libgcrypt needs the tag before it decrypts, so use pyca/cryptography
        sealed = AESGCMSIV(key).encrypt(nonce, text, aad)
        return sealed if operation == "seal" else sealed + AESGCMSIV(key).decrypt(nonce, sealed, aad)
    with Gcrypt(algorithm, key, nonce) as job:
        job.start(aad, len(text))
        sealed = job.encrypt(text) + job.tag()
    if operation == "seal":
        return sealed
    with Gcrypt(algorithm, key, nonce) as job:
        job.start(aad, len(text))
        plaintext = job.decrypt(sealed[:-16])
        assert job.tag() == sealed[-16:]
    return sealed + plaintext


def xaes_key(key, context):
    """Derives the key of a message: the CMACs of two blocks."""
    blocks = (bytes([0, counter, ord("X"), 0]) + context for counter in (1, 2))
    return b"".join(CMAC.new(key, block, ciphermod=AES).digest() for block in blocks)


def digest(algorithm, text):
    number = HASHES[algorithm]
    out = ctypes.create_string_buffer(GCRYPT.gcry_md_get_algo_dlen(number))
    GCRYPT.gcry_md_hash_buffer(number, out, text, ctypes.c_size_t(len(text)))
    return out.raw


# ---------------------------------------------------------------- AES-128-CBC-HMAC-SHA1


def cbc_hmac(operation, key, nonce, aad, text):
    assert len(aad) == 13 and aad[9:11] == b"\x03\x01" and int.from_bytes(aad[11:], "big") == len(text)
    inner = text + hmac.new(key[16:], aad + text, hashlib.sha1).digest()
    padding_bytes = 16 - len(inner) % 16
    inner += bytes([padding_bytes - 1] * padding_bytes)
    record = cipher("aes-128-cbc", "encrypt", key[:16], nonce, inner)
    assert record == openssl_cbc_hmac(key, nonce, aad, text)
    return record if operation == "seal" else record + text


def openssl_cbc_hmac(key, nonce, aad, text):
    """Returns the record that OpenSSL's combined cipher makes in place."""
    crypto = load("crypto")
    crypto.EVP_CIPHER_CTX_new.restype = crypto.EVP_aes_128_cbc_hmac_sha1.restype = ctypes.c_void_p
    kind = crypto.EVP_aes_128_cbc_hmac_sha1()
    if not kind:
        sys.exit("this OpenSSL has no AES-128-CBC-HMAC-SHA1 (it needs AES-NI)")
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    assert crypto.EVP_CipherInit_ex(context, ctypes.c_void_p(kind), None, key[:16], nonce, 1) == 1
    assert crypto.EVP_CIPHER_CTX_ctrl(context, 0x17, len(key) - 16, key[16:]) > 0  # EVP_CTRL_AEAD_SET_MAC_KEY
    header = ctypes.create_string_buffer(aad, 13)
    pad = crypto.EVP_CIPHER_CTX_ctrl(context, 0x16, 13, header)  # EVP_CTRL_AEAD_TLS1_AAD
    assert pad > 0
    buffer = ctypes.create_string_buffer(text, len(text) + pad)
    assert crypto.EVP_Cipher(context, buffer, buffer, len(buffer)) >= 0
    crypto.EVP_CIPHER_CTX_free(context)
    return buffer.raw


# ---------------------------------------------------------------- agreements, signatures, encapsulation


def derive(algorithm, key, public):
    if algorithm == "ecdh-p256":
        peer = ECC.import_key(public, curve_name="P-256")
        return int((peer.pointQ * int.from_bytes(key, "big")).x).to_bytes(32, "big")
    private, peer = {
        "x25519": (DH.import_x25519_private_key, DH.import_x25519_public_key),
        "x448": (DH.import_x448_private_key, DH.import_x448_public_key),
    }[algorithm]
    return DH.key_agreement(static_priv=private(key), static_pub=peer(public), kdf=lambda secret: secret)


def sign(algorithm, key, public, text):
    """Returns the signature; empty for randomised schemes, for which only the key pair is checked."""
    if algorithm in ("ed25519", "ed448"):
        private = ECC.construct(curve=algorithm.capitalize(), seed=key)
        assert private.public_key().export_key(format="raw") == public
        return eddsa.new(private, "rfc8032").sign(text)
    if algorithm.startswith("rsa"):
        private = RSA.import_key(key)
        assert RSA.import_key(public) == private.public_key()
        return pkcs1_15.new(private).sign(SHA256.new(text))
    if algorithm == "ecdsa-p256":
        private = ECC.construct(curve="P-256", d=int.from_bytes(key, "big"))
        assert private.public_key().export_key(format="raw") == public
        return b""
    assert mldsa.MLDSA65PrivateKey.from_seed_bytes(key).public_key().public_bytes_raw() == public
    return b""


def accepts(algorithm, public, text, signature):
    try:
        if algorithm in ("ed25519", "ed448"):
            eddsa.new(eddsa.import_public_key(public), "rfc8032").verify(text, signature)
        elif algorithm.startswith("rsa"):
            pkcs1_15.new(RSA.import_key(public)).verify(SHA256.new(text), signature)
        elif algorithm == "ecdsa-p256":
            DSS.new(ECC.import_key(public, curve_name="P-256"), "fips-186-3", "der").verify(SHA256.new(text), signature)
        else:
            mldsa.MLDSA65PublicKey.from_public_bytes(public).verify(signature, text)
    except (ValueError, InvalidSignature):
        return False
    return True


def verify(algorithm, public, text, signature):
    flipped = signature[:-1] + bytes([signature[-1] ^ 1])
    return bytes([accepts(algorithm, public, text, signature), not accepts(algorithm, public, text, flipped)])


def kem(operation, key, public, text):
    if operation == "encapsulate":
        mlkem.MLKEM768PublicKey.from_public_bytes(public)
        return b""
    private = mlkem.MLKEM768PrivateKey.from_seed_bytes(key)
    assert private.public_key().public_bytes_raw() == public
    return private.decapsulate(text)


def compute(algorithm, operation, **fields):
    names = ("key", "nonce", "aad", "text", "public", "signature")
    key, nonce, aad, text, public, signature = (fields.get(name, b"") for name in names)
    match operation:
        case "encrypt" | "decrypt":
            return cipher(algorithm, operation, key, nonce, text)
        case "seal" | "open" if algorithm == "aes-128-cbc-hmac-sha1":
            return cbc_hmac(operation, key, nonce, aad, text)
        case "seal" | "open":
            return aead(algorithm, operation, key, nonce, aad, text)
        case "hash":
            return digest(algorithm, text)
        case "derive":
            return derive(algorithm, key, public)
        case "sign":
            return sign(algorithm, key, public, text)
        case "verify":
            return verify(algorithm, public, text, signature)
        case "encapsulate" | "decapsulate":
            return kem(operation, key, public, text)


def main():
    checked = wrong = 0
    for path in sorted(HERE.glob("*.json")):
        file = json.loads(path.read_text())
        for vector in file["vectors"]:
            fields = {name: bytes.fromhex(value) for name, value in vector["input"].items()}
            checked += 1
            try:
                found = compute(file["algorithm"], vector["operation"], **fields).hex()
                problem = None if found == vector["output"] else f"gave {found[:64]}"
            except Exception as error:  # continue with the other vectors
                problem = f"{type(error).__name__}: {error}"
            if problem:
                wrong += 1
                print(f"{path.name}: {vector['source']}, {vector['operation']}: {problem}", file=sys.stderr)
    print(f"{checked} vectors, {wrong} wrong")
    sys.exit(1 if wrong or not checked else 0)


if __name__ == "__main__":
    main()
