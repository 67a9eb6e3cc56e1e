"""A recording in a file, or in one file after the other: FILE, and before it FILE.1, FILE.2 and so on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from probes.blocks import DELTAS, decode_head
from probes.errors import RecordingError
from probes.recording_writer import RecordingWriter
from probes.reel import Fill, Reel

TAIL_BYTES = 1024
"""What the end of a file may take of its limit."""


class FileReel(Reel):
    """Writes to `path`. With a limit a full file is moved to `path`.1, what is there to .2, and `keep` of them stay.

    Each file is a recording of its own. A write that fails ends the reel and what was written stays.
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
        self._kept_bytes: list[int] = []
        self._writer, self._fill = self._open()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are there, the newest first."""
        return (self.path, *(numbered(self.path, age) for age in range(1, len(self._kept_bytes) + 1)))

    @property
    def size_bytes(self) -> int:
        """See Reel."""
        return self._writer.size_bytes + sum(self._kept_bytes)

    def turn(self, size: int, at: int, busy: bool) -> bool:
        """See Reel."""
        if self.fault or not self._fill.is_full(size + TAIL_BYTES, busy):
            return False
        self._writer.close("the recording goes on in the next file", at)
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
        """Move every file to the next number; the oldest is gone when it is one too many."""
        kept = [self._writer.size_bytes, *self._kept_bytes][: self._keep - 1]
        for age in range(len(kept), 0, -1):
            os.replace(self.path if age == 1 else numbered(self.path, age - 1), numbered(self.path, age))
        self._kept_bytes = kept


def numbered(path: Path, age: int) -> Path:
    """Return where the file before the last one is, counted by `age`."""
    return path.with_name(f"{path.name}.{age}")
