"""Random messages of all lengths up to some thousand bytes, sealed by Kasoku or PyCA and opened by the other."""

import random

import kasoku
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as PyCA


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_random_messages_equal_those_of_pyca(key_bytes):
    numbers = random.Random(key_bytes)
    lengths = list(range(4201)) + [16384 + near for near in range(-3, 4)] + [100_000, 1 << 20]
    for length in lengths:
        material = numbers.randbytes(key_bytes)
        ours, theirs = kasoku.AESGCM(material), PyCA(material)
        nonce = numbers.randbytes(12 if length % 8 else numbers.randrange(8, 129))
        text, aad = numbers.randbytes(length), numbers.randbytes(numbers.choice([0, 5, 13, numbers.randrange(600)]))
        sealed = theirs.encrypt(nonce, text, aad)
        assert ours.encrypt(nonce, text, aad) == sealed
        assert ours.decrypt(nonce, sealed, aad) == text
        out = bytearray(length + 16)
        assert ours.encrypt_into(nonce, text, aad, out) == len(out) and out == sealed
        assert ours.decrypt_into(nonce, out, aad, memoryview(out)[:length]) == length and out[:length] == text
        forged = bytearray(sealed)
        forged[numbers.randrange(len(forged))] ^= 1 << numbers.randrange(8)
        with pytest.raises(kasoku.InvalidTag):
            ours.decrypt(nonce, forged, aad)
