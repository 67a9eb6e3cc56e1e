"""Follows the cache of another process through its ring in shared memory.

A reader that comes late, or is overrun, asks for a snapshot. Its slices are merged with the ring's blocks by
sequence number: records below a slice's number come before it. The side file is read after the ring, so what it
does not show yet is true at a later number than everything the ring has shown; only while known slices are still
unread must the records behind them wait.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from probes.adapter import Adapter, Batch, provided_by
from probes.blocks import Block
from probes.errors import RingError
from probes.rings import ring
from probes.rings.folder import check_folder, default_folder, is_locked, list_rings, owner_of, ring_path, spoken_name
from probes.rings.processes import process_started
from probes.rings.reader import RingReader
from probes.rings.snapshot_reader import Phase, SnapshotReader
from probes.snapshot import LinkState, SourceState

STALE_NS = 2_000_000_000
"""A heartbeat older than this is a writer that hangs: an idle one flushes every 100 ms."""

POLL_BLOCKS = 256
"""A poll takes at most so many blocks of the ring and of a snapshot each."""

_NEVER = 1 << 64


@dataclass(frozen=True, slots=True)
class BlockBatch:
    """The blocks of one poll in stream order: records as they happened, and a snapshot woven in where it is true.

    With `resync`, blocks are missing before the first one: what was known of the tree is void.
    """

    blocks: list[Block] = field(default_factory=list)
    resync: bool = False


class ShmAdapter(Adapter):
    """One reader of the ring of process `pid`. It never disturbs the writer, however slow it is."""

    def __init__(
        self,
        pid: int,
        rank: int = 0,
        *,
        wait: bool = False,
        folder: Path | None = None,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        """Attach to the ring. Without one: raises RingError, or with `wait` stays "starting" until there is one."""
        self._pid = pid
        self._rank = rank
        self._clock = clock
        self._folder = folder or default_folder(owner_of(pid))
        self._reader: RingReader | None = None
        self._snapshots: SnapshotReader | None = None
        self._config: Mapping[str, object] = {}
        self._deltas: deque[Block] = deque()
        self._slices: deque[Block] = deque()
        self._in_step = False
        self._resync = False
        self._fault = ""
        if not self._attach() and not wait:
            raise RingError(self._say_what_is_missing(), self._say_what_is_there())

    def poll(self) -> Batch:
        """Return what is new in the ring and, while a snapshot is on its way, what has come of it."""
        batch = self.poll_blocks()
        return Batch([numbered for block in batch.blocks for numbered in block.records()], batch.resync)

    def poll_blocks(self) -> BlockBatch:
        """Do what `poll` does for a reader that takes whole blocks."""
        if self._reader is None or self._snapshots is None:
            return self.poll_blocks() if self._attach_late() else BlockBatch()
        resync, self._resync = self._resync, False
        if len(self._deltas) < POLL_BLOCKS:
            blocks, gap = self._reader.read(POLL_BLOCKS)
            if gap:
                return BlockBatch(self._start_over(self._snapshots, blocks), resync)
            self._deltas.extend(blocks)
            if blocks and not self._in_step:  # only now does the reader notice when it misses something
                self._snapshots.request()
                self._in_step = True
        slices, more = self._snapshots.read(POLL_BLOCKS)
        self._slices.extend(slices)
        wait_from = self._slices[-1].first_seq if more and self._slices else None
        return BlockBatch(list(self._merge(self._reader.next_seq, wait_from)), resync)

    @property
    def needs_snapshot(self) -> bool:
        """Whether the tree is still to be asked for: not when the stream is followed from its first record on."""
        return not self._in_step

    def ask_again(self) -> None:
        """Ask the writer for a snapshot, in place of one that is on its way."""
        if self._snapshots is not None:
            self._slices.clear()
            self._snapshots.request()
            self._in_step = True

    def state(self) -> SourceState:
        """Return whether the writer lives, and what it or this reader has to say."""
        name = spoken_name(self._pid, self._rank)
        if self._reader is None or self._snapshots is None:
            return self._state_unattached(name)
        header = self._reader.header()
        heartbeat = header.word(ring.HEARTBEAT)
        age_ns = max(self._clock() - heartbeat, 0) if heartbeat > 0 else None
        state, message = self._describe(header.word(ring.ENDED) != 0, header.text(ring.END_REASON), age_ns)
        # Who is overrun again and again never has the whole tree: that is said, and the rest goes on.
        is_out = not self._slices or self._reader.lost_records > 0
        is_told = self._in_step and self._snapshots.phase is Phase.SETTLED and is_out
        if state == "live" and not is_told:
            state, message = "starting", "reading the tree"
        snapshot_fault = header.text(ring.SNAPSHOT_FAULT) if self._snapshots.phase is Phase.FAILED else ""
        texts = (message, header.text(ring.STATE), header.text(ring.RECORDING_FAULT), snapshot_fault)
        said = "; ".join(text for text in texts if text)
        reader = self._reader
        known = not header.word(ring.TREE_UNKNOWN)
        return SourceState(name, state, said, reader.lost_records, reader.torn_blocks, age_ns, self._config, known)

    def close(self) -> None:
        """Let go of the ring; the writer goes on."""
        if self._reader is not None and self._snapshots is not None:
            self._snapshots.close()
            self._reader.close()

    def _attach(self) -> bool:
        path = ring_path(self._folder, self._pid, self._rank)
        if not os.path.lexists(path):
            return False
        check_folder(self._folder, os.geteuid() or os.lstat(self._folder).st_uid)
        self._reader = RingReader(path)
        self._config = self._reader.header().config
        self.provides = provided_by(self._config)
        self._snapshots = SnapshotReader(self._reader, self._pid, self._rank, self._clock)
        self._in_step = self._reader.from_start and self._config.get("began_empty") is not False
        return True

    def _attach_late(self) -> bool:
        """Attach once the ring is there; one that cannot be read is the source's state, not the poll's error."""
        try:
            return not self._fault and self._attach()
        except RingError as error:
            self._fault = str(error)
            return False

    def _start_over(self, snapshots: SnapshotReader, blocks: list[Block]) -> list[Block]:
        """Keep `blocks`, which follow a gap, for the next poll, and return what came before the gap."""
        before = list(self._deltas)
        self._deltas = deque(blocks)
        self._slices.clear()
        self._resync = True
        snapshots.request()
        return before

    def _merge(self, ring_seq: int, wait_from: int | None) -> Iterator[Block]:
        """Take what can be told by now: slices up to `ring_seq`, and blocks of the ring below `wait_from`."""
        deltas, slices = self._deltas, self._slices
        while deltas or slices:
            slice_seq = slices[0].first_seq if slices else _NEVER
            delta_seq = deltas[0].first_seq if deltas else _NEVER
            if slice_seq <= delta_seq:
                if slice_seq > ring_seq:
                    return
                yield slices.popleft()
            else:
                if wait_from is not None and delta_seq >= wait_from:
                    return
                yield deltas.popleft()

    def _state_unattached(self, name: str) -> SourceState:
        if self._fault:
            return SourceState(name, "lost", self._fault)
        if process_started(self._pid) is None:
            return SourceState(name, "lost", f"process {self._pid} ended before it published anything")
        return SourceState(name, "starting", "waiting for its ring")

    def _describe(self, ended: bool, reason: str, age_ns: int | None) -> tuple[LinkState, str]:
        assert self._reader is not None
        if ended:
            return "ended", reason
        if not self._reader.is_writer_alive():
            return "lost", f"process {self._pid} is gone without a word"
        if age_ns is None:
            return "starting", "no record yet"
        if age_ns > STALE_NS:
            return "stale", f"no heartbeat for {age_ns // 1_000_000_000} s"
        return "live", ""

    def _say_what_is_missing(self) -> str:
        if process_started(self._pid) is None:
            return f"there is no process {self._pid}"
        return f"process {self._pid} publishes no cache" + (f" of rank {self._rank}" if self._rank else "")

    def _say_what_is_there(self) -> str:
        found = ", ".join(str(found) for found in list_rings(self._folder) if is_locked(found.path))
        others = f"choose from: {found}" if found else "no process publishes one"
        if process_started(self._pid) is None:
            return f"it has ended, or that is no number of this machine's; {others}"
        return f"call radixtop.attach(cache) in the process that has it; {others}"
