"""Encrypted files (Cobblestone-128 and -256) with the interface of Python's files."""

from __future__ import annotations

import io
import os
from typing import Union

from ._kasoku import FileReader

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


def open(path: _Path, mode: str = "rb", *, key: bytes, context: bytes = b"") -> io.BufferedReader:
    """Opens an encrypted file. Returns its plaintext as a binary stream that can be read from any position.

    Use it for files from `kasoku-file encrypt` or cryptography.cobblestone. key has 16 bytes for Cobblestone-128, or
    32 for Cobblestone-256. Raises InvalidTag if key or context is wrong, or if the file is truncated. Reading from a
    changed chunk raises InvalidTag later. The stream returns only verified plaintext.
    """
    if mode not in ("r", "rb"):
        raise ValueError(f"mode is 'rb', not {mode!r}")
    return io.BufferedReader(_Text(path, key, context), _CHUNK_BYTES)
