"""A recording as a stream of records: what analyses and exports read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import inf
from pathlib import Path
from types import TracebackType

from cache_core.events import CacheReset, Record
from probes.recordings.missing import Missing
from probes.recordings.playback import Playback
from probes.recordings.recording import RecordingReader, nothing_but_damage
from probes.recordings.unpack import Unpacker
from probes.snapshot import component_names


class Recording:
    """An open recording file. Blocks are read one at a time, so that its size does not matter.

    It is read as far as it went when it was opened, though a process may still record to it, and up to the last
    block that was flushed at `until` (ns, on its clock).
    Use it in a `with`. Raises the RecordingError of its reader when the file is no recording that can be read.
    """

    def __init__(self, path: Path | str, until: float = inf) -> None:
        self._until = until
        self._reader = RecordingReader(Path(path), ends_now=True)
        self._playback = Playback(self._reader, Unpacker())

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    @property
    def config(self) -> Mapping[str, object]:
        """What the recording process said about itself: components, page size, workload and more."""
        return self._reader.config

    @property
    def components(self) -> tuple[str, ...]:
        """The names of the cache's components, in the order of their numbers."""
        return component_names(self.config)

    @property
    def title(self) -> str:
        """What was recorded, in a word: the workload, else the target."""
        return str(self.config.get("workload") or self.config.get("target") or "")

    def records(self, kinds: Collection[type[Record]] | None = None) -> Iterator[Record]:
        """Yield every record from the first one on, or those of some kinds, which skips the others unread.

        Each call starts again. Damaged blocks are left out. After a gap the next whole snapshot is read as well: a
        CacheReset of our own comes before it, and NodeAdded records state the tree anew. Raises RecordingError when
        there is nothing but damage.
        """
        playback = self._playback = Playback(self._reader, Unpacker(kinds))
        resets = kinds is None or CacheReset in kinds
        while (piece := playback.next()) is not None and piece.head.flushed_at <= self._until:
            if piece.resync and resets:
                yield CacheReset(piece.head.flushed_at)
            yield from piece.records
        if playback.span_ns is None and self._reader.torn_blocks:
            raise nothing_but_damage(self._reader.path)

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """The times of the first and the last block read so far; None before any was read."""
        return self._playback.span_ns

    @property
    def missing(self) -> Missing:
        """What is missing of the part read so far."""
        return self._playback.missing(self._reader.ending)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is wrong with the part read so far, in one line; nothing of a recording that is whole."""
        line = self.missing.line
        return (line,) if line else ()
