"""Buffers of every kind as input and output, also hostile ones."""

import array
import ctypes
import mmap

import kasoku
import numpy
import pytest

KEY, NONCE, AAD = bytes(range(16)), bytes(12), b"header"
TEXT = bytes(range(256)) * 80


def mapped(data):
    made = mmap.mmap(-1, len(data))
    made[:] = data
    return made


FORMS = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": lambda data: memoryview(bytes(data)),
    "a part": lambda data: memoryview(b"?" + data + b"?")[1:-1],
    "array": lambda data: array.array("B", data),
    "signed": lambda data: memoryview(bytearray(data)).cast("b"),
    "two dimensions": lambda data: memoryview(bytearray(data)).cast("B", (2, len(data) // 2)),
    "numpy": lambda data: numpy.frombuffer(bytearray(data), dtype=numpy.uint8),
    "ctypes": lambda data: (ctypes.c_char * len(data)).from_buffer_copy(data),
    "mmap": mapped,
    "bytes' child": type("Child", (bytes,), {}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("length", [64, 20480])
def test_inputs_may_be_any_contiguous_buffer(form, length):
    key, make = kasoku.AESGCM(KEY), FORMS[form]
    sealed = key.encrypt(NONCE, TEXT[:length], AAD)
    assert key.encrypt(make(NONCE), make(TEXT[:length]), make(AAD)) == sealed
    assert key.decrypt(make(NONCE), make(sealed), make(AAD)) == TEXT[:length]
    assert kasoku.AESGCM(make(KEY)).encrypt(NONCE, TEXT[:length], AAD) == sealed


@pytest.mark.parametrize("form", sorted(set(FORMS) - {"bytes", "memoryview", "a part", "bytes' child"}))
@pytest.mark.parametrize("length", [64, 20480])
def test_outputs_may_be_any_writable_buffer(form, length):
    key, make = kasoku.AESGCM(KEY), FORMS[form]
    sealed = key.encrypt(NONCE, TEXT[:length], AAD)
    out = make(bytes(length + 16))
    assert key.encrypt_into(NONCE, TEXT[:length], AAD, out) == length + 16
    assert memoryview(out).tobytes() == sealed
    out = make(bytes(length))
    assert key.decrypt_into(NONCE, sealed, AAD, out) == length
    assert memoryview(out).tobytes() == TEXT[:length]


def test_strided_buffers_are_rejected():
    key = kasoku.AESGCM(KEY)
    square = numpy.zeros((32, 32), dtype=numpy.uint8)
    for wrong in (square[:, 3], square[::2], square.T[1:]):
        with pytest.raises(BufferError):
            key.encrypt(NONCE, wrong, None)
        with pytest.raises(BufferError):
            key.encrypt_into(NONCE, bytes(wrong.size - 16), None, wrong)
    with pytest.raises(TypeError):
        key.encrypt(NONCE, numpy.zeros(4, dtype=numpy.uint32), None)
    square.flags.writeable = False
    with pytest.raises(TypeError):
        key.encrypt_into(NONCE, bytes(1008), None, square)


def test_nonce_aad_and_output_may_share_one_buffer():
    """The nonce and AAD are read before the output overwrites them."""
    key, arena = kasoku.AESGCM(KEY), bytearray(range(100))
    nonce, aad, text = bytes(arena[:12]), bytes(arena[12:32]), bytes(arena[20:84])
    expected = key.encrypt(nonce, text, aad)
    view = memoryview(arena)
    assert key.encrypt_into(view[:12], view[20:84], view[12:32], view[:80]) == 80
    assert view[:80] == expected


@pytest.mark.parametrize("length", [0, 1, 100, 20480])
@pytest.mark.parametrize("offset", [0, 1, -1, 300])
def test_forgery_leaves_zeros_in_overlapping_buffers(length, offset):
    key = kasoku.AESGCM(KEY)
    arena = bytearray(b"?" * (length + 700))
    view = memoryview(arena)
    view[300 : 316 + length] = key.encrypt(NONCE, TEXT[:length], AAD)
    arena[315 + length] ^= 1
    out = view[300 + offset : 300 + offset + length]
    with pytest.raises(kasoku.InvalidTag):
        key.decrypt_into(NONCE, view[300 : 316 + length], AAD, out)
    assert out == bytes(length)


def test_arguments_cannot_free_buffers_in_use():
    """Converting a later argument cannot free the buffer of an earlier one."""
    key, text = kasoku.AESGCM(KEY), bytearray(64)

    class Thief:
        def __buffer__(self, flags):
            text.clear()  # raises BufferError while `text` is exported
            return memoryview(b"")

    with pytest.raises((BufferError, TypeError)):
        key.encrypt(NONCE, text, Thief())
    assert len(text) == 64
    text.clear()  # succeeds, because all exports are released
