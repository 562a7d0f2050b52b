"""AESGCMSIV: vectors of RFC 8452, comparison with PyCA's class, and lengths."""

import random

import kasoku
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from test_vectors import in_every_way, refused_in_every_way

NONCE = bytes.fromhex("030000000000000000000000")


@pytest.mark.parametrize(
    ("key", "text", "sealed"),
    [
        ("01000000000000000000000000000000", "0100000000000000", "b5d839330ac7b786578782fff6013b815b287c22493a364c"),
        (
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000",
            "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28",
        ),
    ],
)
def test_siv_vectors_of_rfc_8452_pass(key, text, sealed):
    key, sealed = kasoku.AESGCMSIV(bytes.fromhex(key)), bytearray.fromhex(sealed)
    in_every_way(key, NONCE, bytes.fromhex(text), b"", sealed)
    sealed[-1] ^= 1
    refused_in_every_way(key, NONCE, sealed, b"")


def test_siv_results_equal_those_of_pyca():
    draw = random.Random(8452)
    for _ in range(500):
        key, nonce = draw.randbytes(draw.choice([16, 32])), draw.randbytes(12)
        text, aad = draw.randbytes(draw.randrange(1, 3000)), draw.randbytes(draw.randrange(60))
        ours, theirs = kasoku.AESGCMSIV(key), AESGCMSIV(key)
        sealed = ours.encrypt(nonce, text, aad)
        assert sealed == theirs.encrypt(nonce, text, aad)
        assert ours.decrypt(nonce, sealed, aad) == text


def test_siv_rejects_unsupported_key_and_nonce_lengths():
    for bits in (128, 256):
        made = kasoku.AESGCMSIV.generate_key(bits)
        assert type(made) is bytes and len(made) == bits // 8
    for bits in (0, 64, 192, 512):
        with pytest.raises(ValueError):
            kasoku.AESGCMSIV.generate_key(bits)
    for length in (0, 15, 17, 24, 31, 33):
        with pytest.raises(ValueError):
            kasoku.AESGCMSIV(bytes(length))
    key = kasoku.AESGCMSIV(made)
    for length in (0, 8, 11, 13, 24):
        with pytest.raises(ValueError):
            key.encrypt(bytes(length), b"", None)
        with pytest.raises(ValueError):
            key.decrypt_into(bytes(length), bytes(16), None, bytearray())
