"""Keys and buffers in several threads, and other threads during long messages."""

import threading
import time

import kasoku

KEY, NONCE = bytes(32), bytes(12)


def test_threads_use_one_key_at_the_same_time():
    key = kasoku.AESGCM(KEY)
    wrong = []

    def work(number):
        for length in range(0, 40_000, 997):
            text = bytes([number]) * length
            nonce = number.to_bytes(12, "big")
            sealed = key.encrypt(nonce, text, None)
            if key.decrypt(nonce, sealed, None) != text or sealed != kasoku.AESGCM(KEY).encrypt(nonce, text, None):
                wrong.append((number, length))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_threads_run_during_long_messages():
    # A busy machine may delay the other threads in some of the attempts, but a held lock would delay them in all.
    assert any(len(ticks_while_a_message_is_sealed()) >= 5 for _ in range(10))


def ticks_while_a_message_is_sealed():
    key, text = kasoku.AESGCM(KEY), bytearray(1 << 29)
    out = bytearray(len(text) + 16)
    ends = {}

    def seal():
        ends["begin"] = time.perf_counter()
        key.encrypt_into(NONCE, text, None, out)
        ends["end"] = time.perf_counter()

    thread = threading.Thread(target=seal)
    ticks = []
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    return [tick for tick in ticks if ends["begin"] < tick < ends["end"]]


def test_buffers_in_use_cannot_be_resized():
    key, text = kasoku.AESGCM(KEY), bytearray(1 << 29)
    refused = []
    thread = threading.Thread(target=lambda: key.encrypt(NONCE, text, None))
    thread.start()
    while thread.is_alive():
        try:
            text.append(0)
            text.pop()
        except BufferError:
            refused.append(True)
        time.sleep(0.001)
    thread.join()
    assert refused


def test_concurrent_writes_to_a_buffer_affect_only_its_result():
    key, text = kasoku.AESGCM(KEY), bytearray(1 << 22)
    stop = threading.Event()

    def scribble():
        number = 0
        while not stop.is_set():
            number = (number + 4099) % len(text)
            text[number] ^= 0xFF

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        for _ in range(50):
            assert len(key.encrypt(NONCE, text, text)) == len(text) + 16
            try:
                key.decrypt(NONCE, text, text)
                raise AssertionError("zeros are no message")
            except kasoku.InvalidTag:
                pass
    finally:
        stop.set()
        thread.join()
