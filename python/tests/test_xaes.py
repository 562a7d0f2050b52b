"""XAESGCM: vectors of c2sp.org/XAES-256-GCM, and lengths."""

import hashlib

import kasoku
import pytest
from test_vectors import in_every_way, refused_in_every_way

NONCE, TEXT = b"ABCDEFGHIJKLMNOPQRSTUVWX", b"XAES-256-GCM"


@pytest.mark.parametrize(
    ("byte", "aad", "sealed"),
    [
        (1, b"", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
        (3, b"c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ],
)
def test_xaes_vectors_of_c2sp_pass(byte, aad, sealed):
    key, sealed = kasoku.XAESGCM(bytes([byte]) * 32), bytearray.fromhex(sealed)
    in_every_way(key, NONCE, TEXT, aad, sealed)
    sealed[-1] ^= 1
    refused_in_every_way(key, NONCE, sealed, aad)


def test_xaes_accumulated_vector_of_10_000_messages_passes():
    """SHAKE128 generates the keys, nonces and messages, and hashes the results."""
    source, place = hashlib.shake_128().digest(6_000_000), 0
    done = hashlib.shake_128()

    def read(count):
        nonlocal place
        place += count
        return source[place - count : place]

    for _ in range(10_000):
        key, nonce = kasoku.XAESGCM(read(32)), read(24)
        text = read(read(1)[0])
        aad = read(read(1)[0])
        sealed = key.encrypt(nonce, text, aad)
        assert key.decrypt(nonce, sealed, aad) == text
        done.update(sealed)
    assert done.hexdigest(32) == "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939"


def test_xaes_rejects_unsupported_key_and_nonce_lengths():
    made = kasoku.XAESGCM.generate_key()
    assert type(made) is bytes and len(made) == 32
    for length in (0, 16, 24, 31, 33):
        with pytest.raises(ValueError):
            kasoku.XAESGCM(bytes(length))
    key = kasoku.XAESGCM(made)
    for length in (0, 12, 23, 25):
        with pytest.raises(ValueError):
            key.encrypt(bytes(length), b"", None)
        with pytest.raises(ValueError):
            key.decrypt_into(bytes(length), bytes(16), None, bytearray())
