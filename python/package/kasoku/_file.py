"""Encrypted files (Cobblestone-128 and -256) with the interface of Python's files."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Literal, Union, overload

from ._kasoku import FileReader, FileWriter

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Buffer

# Length of a chunk in bytes. Reading any part of a chunk decrypts the whole chunk.
_CHUNK_BYTES = 16 * 1024

_Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class _Text(io.RawIOBase):
    """The plaintext of an encrypted file as an unbuffered stream."""

    def __init__(self, path: _Path, key: bytes, context: bytes) -> None:
        self._reader: FileReader | None = FileReader(path, key, context)

    def readable(self) -> bool:
        self._opened()
        return True

    def seekable(self) -> bool:
        self._opened()
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        return self._opened().readinto(buffer)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._opened().seek(offset, whence)

    def close(self) -> None:
        # Dropping the object closes the descriptor and wipes the key and the last plaintext.
        self._reader = None
        super().close()

    def _opened(self) -> FileReader:
        reader = self._reader
        if reader is None:
            raise ValueError("I/O operation on closed file")
        return reader


class _EncryptedFile(io.BufferedIOBase):
    """An encrypted file that is written. It gets its name when it is closed, but not when an exception ends `with`."""

    _writer: FileWriter | None = None
    _bytes = 0

    def __init__(self, path: _Path, key: bytes, context: bytes, may_replace: bool) -> None:
        self._writer = FileWriter(path, key, context, may_replace)

    def writable(self) -> bool:
        self._opened()
        return True

    def write(self, data: Buffer) -> int:
        written = self._opened().write(data)
        self._bytes += written
        return written

    def tell(self) -> int:
        self._opened()
        return self._bytes

    def close(self) -> None:
        writer, self._writer = self._writer, None
        try:
            if writer is not None:
                writer.keep()
        finally:
            super().close()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._writer = None
        self.close()

    def __del__(self) -> None:
        # Python closes forgotten streams. A file that was not closed would then look complete.
        self._writer = None

    def _opened(self) -> FileWriter:
        writer = self._writer
        if writer is None:
            raise ValueError("I/O operation on closed file")
        return writer


@overload
def open(
    path: _Path, mode: Literal["r", "rb"] = "rb", *, key: bytes, context: bytes = b""
) -> io.BufferedReader: ...
@overload
def open(
    path: _Path, mode: Literal["w", "wb", "x", "xb"], *, key: bytes, context: bytes = b""
) -> io.BufferedIOBase: ...
def open(
    path: _Path, mode: str = "rb", *, key: bytes, context: bytes = b""
) -> io.BufferedReader | io.BufferedIOBase:
    """Opens an encrypted file as a binary stream of its plaintext.

    key has 16 bytes for Cobblestone-128, or 32 for Cobblestone-256. `kasoku-file` and cryptography.cobblestone read and
    write the same files.

    'rb' reads from any position. Raises InvalidTag if key or context is wrong, or if the file is truncated. Reading from
    a changed chunk raises InvalidTag later. The stream returns only verified plaintext.

    'wb' writes a file, and 'xb' one that must not exist. The file appears when it is closed. If `with` ends by an
    exception, or if the stream is never closed, there is no new file, and an old one stays.
    """
    if mode in ("r", "rb"):
        return io.BufferedReader(_Text(path, key, context), _CHUNK_BYTES)
    if mode in ("w", "wb", "x", "xb"):
        return _EncryptedFile(path, key, context, mode[0] == "w")
    raise ValueError(f"mode is 'rb', 'wb' or 'xb', not {mode!r}")
