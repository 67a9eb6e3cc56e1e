"""A sink that records a cache to a file, with snapshots woven in when a test says so, and files cut into blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from cache_core.events import RawRecord
from probes.blocks import DELTAS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, encode_block, open_block
from probes.recordings.recording import RecordingReader
from probes.recordings.writer import RecordingWriter
from probes.rings.walk import SnapshotSource

FLUSH_NS = 1_000_000
SLICE_RECORDS = 7


class RecordingSink:
    """Writes a block at each flush, `flush_ns` after the one before, and a slice of the snapshot that is on."""

    def __init__(self, path: Path, config: dict[str, object], flush_ns: int = FLUSH_NS, now: int = 0) -> None:
        self.records: list[RawRecord] = []
        self.writer = RecordingWriter(path, config)
        self.now = now
        self._flush_ns = flush_ns
        self._next_seq = 0
        self._walk: Iterator[RawRecord] | None = None

    def flush(self) -> None:
        """Write what waits."""
        self.now += self._flush_ns
        if self.records:
            self._write(DELTAS, self.records)
            self._next_seq += len(self.records)
            self.records.clear()
        if self._walk is not None:
            slice_ = list(islice(self._walk, SLICE_RECORDS))
            self._write(SLICE if slice_ else SNAPSHOT_END, slice_)
            self._walk = self._walk if slice_ else None

    def state(self, source: SnapshotSource) -> None:
        """Begin a snapshot; the next flushes write it."""
        self._walk = source()
        self._write(SNAPSHOT_BEGIN, [])

    def finish(self) -> None:
        """Flush until the snapshot that is on is whole."""
        while self._walk is not None:
            self.flush()

    def _write(self, kind: int, records: list[RawRecord]) -> None:
        self.writer.append(encode_block(open_block(0, self._next_seq, self.now, kind), records))


@dataclass(frozen=True)
class Cut:
    """A recording file cut into its header and its blocks, each with its kind."""

    path: Path
    header: bytes
    blocks: tuple[tuple[int, bytes], ...]

    def rewrite(self, keep: Callable[[int], bool]) -> None:
        """Write the file anew with the blocks whose numbers are to be kept."""
        kept = (block for number, (_, block) in enumerate(self.blocks) if keep(number))
        self.path.write_bytes(self.header + b"".join(kept))

    def numbers(self, kind: int) -> list[int]:
        """Return the numbers of the blocks of one kind."""
        return [number for number, (found, _) in enumerate(self.blocks) if found == kind]


def cut(path: Path) -> Cut:
    """Cut a recording into its blocks."""
    whole = path.read_bytes()
    heads = list(RecordingReader(path).heads())
    blocks = tuple((head.kind, whole[at : at + head.size]) for at, head in heads)
    return Cut(path, whole[: heads[0][0]], blocks)
