"""A recording as a stream of records: what analyses and exports read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType

from cache_core.events import Record
from probes.recording import RecordingReader
from probes.snapshot import component_names


class Recording:
    """An open recording file. Blocks are read one at a time, so that its size does not matter.

    `span_ns` says when the first and the last block read so far were written. Use it in a `with`. Raises the
    RecordingError of its reader when the file is no recording that can be read.
    """

    def __init__(self, path: Path | str) -> None:
        self._reader = RecordingReader(Path(path))
        self.span_ns: tuple[int, int] | None = None

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

    def records(self) -> Iterator[Record]:
        """Yield every record from the first one on; damaged blocks are left out."""
        for block in self._reader.blocks():
            self.span_ns = (self.span_ns or (block.flushed_at,))[0], block.flushed_at
            for _, record in block.records():
                yield record

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is wrong with the part read so far, one line each: damage, a missing end."""
        torn = self._reader.torn_blocks
        damage = f"{torn:,} damaged block{'s' * (torn > 1)} left out" if torn else ""
        return tuple(remark for remark in (damage, self._reader.ending) if remark)
