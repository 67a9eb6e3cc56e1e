"""Holds the last seconds of a stream until something happens, then writes them and what follows to a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from probes.recordings.backlog import Backlog
from probes.recordings.file_reel import TAIL_BYTES, FileReel
from probes.recordings.reel import Reel


class TriggeredReel(Reel):
    """A backlog until `record_to`, a file until `finish`, then a backlog again.

    A file takes `limit_bytes`, of which the backlog may be half.
    """

    def __init__(self, keep_ns: int, limit_bytes: int) -> None:
        super().__init__()
        self.files: list[Path] = []
        self._keep_ns = keep_ns
        self._limit_bytes = limit_bytes
        self._backlog = Backlog(keep_ns, limit_bytes // 2)
        self._file: FileReel | None = None
        self._written_bytes = 0
        self._starts_anew = False
        self._reason = ""

    @property
    def size_bytes(self) -> int:
        """The bytes written to files so far."""
        return self._written_bytes + (0 if self._file is None else self._file.size_bytes)

    @property
    def held_bytes(self) -> int:
        """The bytes held in memory."""
        return self._backlog.size_bytes

    @property
    def is_recording(self) -> bool:
        """Whether blocks go to a file."""
        return self._file is not None

    def record_to(self, path: Path, config: Mapping[str, object], reason: str) -> None:
        """Make a file of what is held, and let what comes follow; at its limit it ends with `reason`.

        Raises RecordingError when it cannot be written.
        """
        self._file = FileReel(path, config)
        self._reason = reason
        self.files.append(path)
        for raw in self._backlog.blocks():
            self.put(raw)
        self._backlog.close("", 0)

    def finish(self, now: int) -> None:
        """Close the file, if there is one, and hold what comes; the tree is stated first."""
        if self._file is not None:
            self._file.close(self._reason, now)
            self.fault = self.fault or self._file.fault
            self._written_bytes += self._file.size_bytes
            self._file = None
            self._backlog = Backlog(self._keep_ns, self._limit_bytes // 2)
            self._starts_anew = True

    def turn(self, size: int, at: int, busy: bool) -> bool:
        """See Reel."""
        if self._file is not None and self._file.size_bytes + size + TAIL_BYTES <= self._limit_bytes:
            return False
        self.finish(at)
        starts_anew, self._starts_anew = self._starts_anew, False
        return self._backlog.turn(size, at, busy) or starts_anew

    def put(self, raw: bytes) -> None:
        """See Reel."""
        if self._file is None:
            self._backlog.put(raw)
            return
        before = self._file.records
        self._file.put(raw)
        self.fault = self.fault or self._file.fault
        self.records += self._file.records - before

    def close(self, reason: str, now: int) -> None:
        """See Reel."""
        self.finish(now)
        self._backlog.close(reason, now)
