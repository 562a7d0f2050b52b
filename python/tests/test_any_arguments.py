"""Calls with random arguments return or raise an exception, and never crash."""

import array
import mmap
import random

import kasoku
import numpy
import pytest
from kasoku._kasoku import FileReader, HeaderKey, PacketKey

RELEASED = memoryview(bytearray(16))
RELEASED.release()
THINGS = [
    None, True, -1, 0, 12, 2**31, 2**64, 2**70, 1.5, "text", b"", b"1", bytes(12), bytes(16), bytes(24), bytes(32),
    bytes(100), bytes(116), bytearray(), bytearray(12), bytearray(16), bytearray(32), bytearray(100), bytearray(116),
    memoryview(bytearray(64))[::2], memoryview(bytearray(64))[::-1], memoryview(bytearray(64)).cast("I"), RELEASED,
    array.array("d", [1.0]), array.array("B", bytes(16)), mmap.mmap(-1, 4096), numpy.zeros((4, 4), dtype=numpy.uint8),
    numpy.zeros((), dtype=numpy.uint8), numpy.zeros(0, dtype=numpy.uint8), numpy.zeros(3, dtype=object), [], (), {},
    [bytes(12)] * 3, [bytes(24)] * 3, (bytes(100),) * 3, [bytearray(16)] * 3, [None], ["text"], [RELEASED], [[]],
    iter([]), object(), int, ValueError, kasoku.AESGCM(bytes(16)), "/dev/null", "/", "\0",
]  # fmt: skip
LIKELY = [None, 7, bytes(12), bytes(24), bytes(16), bytearray(100), bytearray(116)]
ERRORS = (TypeError, ValueError, BufferError, OverflowError, OSError, kasoku.InvalidTag)


@pytest.mark.parametrize("seed", range(8))
def test_random_arguments_return_or_raise(seed):
    draw = random.Random(seed)
    objects = [
        kasoku.AESGCM(bytes(16)),
        kasoku.XAESGCM(bytes(32)),
        kasoku.AESGCMSIV(bytes(16)),
        PacketKey(bytes(16), bytes(12), ValueError),
        HeaderKey(bytes(32), KeyError),
    ]
    calls = [getattr(thing, name) for thing in objects for name in dir(thing) if not name.startswith("_")]
    for made in (kasoku.Encryptor, kasoku.Decryptor):
        # Each call gets a message of its own, since finalize() ends it.
        calls += [
            lambda *arguments, made=made, name=name: getattr(made(objects[0], bytes(12)), name)(*arguments)
            for name in dir(made) if name != "tag" and not name.startswith("_")
        ]  # fmt: skip
    calls += [kasoku.AESGCM, kasoku.AESGCMSIV, kasoku.XAESGCM, PacketKey, HeaderKey, FileReader]
    calls += [kasoku.Encryptor, kasoku.Decryptor, kasoku.open, kasoku.read_key]
    done = 0
    for _ in range(20_000):
        call, count = draw.choice(calls), draw.choice([1, 2, 3, 3, 3, 4, 4, 5])
        try:
            call(*(draw.choice(LIKELY if draw.random() < 0.7 else THINGS) for _ in range(count)))
            done += 1
        except (*ERRORS, KeyError):
            pass
    assert done > 100
