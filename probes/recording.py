"""The recording file: a header, then the same blocks that went through the ring, in the order they were flushed.

    8 bytes   magic
    4 x u32   version, length of the configuration, its crc32, zero
    ...       the configuration as JSON, padded with blanks to 8 bytes
    ...       blocks; the last one says why the recording ended, when it was closed in order

Every flush is written whole, so a file whose writer was killed is readable up to the last flush.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from zlib import crc32

from cache_core.event_codec import text_record
from cache_core.events import Label
from probes.block_stream import BlockStream, write_all
from probes.blocks import CLOSED, Block, BlockError, BlockHead, encode_block, open_block
from probes.errors import RecordingError

RECORDING_MAGIC = b"RTREC\r\n\x1a"
RECORDING_VERSION = 1
_HEADER = struct.Struct("<8s4I")
_MAX_CONFIG_BYTES = 1 << 24


class RecordingWriter:
    """Appends blocks to a new file. After a write that failed it stops, says why in `fault`, and takes no more."""

    def __init__(self, path: Path, config: Mapping[str, object]) -> None:
        """Make the file, over one that is there. Raises RecordingError when it cannot be written."""
        self.path = path
        self.fault = ""
        self.records = 0
        text = json.dumps(config).encode()
        text += b" " * (-len(text) % 8)
        header = _HEADER.pack(RECORDING_MAGIC, RECORDING_VERSION, len(text), crc32(text), 0) + text
        self._fd = _open_to_write(path)
        self._size = 0
        try:
            self._write(header)
        except OSError as error:
            os.close(self._fd)
            raise _unwritable(path, error) from error

    def append(self, block: bytes | memoryview, record_count: int) -> bool:
        """Write one block and say whether the recording goes on."""
        if self.fault or self._fd < 0:
            return False
        try:
            self._write(block)
        except OSError as error:
            self._stop(error)
            return False
        self.records += record_count
        return True

    def close(self, reason: str, now: int) -> None:
        """End the file with a block that says why, unless the recording stopped before."""
        if self._fd < 0:
            return
        self.append(encode_block(open_block(0, 0, now, CLOSED), [text_record(Label, 0, reason)]), 0)
        os.close(self._fd)
        self._fd = -1

    def _write(self, raw: bytes | memoryview) -> None:
        write_all(self._fd, raw)
        self._size += len(raw)

    def _stop(self, error: OSError) -> None:
        self.fault = (
            f"the recording stopped after {self.records:,} records: {self.path}: {error.strerror}; "
            "what was written before that can be read"
        )
        try:
            os.ftruncate(self._fd, self._size)  # the last block may be there in part
        except OSError:
            pass


class RecordingReader:
    """Reads a recording block by block; damaged blocks are counted and stepped over."""

    def __init__(self, path: Path) -> None:
        """Open the file and read its header. Raises RecordingError when that is not possible."""
        self.path = path
        self.torn_blocks = 0
        self.closed_reason: str | None = None
        self._fd = _open_to_read(path)
        try:
            self.config, self._start = _read_header(path, self._fd)
        except BaseException:
            os.close(self._fd)
            raise
        self._stream = BlockStream(self._fd, self._start)

    def next_block(self) -> Block | None:
        """Return the next undamaged block, or None at the end of what the file holds now."""
        while True:
            try:
                block = self._stream.next_block()
            except BlockError:
                self.torn_blocks += 1
                if not self._stream.skip_damage():
                    return None
                continue
            if block is None or block.kind != CLOSED:
                return block
            self.closed_reason = "".join(r.text for _, r in block.records() if isinstance(r, Label))

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks from the first one on."""
        self.rewind()
        while (block := self.next_block()) is not None:
            yield block

    def heads(self) -> Iterator[tuple[int, BlockHead]]:
        """Yield (offset, header) of the blocks without reading their records; stops at a damaged header."""
        stream = BlockStream(self._fd, self._start)
        while True:
            at = stream.offset
            try:
                head = stream.next_head()
            except BlockError:
                return
            if head is None:
                return
            yield at, head

    def rewind(self, offset: int | None = None) -> None:
        """Go back to the first block, or to the block at an offset that `heads` gave."""
        self._stream = BlockStream(self._fd, self._start if offset is None else offset)
        self.torn_blocks = 0

    @property
    def ending(self) -> str:
        """How the file ends, once it has been read to its end: empty for a recording that was closed in order."""
        left = os.fstat(self._fd).st_size - self._stream.offset
        if self.closed_reason is not None and left == 0:
            return ""
        if left:
            return f"the file is cut short: its last {left:,} bytes are no whole block and were left out"
        return "the recording was not closed: its writer was killed or still runs; every flush up to then is here"

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _open_to_write(path: Path) -> int:
    """Return an empty file that this process alone records to; a pipe without a reader is refused, not waited for."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        os.set_blocking(fd, True)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISREG(os.fstat(fd).st_mode):
            os.ftruncate(fd, 0)
    except BlockingIOError as error:
        os.close(fd)
        raise RecordingError(f"another process records to {path}", "choose another file") from error
    except OSError as error:
        os.close(fd)
        raise _unwritable(path, error) from error
    return fd


def _open_to_read(path: Path) -> int:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise RecordingError(f"cannot open {path}: {error.strerror}", "check the path") from error
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise RecordingError(f"{path} is no regular file", "a recording is a file, no folder, pipe or device")


def _unwritable(path: Path, error: OSError) -> RecordingError:
    return RecordingError(f"cannot write the recording {path}: {error.strerror}", "choose another place or make room")


def _read_header(path: Path, fd: int) -> tuple[Mapping[str, object], int]:
    """Return the configuration and where the blocks start."""
    raw = os.pread(fd, _HEADER.size, 0)
    if raw[: len(RECORDING_MAGIC)] != RECORDING_MAGIC[: len(raw)]:
        raise RecordingError(f"{path} is no radixtop recording", "make one with: radixtop live --record FILE")
    if len(raw) < _HEADER.size:
        raise _cut_header(path, len(raw))
    _, version, length, check, _ = _HEADER.unpack(raw)
    if version > RECORDING_VERSION:
        hint = "read it with the radixtop that wrote it, or upgrade this one"
        raise RecordingError(f"{path} has version {version}, this radixtop reads up to {RECORDING_VERSION}", hint)
    text = os.pread(fd, min(length, _MAX_CONFIG_BYTES), _HEADER.size)
    if len(text) < length:
        raise _cut_header(path, _HEADER.size + len(text))
    if crc32(text) != check:
        raise RecordingError(f"the header of {path} is damaged", "its records cannot be trusted; record again")
    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        config = None
    if not isinstance(config, dict):
        raise RecordingError(f"the header of {path} is no configuration", "radixtop did not write it")
    return config, _HEADER.size + length


def _cut_header(path: Path, size: int) -> RecordingError:
    return RecordingError(
        f"{path} is cut short after {size} bytes, inside its header", "it holds no record; record again"
    )
