"""What a recording is asked for, and where it goes."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from probes.recordings.file_reel import numbered
from probes.recordings.writer import unwritable
from radixtop.errors import UsageError
from radixtop.recording.trigger_watch import TriggerOrder

HELD_BYTES = 256_000_000
"""How large the file of a trigger may get unless told; half of it may be held in memory before."""


@dataclass(frozen=True, slots=True)
class RecordingOptions:
    """What `radixtop record` was told; a `path` of None is named after the process and the time."""

    path: Path | None = None
    force: bool = False
    duration_s: float | None = None
    max_bytes: int | None = None
    keep: int = 2
    triggers: tuple[TriggerOrder, ...] = ()
    keep_s: float = 30.0
    after_s: float = 10.0
    again: bool = False
    as_json: bool = False

    def path_for(self, pid: int) -> Path:
        """Return where the recording of a process goes."""
        return self.path or Path(time.strftime(f"radixtop-{pid}-%Y%m%d-%H%M%S.rtrec"))

    def check_path(self) -> None:
        """Raise UsageError for a file that is there, RecordingError for one that cannot be written."""
        path = self.path_for(0)
        names = [path]
        if self.max_bytes is not None and not self.triggers:
            names += [numbered(path, age) for age in range(1, self.keep)]
        if self.again:
            names = [path_of_firing(path, 1)]
        for name in names:
            _check(name, self.force)


def path_of_firing(path: Path, number: int) -> Path:
    """Return the name of the file of one trigger among several: run.rtrec, run-1.rtrec, run-2.rtrec."""
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _check(path: Path, force: bool) -> None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        _try_out(path, os.O_CREAT | os.O_EXCL)
        path.unlink()
        return
    except OSError as error:
        raise unwritable(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{path} is no regular file", "choose another name for --output")
    if not force:
        raise UsageError(f"{path} is there already", "choose another name, or write over it with --force")
    _try_out(path, 0)


def _try_out(path: Path, flags: int) -> None:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC | flags, 0o600))
    except OSError as error:
        raise unwritable(path, error) from error
