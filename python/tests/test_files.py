"""Encrypted files, written by PyCA's cobblestone and read at any position."""

import io
import os
import pathlib
import random
import sys
import threading

import kasoku
import pytest
from cryptography.cobblestone import Cobblestone128Encryptor, Cobblestone256Encryptor

KEY, CONTEXT = bytes(range(32)), b"backup 7"
LENGTHS = [0, 1, 100, 16383, 16384, 16385, 100_000]


def encrypted(text, encryptor_class=Cobblestone256Encryptor, key=KEY):
    encryptor = encryptor_class(key, CONTEXT)
    return encryptor.update(text) + encryptor.finalize()


@pytest.fixture(params=LENGTHS)
def text(request):
    return random.Random(request.param).randbytes(request.param)


@pytest.fixture
def path(tmp_path, text):
    path = tmp_path / "text.kasoku"
    path.write_bytes(encrypted(text))
    return path


def test_whole_files_are_read(path, text):
    for name in (path, str(path)):
        with kasoku.open(name, "rb", key=KEY, context=CONTEXT) as file:
            assert isinstance(file, io.BufferedReader)
            assert file.readable() and file.seekable() and not file.writable()
            assert file.read() == text
            assert file.read() == b""
    with kasoku.open(path, key=bytearray(KEY), context=CONTEXT) as file:
        lines = io.TextIOWrapper(file, "latin-1", newline="")
        assert list(lines) == list(io.StringIO(text.decode("latin-1"), newline=""))


def test_any_part_of_a_file_is_read(path, text):
    numbers, like = random.Random(7), io.BytesIO(text)
    with kasoku.open(path, key=KEY, context=CONTEXT) as file:
        assert file.seek(0, io.SEEK_END) == len(text)
        for _ in range(300):
            whence = numbers.randrange(3)
            offset = numbers.randrange(-len(text) - 5, len(text) + 5) if whence else numbers.randrange(len(text) + 5)
            try:
                place = like.seek(offset, whence)
            except ValueError:
                place = None
            if place is not None and place == (0, file.tell(), len(text))[whence] + offset:
                assert file.seek(offset, whence) == place
            like.seek(file.tell())
            count = numbers.choice([0, 1, 100, 20_000])
            assert file.read(count) == like.read(count)


def test_key_of_16_bytes_reads_cobblestone_128(tmp_path, text):
    path, key_path, key = tmp_path / "text", tmp_path / "key", KEY[:16]
    path.write_bytes(encrypted(text, Cobblestone128Encryptor, key))
    key_path.write_text("AAECAwQFBgcICQoLDA0ODw==\n")
    assert kasoku.read_key(key_path) == key
    with kasoku.open(path, key=key, context=CONTEXT) as file:
        file.seek(len(text) // 2)
        assert file.read() == text[len(text) // 2 :]
    with pytest.raises(kasoku.InvalidTag, match="wrong key"):
        kasoku.open(path, key=KEY, context=CONTEXT)
    path.write_bytes(encrypted(text))
    with pytest.raises(kasoku.InvalidTag, match="wrong key"):
        kasoku.open(path, key=key, context=CONTEXT)


def test_wrong_keys_and_files_are_rejected(path, text):
    for key, context in [(bytes(32), CONTEXT), (KEY, b"")]:
        with pytest.raises(kasoku.InvalidTag, match="wrong key"):
            kasoku.open(path, key=key, context=context)
    whole = path.read_bytes()
    for end in {0, 71, len(whole) - 1, len(whole) // 2}:
        path.write_bytes(whole[:end])
        with pytest.raises(kasoku.InvalidTag):
            kasoku.open(path, key=KEY, context=CONTEXT)


def test_reading_a_changed_chunk_raises_invalid_tag(tmp_path):
    path, text = tmp_path / "file", random.Random(1).randbytes(100_000)
    whole = bytearray(encrypted(text))
    whole[40_000] ^= 1  # in the third chunk
    path.write_bytes(whole)
    with kasoku.open(path, key=KEY, context=CONTEXT) as file:
        assert file.read(32_768) == text[:32_768]
        with pytest.raises(kasoku.InvalidTag, match="authentication failed: chunk 2"):
            file.read(1)
        file.seek(49_152)
        assert file.read() == text[49_152:]


def test_open_rejects_missing_files_and_wrong_arguments(tmp_path):
    path = tmp_path / "file"
    with pytest.raises(FileNotFoundError):
        kasoku.open(path, key=KEY)
    # A folder, and a file without an end to seek to, raise OSError: neither is a forgery or a wrong argument.
    for other in filter(os.path.exists, (tmp_path, "/proc/self/status")):
        with pytest.raises(OSError):
            kasoku.open(other, key=KEY)
    path.write_bytes(encrypted(b"text"))
    for length in (0, 15, 17, 24, 31, 33):
        with pytest.raises(ValueError, match=f"not {length}"):
            kasoku.open(path, key=bytes(length))
    for key in (None, "k" * 32, 32):
        with pytest.raises(TypeError):
            kasoku.open(path, key=key)
    for mode in ("w", "wb", "a", "r+", ""):
        with pytest.raises(ValueError):
            kasoku.open(path, mode, key=KEY)
    file = kasoku.open(path, key=KEY, context=CONTEXT)
    for offset, whence in [(-1, 0), (-9, 1), (-9, 2)]:
        with pytest.raises(ValueError):
            file.raw.seek(offset, whence)
    with pytest.raises((ValueError, OverflowError)):
        file.raw.seek(0, 3)
    file.close()
    for use in (file.read, file.tell, file.raw.readall, lambda: file.seek(0)):
        with pytest.raises(ValueError):
            use()


class BytesPath:
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


def test_paths_may_be_bytes_or_path_like(tmp_path):
    path, key_path = tmp_path / "text", tmp_path / "key"
    path.write_bytes(encrypted(b"text"))
    key_path.write_text("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n")
    for kind in (str, os.fspath, os.fsencode, lambda path: path, lambda path: BytesPath(os.fsencode(path))):
        with kasoku.open(kind(path), key=KEY, context=CONTEXT) as file:
            assert file.read() == b"text"
        assert kasoku.read_key(kind(key_path)) == KEY
    if os.name == "posix" and sys.platform != "darwin":  # systems on which a name may have any bytes
        odd = os.fsencode(tmp_path) + b"/\xff"
        path.rename(os.fsdecode(odd))
        for name in (odd, os.fsdecode(odd)):
            assert kasoku.open(name, key=KEY, context=CONTEXT).read() == b"text"


def test_open_raises_os_errors_that_name_the_file(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for name in ("none", "", "file/none", "n" * 300):
        path = os.path.join(tmp_path, name)
        for given in (path, os.fsencode(path), pathlib.Path(path), BytesPath(os.fsencode(path))):
            with pytest.raises(OSError) as right:
                open(given, "rb")
            for call in (lambda: kasoku.open(given, key=KEY), lambda: kasoku.read_key(given)):
                with pytest.raises(OSError) as raised:
                    call()
                assert type(raised.value) is type(right.value)
                assert raised.value.args == right.value.args
                assert raised.value.filename == right.value.filename == os.fspath(given)
                assert str(raised.value) == str(right.value)
    for given in ("a\0b", b"a\0b"):
        for call in (lambda: kasoku.open(given, key=KEY), lambda: kasoku.read_key(given)):
            with pytest.raises(ValueError):
                call()
    for given in (None, 3, bytearray(b"file")):
        for call in (lambda: kasoku.open(given, key=KEY), lambda: kasoku.read_key(given)):
            with pytest.raises(TypeError):
                call()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="descriptors are seen in /proc")
def test_closing_a_file_closes_its_descriptor(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(encrypted(b"text"))
    before = len(os.listdir("/proc/self/fd"))
    file = kasoku.open(path, key=KEY, context=CONTEXT)
    assert len(os.listdir("/proc/self/fd")) == before + 1
    file.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_threads_read_one_file_at_the_same_time(tmp_path):
    path, text = tmp_path / "file", random.Random(2).randbytes(1_000_000)
    path.write_bytes(encrypted(text))
    file, right = kasoku.open(path, key=KEY, context=CONTEXT), []

    def read():
        buffer = bytearray(16384)
        for _ in range(100):
            file.raw.seek(random.randrange(len(text)))
            count = file.raw.readinto(buffer)  # at the position of the last seek, perhaps of another thread
            right.append(bytes(buffer[:count]) in text)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(right) == 400 and all(right)


def test_key_files_are_read_and_malformed_ones_rejected(tmp_path):
    path = tmp_path / "key"
    path.write_text("# a comment\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n")
    assert kasoku.read_key(path) == KEY
    for wrong in ("", "AAEC\n", "# nothing\n", "A" * 5000):
        path.write_text(wrong)
        with pytest.raises(ValueError):
            kasoku.read_key(path)
    with pytest.raises(FileNotFoundError):
        kasoku.read_key(os.fspath(tmp_path / "none"))
