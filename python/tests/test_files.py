"""Encrypted files: read at any position, and written; the other side is PyCA's cobblestone."""

import gc
import io
import os
import pathlib
import random
import sys
import tarfile
import threading

import kasoku
import pytest
from cryptography.cobblestone import (
    Cobblestone128Decryptor,
    Cobblestone128Encryptor,
    Cobblestone256Decryptor,
    Cobblestone256Encryptor,
)

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
    for mode in ("a", "ab", "r+", "rt", "wt", "bw", ""):
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


@pytest.mark.parametrize("key, decryptor_class", [(KEY, Cobblestone256Decryptor), (KEY[:16], Cobblestone128Decryptor)])
def test_written_files_are_read_by_pyca_and_by_kasoku(tmp_path, text, key, decryptor_class):
    numbers = random.Random(3)
    for mode, name in [("wb", "one"), ("xb", "two"), ("w", "three"), ("x", "four")]:
        path, at = tmp_path / name, 0
        with kasoku.open(path, mode, key=key, context=CONTEXT) as file:
            assert file.writable() and not file.readable() and not file.seekable()
            while at < len(text):
                part = text[at : at + numbers.choice([0, 1, 100, 20_000])]
                assert file.write(numbers.choice([bytes, bytearray, memoryview])(part)) == len(part)
                at += len(part)
                assert file.tell() == at
        decryptor = decryptor_class(key, CONTEXT)
        sealed = path.read_bytes()
        assert decryptor.update(sealed) + decryptor.finalize() == text
        assert kasoku.open(path, key=key, context=CONTEXT).read() == text


def test_two_files_of_one_text_differ(tmp_path):
    for name in "ab":
        with kasoku.open(tmp_path / name, "wb", key=KEY) as file:
            file.write(b"text")
    assert (tmp_path / "a").read_bytes() != (tmp_path / "b").read_bytes()


def test_file_appears_only_when_it_is_closed(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def names():
        return {file.name for file in tmp_path.iterdir() if not file.name.startswith(".")}

    class Stop(Exception):
        pass

    with pytest.raises(Stop), kasoku.open(path, "wb", key=KEY) as file:
        file.write(bytes(100_000))
        raise Stop
    assert file.closed
    file = kasoku.open(tmp_path / "other", "wb", key=KEY)
    file.write(bytes(100_000))
    cycle = [file]
    cycle.append(cycle)
    del file, cycle
    gc.collect()
    assert list(tmp_path.iterdir()) == [path] and path.read_bytes() == b"old"
    file = kasoku.open(path, "wb", key=KEY)
    file.write(b"new")
    assert names() == {"file"} and path.read_bytes() == b"old"
    file.close()
    file.close()
    assert names() == {"file"} and kasoku.open(path, key=KEY).read() == b"new"
    for use in (lambda: file.write(b""), file.tell, file.writable, file.flush):
        with pytest.raises(ValueError):
            use()


def test_written_file_serves_as_text_and_archive(tmp_path):
    with io.TextIOWrapper(kasoku.open(tmp_path / "lines", "wb", key=KEY), "utf-8") as lines:
        lines.writelines(["加速\n", "second\n"])
    assert kasoku.open(tmp_path / "lines", key=KEY).read().decode().splitlines() == ["加速", "second"]
    (tmp_path / "member").write_bytes(bytes(50_000))
    with kasoku.open(tmp_path / "tar", "wb", key=KEY) as file, tarfile.open(fileobj=file, mode="w") as archive:
        archive.add(tmp_path / "member", "member")
    with tarfile.open(fileobj=kasoku.open(tmp_path / "tar", key=KEY)) as archive:
        assert archive.extractfile("member").read() == bytes(50_000)


def test_writing_rejects_wrong_places_and_arguments(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(FileExistsError) as raised:
        kasoku.open(path, "xb", key=KEY)
    assert raised.value.filename == os.fspath(path)
    for name, error in [("none/file", FileNotFoundError), ("n" * 300, OSError), (".", OSError), ("", OSError)]:
        with pytest.raises(error):
            kasoku.open(os.path.join(tmp_path, name), "wb", key=KEY)
    for length in (0, 15, 24, 33):
        with pytest.raises(ValueError, match=f"not {length}"):
            kasoku.open(path, "wb", key=bytes(length))
    with kasoku.open(tmp_path / "other", "xb", key=KEY) as file:
        for wrong in (None, "text", 3, [1]):
            with pytest.raises(TypeError):
                file.write(wrong)
        file.write(b"text")
    assert path.read_bytes() == b"old" and kasoku.open(tmp_path / "other", key=KEY).read() == b"text"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_file_that_cannot_be_written_does_not_appear(tmp_path):
    import resource
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1][1]))
    try:
        with pytest.raises(OSError) as raised, kasoku.open(tmp_path / "file", "wb", key=KEY) as file:
            file.write(bytes(200_000))
        assert raised.value.filename == os.fspath(tmp_path / "file")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before[1])
        signal.signal(signal.SIGXFSZ, before[0])
    assert list(tmp_path.iterdir()) == []


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
