"""A recording as footage: every moment of the file can be gone to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from probes.block_reader import BlockReader
from probes.blocks import SNAPSHOT_BEGIN
from probes.recordings.outline import Outline, block_at, outline
from probes.recordings.recording import RecordingReader
from probes.recordings.tally import SnapshotPlace
from probes.travel.footage import Footage, Point


class FileFootage(Footage):
    """A file that `record` or `--record` made. Raises RecordingError when it cannot be read.

    What it amounts to is looked up when that is first asked for; of a file that was not closed in order, this reads
    the headers of its blocks.
    """

    has_start = True

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.path = path
        self._reader = RecordingReader(path)
        self._places: list[SnapshotPlace] | None = None
        first = next(self._reader.heads(), None)
        self._first_at = 0 if first is None else first[1].flushed_at

    @property
    def config(self) -> Mapping[str, object]:
        """See Footage."""
        return self._reader.config

    @property
    def start(self) -> int:
        """See Footage."""
        return self._first_at

    @property
    def end(self) -> int:
        """See Footage."""
        return max(self._outline.totals.last_at, self.start)

    @property
    def size_bytes(self) -> int:
        """How long the file is now."""
        return self._reader.size_bytes

    def places(self) -> Sequence[SnapshotPlace]:
        """See Footage."""
        if self._places is None:
            self._places = list(self._outline.places)
        return self._places

    def reader(self) -> BlockReader:
        """See Footage."""
        return self._reader.beside()

    def holds(self, place: SnapshotPlace) -> bool:
        """See Footage: an index may lie. What it lied about once is not looked at again."""
        block = block_at(self._reader, place.offset)
        if block is not None and (block.kind, block.first_seq) == (SNAPSHOT_BEGIN, place.seq):
            return True
        self._places = [other for other in self.places() if other != place]
        return False

    def ending(self, reader: BlockReader) -> str:
        """See Footage."""
        assert isinstance(reader, RecordingReader)
        return reader.ending or reader.closed_reason or ""

    def extent(self) -> tuple[Point, Point]:
        """See Footage."""
        return (self.start, self._reader.header.size), (self.end, self.size_bytes)

    def close(self) -> None:
        """Close the file for whoever looks it up here; readers of their own have their own."""
        self._reader.close()

    @cached_property
    def _outline(self) -> Outline:
        return outline(self._reader)
