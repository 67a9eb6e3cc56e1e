"""A cache of an engine and its place in the flight recorder.

Records wait here and are handed over under a lock that nobody waits for: by the engine's thread every FLUSH_RECORDS
or FLUSH_NS, and by a thread of ours while the engine is idle, so that a ring does not look dead.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from cache_core.events import FLUSH_RECORDS, FULL_DETAIL, RawRecord
from probes.inside.structure import Ends, Happened, Structure
from probes.inside.tree_keeper import TreeKeeper
from probes.inside.wrapping import ANYBODY, MOST_FAULTS, Hook, clock
from probes.recorder import FlightRecorder

FLUSH_NS = 50_000_000
"""What waits longer is published with the next call."""

IDLE_S = 0.1
"""How often an idle cache says that it lives."""

WALK_S = 0.004
"""How often it publishes while a reader waits for the tree."""

MOST_WAITING = 1 << 16
"""When nobody can publish, the oldest records are dropped and counted."""

TREE_OPERATIONS = ("insert", "evict")
"""Calls that make KV events, which are taken when those are told."""

PoolsOf = Callable[[], Iterable[RawRecord]]


class CacheSeat:
    """See `wrapping.Seat`. Its records are appended with `tell` on the engine's thread alone."""

    def __init__(self, recorder: FlightRecorder, pools: PoolsOf, pools_every_ns: int = 25_000_000) -> None:
        """Take a recorder, which is then followed, and what reads the pools of the cache on the engine's thread."""
        self.recorder = recorder
        self.thread = ANYBODY
        self.inside: set[str] = set()
        self.telling_ns = 0
        self.detail = FULL_DETAIL
        self.dropped = 0
        self.faults: dict[str, str] = {}
        self.calls: Any = None
        """What tells of this cache's calls: an engine's own."""
        self.tee: Callable[[Iterable[object]], None] | None = None
        """Takes the KV events that the cache hands to its publisher, on the engine's thread; it keeps none."""
        self.keeper: TreeKeeper | None = None
        """Has the tree of the cache, where there is a way to know it."""
        self.names: Callable[[], Iterable[RawRecord]] = tuple
        """Returns the records of the namespaces so far, for a reader that comes late."""
        self.on_blindness: Callable[[], None] | None = None
        """Called when a call that tells of the tree is told no more."""
        self._pools = pools
        self._last_pools: list[RawRecord] = []
        self._pools_every_ns = pools_every_ns
        self._pools_due = 0
        self._flush_due = 0
        self._waiting: deque[RawRecord | Happened | Ends] = deque(maxlen=MOST_WAITING)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._reason = ""
        self._broken = 0
        recorder.follow(self)
        self._idle = threading.Thread(target=self._beat, name="radixtop", daemon=True)
        self._idle.start()

    def tell(self, record: RawRecord | Happened | Ends) -> None:
        """Take a record, or what is one only once the tree is known up to here."""
        if len(self._waiting) == MOST_WAITING:
            self.dropped += 1
        self._waiting.append(record)

    def keep_tree(self, components: int = 1, *, grows: bool = False) -> TreeKeeper:
        """Begin to keep the tree of the cache, which is empty still."""
        structure = Structure(self.recorder.records.append, components, grows=grows)
        self.keeper = TreeKeeper(structure, self.recorder, partial(self.say, "tree"))
        return self.keeper

    def has_no_tree(self, why: str) -> None:
        """Say that nothing is known of the tree, and why."""
        self.recorder.know_tree(False)
        self.say("tree", f"the tree is not known: {why}")

    def let_tree_go(self, why: str) -> None:
        """Keep no tree any more from the next time on that something is published; say why."""
        if self.keeper is not None:
            self.keeper.let_go(why)

    def done(self) -> None:
        """Read the pools and publish, each if it is due. Never raises."""
        now = clock()
        if now >= self._pools_due and not self.inside:  # within another call they may not add up
            self._pools_due = now + self._pools_every_ns
            self._read_pools()
        if len(self._waiting) >= FLUSH_RECORDS or now >= self._flush_due:
            self._flush_due = now + FLUSH_NS
            self.publish()

    def publish(self) -> None:
        """Hand over what waits, unless the other thread is at it. Never raises; gives up after MOST_FAULTS errors."""
        if self._ended.is_set() or not self._lock.acquire(blocking=False):
            return
        try:
            self._settle()
            self.recorder.flush()
        except Exception as error:  # noqa: BLE001 - a full disk must not stop an engine
            self._broken += 1
            if self._broken >= MOST_FAULTS:
                self.close_soon(f"the recorder failed: {type(error).__name__}: {error}")
        finally:
            self._lock.release()

    def _settle(self) -> None:
        """Hand what waits to the recorder, and bring the tree up to it as far as it may take time."""
        waiting, records = self._waiting, self.recorder.records
        if self.keeper is None:
            while waiting:
                records.append(waiting.popleft())  # type: ignore[arg-type]  # nothing else comes without a tree
            return
        if self.dropped:
            self.keeper.let_go("too much happened at once")
        self.keeper.settle(waiting, records)

    def fault(self, hook: Hook, error: BaseException) -> None:
        """Say what failed in the state of the ring, and whether that is told no more."""
        end = "" if hook.is_on else f"; after {hook.faults} errors it is told no more"
        if not hook.is_on and hook.operation in TREE_OPERATIONS and self.on_blindness is not None:
            self.let_tree_go(f"{hook.operation} is told no more")
            self.on_blindness()
        self.say(hook.operation, f"{hook.operation}: {type(error).__name__}: {error}{end}")

    def say(self, topic: str, text: str) -> None:
        """Show a text to the readers of the ring, in place of an earlier one about the same topic."""
        self.faults[topic] = text
        self.recorder.say("; ".join(filter(None, self.faults.values())))

    def close_soon(self, reason: str = "") -> None:
        """Have our own thread end the ring: whoever calls this may be in the middle of anything."""
        self._reason = self._reason or reason
        self._ended.set()

    def close(self, reason: str = "") -> None:
        """Publish what waits, end the ring, and wait for that."""
        self.publish()
        self.close_soon(reason)
        self._idle.join()

    def snapshot_records(self) -> Iterator[RawRecord]:
        """See `probes.recorder.Recorded`."""
        yield from self.names()
        if self.keeper is not None:
            yield from self.keeper.structure.snapshot_records()
        yield from self._last_pools

    def emit_pools(self) -> None:
        """See `probes.recorder.Recorded`: pools are read on the engine's thread, by `done`."""

    def set_detail(self, detail: int) -> None:
        """See `probes.recorder.Recorded`. The tree has an allowance of its own."""
        self.detail = detail

    def _read_pools(self) -> None:
        try:
            self._last_pools = [*self._pools()]
            for record in self._last_pools:
                self.tell(record)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - a Rust core's panic is no Exception
            self._pools = tuple
            self.say("pools", f"the pools are not told: {type(error).__name__}: {error}")

    def _beat(self) -> None:
        while not self._ended.wait(WALK_S if self.recorder.snapshot_pending else IDLE_S):
            self.publish()
        with self._lock:
            self.recorder.close(self._reason)
