"""Recordings of KV events, a message after the other as they came: written and read.

Magic "RXKV" 1 0 0 0; then for each message the time of receipt (float64, seconds since 1970), the number of frames
(u8), and of each frame its length (u32) and its bytes. All numbers are big-endian. There is no end: a file that is
cut is read as far as it goes. A name that ends in .gz or .xz is compressed.
"""

from __future__ import annotations

import gzip
import lzma
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from probes.errors import FeedError, WireError

MAGIC = b"RXKV\x01\0\0\0"
MOST_FRAMES = 16
LARGEST_FRAME_BYTES = 1 << 26

_HEAD = struct.Struct(">dB")
_LENGTH = struct.Struct(">I")
_HINT = (
    "it is no recording of KV events (RXKV, see probes/README.md), or it is damaged; "
    "radixtop play opens those of radixtop"
)
_DAMAGED = "it is damaged from there on, and only what came before is told; save it anew"
_BEGINNING_BYTES = 4096


class Received(NamedTuple):
    """A message and when it came, in seconds since 1970."""

    at: float
    frames: tuple[bytes, ...]


def is_stream(path: Path) -> bool:
    """Say whether a file is a recording of KV events, by its first bytes."""
    try:
        with path.open("rb") as file:
            raw = file.read(_BEGINNING_BYTES)
        return _unpacked(raw, path.suffix) == MAGIC  # however much of what follows cannot be unpacked
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        return False


class StreamWriter:
    """Writes a recording. A context manager. Raises FeedError when the file cannot be written."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = _opened(path, "wb")
            self._file.write(MAGIC)
        except OSError as error:
            raise FeedError(f"cannot write {path}: {error.strerror or error}", "choose another place") from error

    def __enter__(self) -> StreamWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, at: float, frames: Sequence[bytes]) -> None:
        """Write a message that came at a time."""
        assert len(frames) <= MOST_FRAMES, f"{len(frames)=}"
        self._file.write(_HEAD.pack(at, len(frames)))
        for frame in frames:
            self._file.write(_LENGTH.pack(len(frame)))
            self._file.write(frame)

    def close(self) -> None:
        """Write what is left and close the file."""
        self._file.close()


class StreamReader:
    """Reads a recording, from its start to its end. A context manager.

    Raises WireError for what is no recording, or holds what no message can be, and FeedError when there is no file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_cut = False
        """Whether the file ended within a message."""
        self.at_bytes = 0
        """Where the next message begins, or what of one there is."""
        try:
            self._file = _opened(path, "rb")
        except OSError as error:
            raise FeedError(f"cannot read {path}: {error.strerror or error}", "name a file that is there") from error
        if not is_stream(path):
            self.close()
            raise WireError(f"{path} does not begin as a recording of KV events", _HINT)
        self._read(len(MAGIC))
        self.at_bytes = len(MAGIC)

    def __enter__(self) -> StreamReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Received]:
        return self

    def __next__(self) -> Received:
        """Return the next message."""
        head = self._read(_HEAD.size)
        if len(head) < _HEAD.size:
            raise self._end(bool(head))
        at, count = _HEAD.unpack(head)
        if not 0 < count <= MOST_FRAMES:
            raise WireError(f"{self.path}: a message of {count} frames at byte {self.at_bytes:,}", _DAMAGED)
        frames = []
        for _ in range(count):
            frame = self._frame()
            if frame is None:
                raise self._end(True)
            frames.append(frame)
        self.at_bytes += _HEAD.size + sum(_LENGTH.size + len(frame) for frame in frames)
        return Received(at, tuple(frames))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _frame(self) -> bytes | None:
        """Return a frame, or None where the file ends before."""
        raw = self._read(_LENGTH.size)
        if len(raw) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack(raw)
        if length > LARGEST_FRAME_BYTES:
            said = f"{self.path}: a frame of {length:,} bytes in the message at byte {self.at_bytes:,}"
            raise WireError(f"{said}, the largest is {LARGEST_FRAME_BYTES:,}", _DAMAGED)
        frame = self._read(length)
        return frame if len(frame) == length else None

    def _read(self, size: int) -> bytes:
        """Return so many bytes, fewer where the file ends. Raises WireError for what cannot be read or unpacked."""
        try:
            return self._file.read(size)
        except EOFError:
            self.is_cut = True
            return b""
        except (OSError, zlib.error, lzma.LZMAError) as error:
            said = f"{self.path}: what follows byte {self.at_bytes:,} of it cannot be read: {error}"
            raise WireError(said, _DAMAGED) from error

    def _end(self, is_cut: bool) -> StopIteration:
        self.is_cut = self.is_cut or is_cut
        return StopIteration()


def _unpacked(raw: bytes, suffix: str) -> bytes:
    """Return the first bytes of a recording, given those of its file."""
    if suffix == ".gz":
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(raw, len(MAGIC))
    if suffix == ".xz":
        return lzma.LZMADecompressor().decompress(raw, len(MAGIC))
    return raw[: len(MAGIC)]


def _opened(path: Path, mode: str) -> BinaryIO:
    if path.suffix == ".gz":
        return cast("BinaryIO", gzip.open(path, mode))
    if path.suffix == ".xz":
        return cast("BinaryIO", lzma.open(path, mode))
    return cast("BinaryIO", path.open(mode))
