"""Batches: many messages in one call give the results of single calls."""

import itertools
import random

import kasoku
import pytest

CLASSES = {"aes": (kasoku.AESGCM, 16, 12), "xaes": (kasoku.XAESGCM, 32, 24), "siv": (kasoku.AESGCMSIV, 32, 12)}


@pytest.fixture(params=CLASSES.values(), ids=CLASSES)
def kind(request):
    return request.param


def batch(kind, count, lengths):
    """Returns a key, and distinct nonces, messages and AAD."""
    make, key_bytes, nonce_bytes = kind
    numbers = random.Random(count)
    lengths = itertools.cycle(lengths)
    messages = [numbers.randbytes(next(lengths)) for _ in range(count)]
    nonces = [numbers.randbytes(nonce_bytes) for _ in range(count)]
    aad = [numbers.randbytes(numbers.randrange(40)) for _ in range(count)]
    return make(numbers.randbytes(key_bytes)), nonces, messages, aad


@pytest.mark.parametrize("count", [0, 1, 2, 7, 64])
@pytest.mark.parametrize("lengths", [(0,), (1200,), (0, 1, 15, 16, 17, 1200, 5000)], ids=str)
def test_batches_of_lists_equal_single_calls(kind, count, lengths):
    key, nonces, messages, aad = batch(kind, count, lengths)
    for some_aad, each_aad in [(None, [None] * count), (b"one", [b"one"] * count), (aad, aad)]:
        expected = [key.encrypt(*message) for message in zip(nonces, messages, each_aad)]
        assert key.encrypt_many(nonces, messages, some_aad) == expected
        assert key.encrypt_many(nonces, messages, each_aad) == expected
        assert key.decrypt_many(nonces, expected, some_aad) == messages
        assert key.encrypt_many(tuple(nonces), [bytearray(message) for message in messages], some_aad) == expected
        assert key.decrypt_many(b"".join(nonces), tuple(expected), some_aad) == messages
        out = bytearray(sum(map(len, expected)))
        assert key.encrypt_many_into(nonces, messages, some_aad, out) == len(out)
        assert out == b"".join(expected)
        out = bytearray(sum(map(len, messages)))
        assert key.decrypt_many_into(nonces, expected, some_aad, out) == len(out)
        assert out == b"".join(messages)


@pytest.mark.parametrize("count", [1, 3, 64])
@pytest.mark.parametrize("length", [0, 1, 1200])
def test_batches_of_one_buffer_equal_single_calls(kind, count, length):
    key, nonces, messages, aad = batch(kind, count, [length])
    expected = [key.encrypt(*message) for message in zip(nonces, messages, aad)]
    packed = b"".join(nonces), b"".join(messages)
    assert key.encrypt_many(*packed, aad) == expected
    out = bytearray(count * (length + 16))
    assert key.encrypt_many_into(*packed, aad, out) == len(out) and out == b"".join(expected)
    assert key.decrypt_many(packed[0], out, aad) == messages
    plain = bytearray(count * length)
    assert key.decrypt_many_into(packed[0], out, aad, plain) == len(plain) and plain == packed[1]


def test_batch_forgery_reports_index_and_zeroes_output(kind):
    key, nonces, messages, aad = batch(kind, 9, (0, 100, 3000))
    sealed = key.encrypt_many(nonces, messages, aad)
    for number in range(9):
        forged = list(sealed)
        forged[number] = forged[number][:-1] + bytes([forged[number][-1] ^ 1])
        with pytest.raises(kasoku.InvalidTag) as raised:
            key.decrypt_many(nonces, forged, aad)
        assert raised.value.args == (number,)
        out = bytearray(b"?" * sum(map(len, messages)))
        with pytest.raises(kasoku.InvalidTag) as raised:
            key.decrypt_many_into(nonces, forged, aad, out)
        assert raised.value.args == (number,) and out == bytes(len(out))
        forged[number] = bytes(15)
        with pytest.raises(kasoku.InvalidTag) as raised:
            key.decrypt_many(nonces, forged, aad)
        assert raised.value.args == (number,)


def test_batch_rejects_mismatched_lengths(kind):
    key, nonces, messages, aad = batch(kind, 4, [100])
    length = len(nonces[0])
    for arguments in [
        (nonces[:3], messages, None),
        (nonces, messages[:3], None),
        (nonces, messages, aad[:3]),
        (nonces[:3] + [b""], messages, None),
        (b"".join(nonces)[:-1], messages, None),
        (bytes(2 * length - 2), bytes(100), None),
        (b"", bytes(100), None),
        (nonces, bytes(399), None),
    ]:
        with pytest.raises(ValueError):
            key.encrypt_many(*arguments)
        with pytest.raises(ValueError):
            key.encrypt_many_into(*arguments, bytearray(464))
    for wrong in [7, None, "text", ["text"] * 4, [None] * 4, iter(messages), dict.fromkeys(messages)]:
        with pytest.raises(TypeError):
            key.encrypt_many(nonces, wrong, None)
        with pytest.raises(TypeError):
            key.encrypt_many(wrong, messages, None)
    for buf, error in [(bytearray(463), ValueError), (bytearray(465), ValueError), (bytes(464), TypeError)]:
        with pytest.raises(error):
            key.encrypt_many_into(nonces, messages, None, buf)


def test_batch_rejects_output_overlapping_input(kind):
    key, nonces, messages, _ = batch(kind, 4, [100])
    arena = memoryview(bytearray(2000))
    for arguments in [
        (nonces, arena[464:864], None, arena[:465][1:]),
        (arena[: 4 * len(nonces[0])], messages, None, arena[:464]),
        (nonces, messages, arena[100:101], arena[:464]),
        (nonces, [*messages[:3], arena[400:500]], None, arena[:464]),
        (nonces, messages, [b"", b"", arena[463:470], b""], arena[:464]),
    ]:
        with pytest.raises(ValueError):
            key.encrypt_many_into(*arguments)


def test_batch_releases_all_references_and_buffers(kind):
    key, nonces, messages, _ = batch(kind, 4, [100])
    nonces, messages = [bytearray(nonce) for nonce in nonces], [bytearray(message) for message in messages]
    key.encrypt_many(nonces, messages, None)
    with pytest.raises(kasoku.InvalidTag):
        key.decrypt_many(nonces, messages, None)
    with pytest.raises(TypeError):
        key.encrypt_many(nonces, [*messages[:3], "text"], None)
    for buffer in nonces + messages:
        buffer.clear()
