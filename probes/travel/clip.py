"""A part of footage as a recording of its own, in a file without a name: for another process to read."""

from __future__ import annotations

import tempfile
from collections.abc import Callable

from probes.block_stream import write_all
from probes.errors import RecordingError
from probes.recordings.header import encode_header
from probes.travel.footage import Footage


class Clip:
    """What is kept of a run up to a time, copied a slice at a time; the file goes with `close`.

    It begins where the run does, or with the earliest snapshot of the tree that is kept. Raises OSError where there
    is no room for it.
    """

    def __init__(self, footage: Footage, until: int) -> None:
        place = None if footage.has_start else next(iter(footage.places()), None)
        self._footage = footage
        self._until = until
        self._reader = footage.reader()
        self._reader.rewind(None if place is None else place.offset)
        self._file = tempfile.TemporaryFile(prefix="radixtop-clip-", buffering=0)  # noqa: SIM115 - see close
        write_all(self.descriptor, encode_header(footage.config))

    @property
    def descriptor(self) -> int:
        """The file, for a process that gets it."""
        return self._file.fileno()

    def copy(self, may_go_on: Callable[[], bool]) -> bool:
        """Copy as long as one may, and say whether all of it is there. Raises RecordingError for what is gone."""
        while may_go_on():
            raw = self._reader.next_raw()
            if raw is None and not self._footage.is_kept(self._reader.offset):
                raise RecordingError(
                    "what is kept was written over while it was read", "watch with a larger --history"
                )
            if raw is None or raw.head.flushed_at > self._until:
                return True
            write_all(self.descriptor, raw.raw)
        return False

    def close(self) -> None:
        """Give the room back."""
        self._file.close()
