"""A recording in a file, or in one file after the other: FILE, and before it FILE.1, FILE.2 and so on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from probes.blocks import DELTAS, decode_head
from probes.errors import RecordingError
from probes.recordings.reel import Fill, Reel
from probes.recordings.writer import RecordingWriter

TAIL_BYTES = 1024
"""What the end of a file may take of its limit."""


class FileReel(Reel):
    """Writes to `path`. With a limit a full file is moved to `path`.1, what is there to .2, and `keep` of them stay.

    Each file is a recording of its own. A write that fails ends the reel and what was written stays. A file that came
    into the way meanwhile is not written over, and one that was taken away is not missed.
    """

    repeats_tree = True

    def __init__(
        self, path: Path, config: Mapping[str, object], limit_bytes: int | None = None, keep: int = 1
    ) -> None:
        """Make the file, over one that is there. Raises RecordingError when it cannot be written."""
        super().__init__()
        self.path = path
        self._config = config
        self._limit_bytes = limit_bytes
        self._keep = keep
        self._part = 0
        names = [numbered(path, age) for age in range(1, keep)] if limit_bytes is not None else []
        self._before = {name: mark for name in names if (mark := _mark(name)) is not None}
        self._kept: dict[Path, _Mark] = {}
        self._writer, self._fill = self._open()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are there, the newest first."""
        ages = range(1, self._keep)
        names = (self.path, *(name for age in ages if (name := numbered(self.path, age)) in self._kept))
        return tuple(name for name in names if name.exists())

    @property
    def size_bytes(self) -> int:
        """See Reel."""
        return self._writer.size_bytes + sum(mark.size for mark in self._kept.values())

    def turn(self, size: int, at: int, busy: bool) -> bool:
        """See Reel."""
        if self.fault or not self._fill.is_full(size + TAIL_BYTES, busy):
            return False
        self._writer.close("the recording goes on in the next file", at)
        if self._writer.fault:
            self.fault = self._writer.fault
            return False
        try:
            self._make_way()
            self._writer, self._fill = self._open()
        except (OSError, RecordingError) as error:
            self.fault = f"the recording cannot go on in another file: {error}"
            return False
        return True

    def put(self, raw: bytes) -> None:
        """See Reel."""
        head, size = decode_head(raw), self._writer.size_bytes
        if self._writer.append(raw):
            self._fill.add(head.kind, self._writer.size_bytes - size)
            self.records += head.record_count if head.kind == DELTAS else 0
        else:
            self.fault = self.fault or self._writer.fault

    def close(self, reason: str, now: int) -> None:
        """See Reel."""
        self._writer.close(reason, now)
        self.fault = self.fault or self._writer.fault

    def _open(self) -> tuple[RecordingWriter, Fill]:
        self._part += 1
        config = self._config if self._limit_bytes is None else {**self._config, "part": self._part}
        writer = RecordingWriter(self.path, config)
        return writer, Fill(self._limit_bytes, writer.size_bytes)

    def _make_way(self) -> None:
        """Move every file to the next number; the oldest is gone when it is one too many.

        Raises RecordingError for another's file with such a number.
        """
        mark = _mark(self.path)
        kept = self._kept if mark is None else {**self._kept, self.path: mark}
        for age in range(self._keep - 1, 0, -1):
            source, target = (numbered(self.path, age - 1) if age > 1 else self.path), numbered(self.path, age)
            if source not in kept or _mark(source) != kept[source]:
                continue
            if _mark(target) not in (None, kept.get(target), self._before.get(target)):
                raise RecordingError(f"{target} is not of this recording")
            os.replace(source, target)
            kept[target] = kept[source]
        self._kept = {name: mark for name, mark in kept.items() if name != self.path}


class _Mark(NamedTuple):
    """What tells a file that nobody writes to from another one under the same name."""

    device: int
    number: int
    size: int
    changed_ns: int


def _mark(path: Path) -> _Mark | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return _Mark(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def numbered(path: Path, age: int) -> Path:
    """Return where the file before the last one is, counted by `age`."""
    return path.with_name(f"{path.name}.{age}")
