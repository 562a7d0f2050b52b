"""Published vectors: NIST's CAVP and Wycheproof."""

import json
import re

import kasoku
import pytest
from conftest import vector_file


def in_every_way(key, nonce, text, aad, sealed):
    """Seals and opens with each method, also in place."""
    assert key.encrypt(nonce, text, aad) == sealed
    assert key.decrypt(nonce, sealed, aad) == text
    out = bytearray(len(sealed))
    assert key.encrypt_into(nonce, text, aad, out) == len(sealed) and out == sealed
    out[: len(text)] = text
    assert key.encrypt_into(nonce, memoryview(out)[: len(text)], aad, out) == len(sealed) and out == sealed
    assert key.decrypt_into(nonce, out, aad, memoryview(out)[: len(text)]) == len(text)
    assert out[: len(text)] == text


def refused_in_every_way(key, nonce, sealed, aad):
    """Checks that each method rejects a forgery and leaves no plaintext."""
    with pytest.raises(kasoku.InvalidTag):
        key.decrypt(nonce, sealed, aad)
    out = bytearray(b"?" * (len(sealed) - 16))
    with pytest.raises(kasoku.InvalidTag):
        key.decrypt_into(nonce, sealed, aad, out)
    assert out == bytes(len(out))


def test_wycheproof_vectors_pass():
    done = 0
    for group in json.loads(vector_file("wycheproof", "aes_gcm_test.json"))["testGroups"]:
        assert group["tagSize"] == 128
        for case in group["tests"]:
            key, nonce, aad = (bytes.fromhex(case[name]) for name in ("key", "iv", "aad"))
            text, sealed = bytes.fromhex(case["msg"]), bytes.fromhex(case["ct"] + case["tag"])
            key = kasoku.AESGCM(key)
            if not 8 <= len(nonce) <= 128:
                with pytest.raises(ValueError):
                    key.decrypt(nonce, sealed, aad)
            elif case["result"] == "valid":
                in_every_way(key, nonce, text, aad, sealed)
            else:
                refused_in_every_way(key, nonce, sealed, aad)
            done += 1
    assert done > 200


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("name", ["gcmEncryptExtIV", "gcmDecrypt"])
def test_cavp_vectors_pass(name, bits):
    done = 0
    for case in vector_file("cavp", f"{name}{bits}.rsp").split("Count = ")[1:]:
        fields = dict(re.findall(r"^(\w+) = ?(.*?)\s*$", case, re.MULTILINE))
        key, nonce, aad, tag = (bytes.fromhex(fields[name]) for name in ("Key", "IV", "AAD", "Tag"))
        if len(tag) < 16 or len(nonce) < 8:
            continue  # neither PyCA's class nor Kasoku's supports these lengths
        key, sealed = kasoku.AESGCM(key), bytes.fromhex(fields["CT"]) + tag
        if "PT" in fields:
            in_every_way(key, nonce, bytes.fromhex(fields["PT"]), aad, sealed)
        else:
            assert "FAIL" in case
            refused_in_every_way(key, nonce, sealed, aad)
        done += 1
    assert done > 500
