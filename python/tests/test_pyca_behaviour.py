"""Behaviour that programs written for PyCA's AESGCM expect. Every test runs on PyCA's class and on Kasoku's."""

import array
import mmap

import pytest
from cryptography.exceptions import InvalidTag

KEY, NONCE, TEXT, AAD = bytes(range(16)), bytes(12), b"to be kept secret", b"header"
TAG_BYTES = 16


@pytest.fixture
def key(aes_gcm):
    return aes_gcm(KEY)


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_generate_key_returns_usable_keys(aes_gcm, bits):
    made = aes_gcm.generate_key(bit_length=bits)
    assert type(made) is bytes and len(made) * 8 == bits
    assert made != aes_gcm.generate_key(bits)
    key = aes_gcm(key=made)
    assert key.decrypt(NONCE, key.encrypt(NONCE, TEXT, AAD), AAD) == TEXT


@pytest.mark.parametrize(
    ("bits", "error"),
    [
        (0, ValueError),
        (127, ValueError),
        (512, ValueError),
        (True, ValueError),
        (-1, OverflowError),
        (2**70, OverflowError),
        ("128", TypeError),
        (128.0, TypeError),
        (None, TypeError),
    ],
)
def test_generate_key_rejects_unsupported_lengths(aes_gcm, bits, error):
    with pytest.raises(error):
        aes_gcm.generate_key(bits)


@pytest.mark.parametrize("length", [0, 1, 15, 17, 23, 31, 33, 64])
def test_constructor_rejects_unsupported_key_lengths(aes_gcm, length):
    with pytest.raises(ValueError):
        aes_gcm(bytes(length))


@pytest.mark.parametrize("wrong", ["a" * 16, None, 16, [0] * 16, array.array("I", [1, 2, 3, 4])])
def test_constructor_rejects_keys_that_are_not_buffers(aes_gcm, wrong):
    with pytest.raises(TypeError):
        aes_gcm(wrong)


def test_constructor_accepts_any_buffer(aes_gcm):
    expected = aes_gcm(KEY).encrypt(NONCE, TEXT, AAD)
    for form in (bytearray(KEY), memoryview(KEY), array.array("B", KEY)):
        assert aes_gcm(form).encrypt(NONCE, TEXT, AAD) == expected


def test_constructor_copies_the_key(aes_gcm):
    material = bytearray(KEY)
    key = aes_gcm(material)
    material[:] = bytes(16)
    assert key.encrypt(NONCE, TEXT, AAD) == aes_gcm(KEY).encrypt(NONCE, TEXT, AAD)


@pytest.mark.parametrize("length", range(131))
def test_nonces_outside_8_to_128_bytes_are_rejected(key, length):
    nonce = bytes(length)
    if 8 <= length <= 128:
        sealed = key.encrypt(nonce, TEXT, AAD)
        assert key.decrypt(nonce, sealed, AAD) == TEXT
        return
    for call in calls(key, nonce=nonce):
        with pytest.raises(ValueError):
            call()


def calls(key, nonce=NONCE, data=None, aad=AAD, buf=None):
    """Returns calls of every method with these arguments, and valid values for the other arguments."""
    plain = TEXT if data is None else data
    sealed = bytes(TAG_BYTES) if data is None else data
    return [
        lambda: key.encrypt(nonce, plain, aad),
        lambda: key.decrypt(nonce, sealed, aad),
        lambda: key.encrypt_into(nonce, plain, aad, bytearray(len(plain) + TAG_BYTES) if buf is None else buf),
        lambda: key.decrypt_into(nonce, sealed, aad, bytearray(len(sealed) - TAG_BYTES) if buf is None else buf),
    ]


WRONG = ["text", None, 1, 1.5, [1, 2], object(), array.array("I", [1, 2]), memoryview(bytes(8)).cast("I")]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize("name", ["nonce", "data", "aad", "buf"])
def test_arguments_that_are_not_buffers_raise_type_error(key, name, wrong):
    if wrong is None and name == "aad":
        return  # None is a valid AAD
    arguments = {"nonce": NONCE, "data": bytes(20), "aad": AAD, "buf": bytearray(36)} | {name: wrong}
    positional = arguments["nonce"], arguments["data"], arguments["aad"]
    for method in (key.encrypt, key.decrypt):
        if name != "buf":
            with pytest.raises(TypeError):
                method(*positional)
    for method in (key.encrypt_into, key.decrypt_into):
        with pytest.raises(TypeError):
            method(*positional, arguments["buf"])


TEXT_HINT = "\nDid you mean to pass a bytestring instead?"
WORDS = {
    "key of 15 bytes": (lambda c, k: c(bytes(15)), ValueError, "AESGCM key must be 128, 192, or 256 bits."),
    "bit_length": (lambda c, k: c.generate_key(127), ValueError, "bit_length must be 128, 192, or 256"),
    "nonce": (lambda c, k: k.encrypt(bytes(7), b"", None), ValueError, "Nonce must be between 8 and 128 bytes"),
    "buf": (lambda c, k: k.encrypt_into(NONCE, b"abc", None, bytearray(3)), ValueError, "buffer must be 19 bytes"),
    "buf of decrypt_into": (
        lambda c, k: k.decrypt_into(NONCE, bytes(19), None, bytearray(19)), ValueError, "buffer must be 3 bytes"
    ),
    "str": (
        lambda c, k: k.encrypt(NONCE, "text", None),
        TypeError,
        f"""Cannot convert "<class 'str'>" instance to a buffer.{TEXT_HINT}""",
    ),
    "None": (
        lambda c, k: k.decrypt(NONCE, None, None),
        TypeError,
        """Cannot convert "<class 'NoneType'>" instance to a buffer."""
    ),
    "array of int": (
        lambda c, k: k.encrypt(NONCE, array.array("I", [1]), None),
        TypeError,
        """Cannot convert "<class 'array.array'>" instance to a buffer.""",
    ),
    "gaps": (
        lambda c, k: k.encrypt(NONCE, memoryview(bytes(4))[::2], None), BufferError, "Buffer is not contiguous."
    ),
    "read-only buf": (lambda c, k: k.encrypt_into(NONCE, b"", None, bytes(16)), TypeError, "Buffer is not writable."),
    "forgery": (lambda c, k: k.decrypt(NONCE, bytes(16), None), InvalidTag, ""),
}


@pytest.mark.parametrize("case", WORDS)
def test_exception_messages_equal_those_of_pyca(aes_gcm, key, case):
    call, kind, words = WORDS[case]
    with pytest.raises(kind) as raised:
        call(aes_gcm, key)
    assert str(raised.value) == words


def test_non_contiguous_buffers_raise_buffer_error(key):
    gaps = memoryview(bytes(64))[::2]
    for call in calls(key, nonce=gaps) + calls(key, aad=gaps):
        with pytest.raises(BufferError):
            call()
    with pytest.raises(BufferError):
        key.encrypt(NONCE, gaps, AAD)
    with pytest.raises(BufferError):
        key.decrypt(NONCE, gaps, AAD)
    with pytest.raises(BufferError):
        key.encrypt_into(NONCE, TEXT, AAD, memoryview(bytearray(66))[::2])


def test_released_memoryviews_raise_type_error(key):
    view = memoryview(bytearray(32))
    view.release()
    for call in [
        lambda: key.encrypt(view, TEXT, AAD),
        lambda: key.encrypt(NONCE, view, AAD),
        lambda: key.encrypt(NONCE, TEXT, view),
        lambda: key.encrypt_into(NONCE, TEXT, AAD, view),
        lambda: key.decrypt_into(NONCE, bytes(48), AAD, view),
    ]:
        with pytest.raises(TypeError):
            call()


def test_read_only_outputs_raise_type_error(key):
    with pytest.raises(TypeError):
        key.encrypt_into(NONCE, TEXT, AAD, bytes(len(TEXT) + TAG_BYTES))
    with pytest.raises(TypeError):
        key.decrypt_into(NONCE, bytes(20), AAD, memoryview(bytes(4)))


def test_arguments_can_be_named_and_are_required(key):
    sealed = key.encrypt(nonce=NONCE, data=TEXT, associated_data=AAD)
    assert sealed == key.encrypt(NONCE, TEXT, AAD)
    assert key.decrypt(nonce=NONCE, data=sealed, associated_data=AAD) == TEXT
    out = bytearray(len(sealed))
    assert key.encrypt_into(nonce=NONCE, data=TEXT, associated_data=AAD, buf=out) == len(sealed)
    plain = bytearray(len(TEXT))
    assert key.decrypt_into(nonce=NONCE, data=out, associated_data=AAD, buf=plain) == len(TEXT)
    assert plain == TEXT
    wrong_calls = [
        lambda: key.encrypt(),
        lambda: key.encrypt(NONCE, TEXT),
        lambda: key.decrypt(NONCE, sealed),
        lambda: key.encrypt(NONCE, TEXT, AAD, None),
        lambda: key.encrypt(NONCE, TEXT, aad=AAD),
        lambda: key.encrypt(NONCE, TEXT, AAD, nonce=NONCE),
        lambda: key.encrypt_into(NONCE, TEXT, AAD),
        lambda: type(key)(),
        lambda: type(key)(KEY, KEY),
        lambda: type(key)(keys=KEY),
        lambda: type(key).generate_key(),
    ]
    for call in wrong_calls:
        with pytest.raises(TypeError):
            call()


def test_aad_none_equals_empty_aad(key):
    assert key.encrypt(NONCE, TEXT, None) == key.encrypt(NONCE, TEXT, b"")


def test_empty_message_encrypts_to_a_tag(key):
    sealed = key.encrypt(NONCE, b"", None)
    assert len(sealed) == TAG_BYTES
    assert key.decrypt(NONCE, sealed, None) == b""
    assert key.decrypt_into(NONCE, sealed, None, bytearray()) == 0


@pytest.mark.parametrize("length", range(TAG_BYTES))
def test_data_shorter_than_a_tag_raises_invalid_tag(key, length):
    with pytest.raises(InvalidTag):
        key.decrypt(NONCE, bytes(length), None)
    with pytest.raises(InvalidTag):
        key.decrypt_into(NONCE, bytes(length), None, bytearray(3))


def test_any_changed_bit_raises_invalid_tag(key):
    sealed = key.encrypt(NONCE, TEXT, AAD)
    for bit in range(len(sealed) * 8):
        forged = bytearray(sealed)
        forged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(InvalidTag):
            key.decrypt(NONCE, forged, AAD)
        with pytest.raises(InvalidTag):
            key.decrypt_into(NONCE, forged, AAD, bytearray(len(TEXT)))
    for nonce, aad in [(bytes(11) + b"1", AAD), (NONCE, b"headed"), (NONCE, None)]:
        with pytest.raises(InvalidTag):
            key.decrypt(nonce, sealed, aad)


@pytest.mark.parametrize("difference", [-17, -16, -1, 1, 16])
def test_output_buffers_of_wrong_lengths_are_rejected(key, difference):
    sealed = key.encrypt(NONCE, TEXT, AAD)
    with pytest.raises(ValueError):
        key.encrypt_into(NONCE, TEXT, AAD, bytearray(len(sealed) + difference))
    with pytest.raises(ValueError):
        key.decrypt_into(NONCE, sealed, AAD, bytearray(len(TEXT) + difference))


def test_arguments_are_checked_in_the_order_of_pyca(key):
    with pytest.raises(ValueError):
        key.decrypt(b"", b"", None)  # checks the nonce before the missing tag
    with pytest.raises(InvalidTag):
        key.decrypt_into(NONCE, b"", None, bytearray(9))  # checks the missing tag before the length of buf
    with pytest.raises(TypeError):
        key.encrypt(b"", "text", None)  # checks types before lengths


def test_messages_longer_than_an_int_raise_overflow_error(key):
    with mmap.mmap(-1, 2**31) as large:
        for call in [
            lambda: key.encrypt(NONCE, large, None),
            lambda: key.encrypt(NONCE, b"", large),
            lambda: key.encrypt_into(NONCE, large, None, bytearray(1)),
            lambda: key.encrypt(b"", large, None),
            lambda: key.decrypt(NONCE, bytes(16), large),
        ]:
            with pytest.raises(OverflowError, match=r"^Data or associated data too long\. Max 2\*\*31 - 1 bytes$"):
                call()


@pytest.mark.parametrize("offset", range(-40, 41))
def test_input_and_output_may_overlap(key, offset):
    if offset > 0 and "cryptography" in type(key).__module__:
        pytest.skip("what PyCA gives where the output lies ahead is OpenSSL's accident")
    text = bytes(range(200))
    expected = key.encrypt(NONCE, text, AAD)
    arena = bytearray(400)
    view = memoryview(arena)
    arena[100:300] = text
    out = view[100 + offset : 316 + offset]
    assert key.encrypt_into(NONCE, view[100:300], AAD, out) == 216
    assert out == expected
    arena[100:316] = expected
    out = view[100 + offset : 300 + offset]
    assert key.decrypt_into(NONCE, view[100:316], AAD, out) == 200
    assert out == text


def test_keys_cannot_be_copied_pickled_subclassed_or_printed(aes_gcm, key):
    import copy
    import pickle

    for call in [lambda: pickle.dumps(key), lambda: copy.copy(key), lambda: type("Sub", (aes_gcm,), {})]:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(AttributeError):
        key.attribute = 1
    assert KEY.hex() not in repr(key) and str(KEY) not in repr(key)
    assert key == key and key != aes_gcm(KEY) and isinstance(hash(key), int)
