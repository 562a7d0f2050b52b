"""Messages in parts: differential tests against PyCA's contexts, calls in a wrong order, and threads."""

import random
import threading

import kasoku
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from kasoku import Decryptor, Encryptor

KEY, NONCE = kasoku.AESGCM(bytes(32)), bytes(12)
FULL_TAG = bytes(16)


def divided(numbers, text):
    """Cuts `text` into parts of random lengths, some of them empty."""
    parts, at = [], 0
    while at < len(text):
        end = at + numbers.choice([0, 1, 15, 16, 17, numbers.randrange(4000), 20_000])
        parts.append(text[at:end])
        at = end
    return parts


def sealed_by_pyca(material, nonce, aad, text):
    encryptor = Cipher(algorithms.AES(material), modes.GCM(nonce)).encryptor()
    encryptor.authenticate_additional_data(aad)
    return encryptor.update(text) + encryptor.finalize(), encryptor.tag


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_parts_of_any_length_equal_pyca_messages(key_bytes):
    numbers = random.Random(key_bytes)
    for _ in range(300):
        material, nonce = numbers.randbytes(key_bytes), numbers.randbytes(numbers.choice([8, 12, 12, 12, 13, 128]))
        aad = numbers.randbytes(numbers.choice([0, 5, 13, 600]))
        text = numbers.randbytes(numbers.choice([0, 1, 16, numbers.randrange(5000), numbers.randrange(70_000)]))
        ciphertext, tag = sealed_by_pyca(material, nonce, aad, text)
        key = kasoku.AESGCM(material)
        encryptor, decryptor = Encryptor(key, nonce), Decryptor(key, nonce, tag)
        for part in divided(numbers, aad):
            encryptor.authenticate_additional_data(part)
            decryptor.authenticate_additional_data(memoryview(part))
        assert b"".join(map(encryptor.update, divided(numbers, text))) == ciphertext
        assert (encryptor.finalize(), encryptor.tag) == (b"", tag)
        assert b"".join(map(decryptor.update_unverified, divided(numbers, ciphertext))) == text
        assert decryptor.finalize() == b""


@pytest.mark.parametrize("shift", [None, 0, 1, 16])
def test_update_into_accepts_separate_equal_and_overlapping_buffers(shift):
    text = random.Random(1).randbytes(50_000)
    # Under valgrind, bytes of PyCA's OpenSSL count as uninitialised.
    sealed = KEY.encrypt(NONCE, text, None)
    ciphertext, tag = sealed[:-16], sealed[-16:]
    for message, update, given, expected in [
        (Encryptor(KEY, NONCE), "update_into", text, ciphertext),
        (Decryptor(KEY, NONCE), "update_unverified_into", ciphertext, text),
    ]:
        memory = memoryview(bytearray(given + bytes(20)))
        data = memory[: len(given)]
        out = memoryview(bytearray(len(given) + 3)) if shift is None else memory[shift:]
        assert getattr(message, update)(data, out) == len(given)
        assert out[: len(given)] == expected
        assert not any(out[len(given) :])
        if update == "update_into":
            message.finalize()
            assert message.tag == tag
        else:
            message.finalize_with_tag(tag)


def test_update_into_rejects_short_and_read_only_buffers():
    encryptor = Encryptor(KEY, NONCE)
    with pytest.raises(ValueError, match="buffer must be at least 5 bytes for this payload"):
        encryptor.update_into(b"12345", bytearray(4))
    with pytest.raises(TypeError):
        encryptor.update_into(b"12345", bytes(5))
    # The message is unchanged.
    assert encryptor.update(b"12345") + encryptor.finalize() == KEY.encrypt(NONCE, b"12345", None)[:5]
    assert encryptor.tag == KEY.encrypt(NONCE, b"12345", None)[5:]


def test_forgeries_raise_invalid_tag():
    sealed = KEY.encrypt(NONCE, b"to be kept secret", b"header")
    for place in range(len(sealed)):
        forged = bytearray(sealed)
        forged[place] ^= 1
        decryptor = Decryptor(KEY, NONCE, forged[-16:])
        decryptor.authenticate_additional_data(b"header")
        decryptor.update_unverified(forged[:-16])
        with pytest.raises(kasoku.InvalidTag):
            decryptor.finalize()
        with pytest.raises(kasoku.AlreadyFinalized):
            decryptor.finalize()


def test_calls_after_finalize_raise_already_finalized():
    encryptor, decryptor = Encryptor(KEY, NONCE), Decryptor(KEY, NONCE)
    encryptor.finalize()
    decryptor.finalize_with_tag(encryptor.tag)
    for call in (
        lambda: encryptor.update(b""),
        lambda: encryptor.update_into(b"", bytearray()),
        lambda: encryptor.authenticate_additional_data(b""),
        encryptor.finalize,
        lambda: decryptor.update_unverified(b""),
        lambda: decryptor.update_unverified_into(b"", bytearray()),
        lambda: decryptor.authenticate_additional_data(b""),
        lambda: decryptor.finalize_with_tag(FULL_TAG),
        decryptor.finalize,
    ):
        with pytest.raises(kasoku.AlreadyFinalized, match="Context was already finalized"):
            call()
    assert encryptor.tag == KEY.encrypt(NONCE, b"", None)


def test_aad_after_data_raises_already_updated():
    encryptor, decryptor = Encryptor(KEY, NONCE), Decryptor(KEY, NONCE)
    encryptor.update(b"1")
    decryptor.update_unverified(b"1")
    for message in (encryptor, decryptor):
        with pytest.raises(kasoku.AlreadyUpdated, match="Update has been called on this context"):
            message.authenticate_additional_data(b"late")
    encryptor.finalize()
    assert encryptor.tag == KEY.encrypt(NONCE, b"1", None)[1:]


def test_tag_before_finalize_raises_not_yet_finalized():
    encryptor = Encryptor(KEY, NONCE)
    with pytest.raises(kasoku.NotYetFinalized, match="You must finalize encryption before getting the tag"):
        encryptor.tag
    encryptor.finalize()
    assert len(encryptor.tag) == 16


def test_decryptor_takes_one_tag_of_16_bytes():
    tag = KEY.encrypt(NONCE, b"", None)
    with pytest.raises(ValueError, match="must be 16 bytes long"):
        Decryptor(KEY, NONCE, tag[:12])
    with pytest.raises(ValueError, match="provided only once"):
        Decryptor(KEY, NONCE, tag).finalize_with_tag(tag)
    decryptor = Decryptor(KEY, NONCE)
    with pytest.raises(ValueError, match="must be provided when decrypting"):
        decryptor.finalize()
    for wrong in (tag[:15], tag + b"1", b""):
        with pytest.raises(ValueError, match="must be 16 bytes long"):
            decryptor.finalize_with_tag(wrong)
    assert decryptor.finalize_with_tag(tag) == b""


def test_constructors_reject_wrong_key_types_and_nonce_lengths():
    for made in (Encryptor, Decryptor):
        for nonce in (b"", bytes(7), bytes(129)):
            with pytest.raises(ValueError, match="Nonce must be between 8 and 128 bytes"):
                made(KEY, nonce)
        for key in (bytes(16), kasoku.XAESGCM(bytes(32)), None):
            with pytest.raises(TypeError):
                made(key, NONCE)
        with pytest.raises(TypeError):
            made(KEY, "text")


def test_message_keeps_its_key_alive():
    key = kasoku.AESGCM(bytes(16))
    encryptor = Encryptor(key, NONCE)
    del key
    assert encryptor.update(b"1") == kasoku.AESGCM(bytes(16)).encrypt(NONCE, b"1", None)[:1]


def test_threads_seal_messages_under_one_key():
    wrong = []

    def work(number):
        nonce, text = number.to_bytes(12, "big"), bytes([number]) * 100_000
        for step in (999, 17_000, 40_000):
            encryptor = Encryptor(KEY, nonce)
            sealed = b"".join(encryptor.update(text[at : at + step]) for at in range(0, len(text), step))
            if sealed + encryptor.finalize() + encryptor.tag != KEY.encrypt(nonce, text, None):
                wrong.append((number, step))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_simultaneous_calls_for_one_message_raise_runtime_error():
    encryptor, text = Encryptor(KEY, NONCE), bytearray(1 << 28)
    thread = threading.Thread(target=lambda: encryptor.update_into(text, text))
    refused = 0
    thread.start()
    while thread.is_alive():
        try:
            encryptor.update(b"")
        except RuntimeError:
            refused += 1
    thread.join()
    assert refused
    encryptor.finalize()
    assert encryptor.tag == KEY.encrypt(NONCE, bytes(1 << 28), None)[-16:]
