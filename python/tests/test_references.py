"""After a call, no references, exported buffers or memory remain."""

import gc
import resource
import sys
import tracemalloc

import kasoku

KEY, NONCE, AAD, TEXT = bytes(16), bytes(range(100, 112)), bytes(range(40)), bytes(range(200))
CALLS = 100_000


def exercise(key, count):
    """Calls every method, successfully and unsuccessfully, `count` times in all."""
    sealed, text, out = bytearray(key.encrypt(NONCE, TEXT, AAD)), bytearray(TEXT), bytearray(len(TEXT) + 16)
    plain, forged = bytearray(len(TEXT)), bytes(len(TEXT) + 16)
    for _ in range(count // 10):
        key.encrypt(NONCE, TEXT, AAD)
        key.encrypt(NONCE, text, None)
        key.decrypt(NONCE, sealed, AAD)
        key.encrypt_into(NONCE, text, AAD, out)
        key.decrypt_into(NONCE, sealed, AAD, plain)
        key.encrypt_into(NONCE, memoryview(out)[:200], AAD, out)
        for method, arguments in [
            (key.decrypt, (NONCE, forged, AAD)),
            (key.encrypt, (NONCE, "text", AAD)),
            (key.encrypt, (b"", text, AAD)),
            (key.encrypt_into, (NONCE, text, AAD, plain)),
        ]:
            try:
                method(*arguments)
            except (kasoku.InvalidTag, TypeError, ValueError):
                continue
            raise AssertionError("no error")
    sealed.clear(), text.clear(), out.clear(), plain.clear()  # raises BufferError if a buffer is still exported


def test_calls_leave_reference_counts_unchanged():
    key = kasoku.AESGCM(KEY)
    objects = [key, KEY, NONCE, AAD, TEXT, kasoku.AESGCM, kasoku.InvalidTag, None]
    exercise(key, 100)
    gc.collect()
    before = [sys.getrefcount(thing) for thing in objects]
    exercise(key, CALLS)
    gc.collect()
    after = [sys.getrefcount(thing) for thing in objects]
    # The interpreter itself may change the reference count of None a little.
    assert before[:-1] == after[:-1] and abs(before[-1] - after[-1]) < 100


def test_calls_leave_no_python_memory_allocated():
    key = kasoku.AESGCM(KEY)
    exercise(key, 1000)
    tracemalloc.start()
    try:
        exercise(key, 1000)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        exercise(key, 20_000)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 20_000


def test_calls_do_not_grow_the_process():
    def resident():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def keys_and_messages(count):
        for _ in range(count):
            kasoku.AESGCM(KEY).encrypt(NONCE, bytes(100_000), AAD)

    keys_and_messages(1000)
    before = resident()
    keys_and_messages(5000)  # half a gigabyte of messages, and the keys' tables
    exercise(kasoku.AESGCM(KEY), CALLS)
    assert resident() - before < 20_000  # kilobytes
