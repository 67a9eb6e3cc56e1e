"""A random user of everything that a cache offers, and faults to put in its way."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from linecache import getline
from pathlib import Path
from types import FrameType
from typing import Any

import cache_core
from cache_core import CacheConfig, DoubleFreeError, OutOfSlotsError, RadixKey, Transfer
from cache_core.events import EventSink
from cache_core.node import Node
from cache_core.pool import SlotPool
from tests.support.cache_runs import CacheRun

_SOURCES = str(Path(cache_core.__file__).parent)
_ONLOOKERS = ("integrity.py", "view.py", "stats.py")
"""Files that change nothing."""


class InjectedError(Exception):
    """What a test raises in the middle of an operation."""


class FaultRun(CacheRun):
    """A random run with slots and states in the user's hands, and transfers that are completed late or never."""

    def __init__(self, config: CacheConfig, seed: int, kind: str = "prefix", sink: EventSink | None = None) -> None:
        super().__init__(config, sink, seed, kind)
        self.lent: list[array[int]] = []
        self.states: list[int] = []
        self.transfers: list[Transfer] = []
        self.matched: list[Node] = []
        self.refused = 0

    def step(self) -> None:
        """Do one random thing. A refusal for want of slots must have changed nothing that anybody holds."""
        kinds = [self.admit] * 3 + [self.prefill] * 5 + [self.decode] * 2 + [self.finish] * 3 + [self.retract]
        kinds += [self.match, self.lock, self.unlock, self.evict, self.release_window]
        kinds += [self.allocate, self.allocate, self.insert, self.insert, self.free, self.free_window]
        if self.cache.mamba is not None:
            kinds += [self.allocate_state, self.free_state]
        if self.cache.host is not None:
            kinds += [self.load_back, self.take_transfers, self.complete, self.complete, self.evict_host]
        act = self.rng.choice(kinds)
        before = self.held()
        try:
            act()
        except OutOfSlotsError:
            self.refused += 1
            assert act == self.decode or self.held() == before, f"{act.__name__} changed what somebody holds"
            if self.requests and self.rng.random() < 0.5:
                self.requests.pop().retract()

    def held(self) -> list[Any]:
        """Return what requests and callers hold."""
        requests = [
            (r.request_id, r.length, r.protected_tokens, r.row(), list(r.outputs), r.state_slot, r.checkpoint_slot)
            for r in self.requests
        ]
        return [requests, sorted(self.cache.loans.pairs()), sorted(self.cache.state_loans)]

    def decode(self) -> None:
        for request in self.requests:
            if request.length >= len(request.key):
                before = request.length, request.row(), list(request.outputs), request.state_slot
                try:
                    request.decode(self.rng.randint(1, 3))
                except OutOfSlotsError:
                    assert before == (request.length, request.row(), list(request.outputs), request.state_slot)
                    raise

    def match(self) -> None:
        self.matched = [*self.matched[-3:], self.cache.match(self.key()).node]

    def release_window(self) -> None:
        done = [request for request in self.requests if request.length >= len(request.key)]
        if done:
            self.rng.choice(done).release_window()

    def allocate(self) -> None:
        self.lent.append(self.cache.allocate(self.rng.randint(1, 20)))

    def free(self) -> None:
        if self.lent:
            self.cache.free(self.lent.pop())

    def free_window(self) -> None:
        if self.lent:
            self.cache.free_window(self.lent[-1])
            self.cache.free(self.lent.pop())

    def insert(self) -> None:
        """Insert slots of a caller; one in four times with a claim to tokens that the tree may not have."""
        if not self.lent:
            return
        slots, page = self.lent.pop(), self.cache.config.page_size
        key = self.key()
        owned = page if self.rng.random() < 0.25 else 0
        key = RadixKey(key.tokens[: 4 * len(slots)], key.namespace.extra_key)
        state = self.states.pop() if self.states else 0
        end = max(0, len(key) - self.cache.unit_overlap) // page * page
        if not end:
            self.lent.append(slots)
            self.states += [state] if state else []
            return
        try:
            self.cache.insert(key, slots, owned_tokens=min(owned, end), state_slot=state)
            self.cache.free(slots[: min(owned, end)])
        except DoubleFreeError:
            self.lent.append(slots)
            self.states += [state] if state else []
            return
        self.cache.free(slots[end:])

    def allocate_state(self) -> None:
        if len(self.states) < 2:
            self.states.append(self.cache.allocate_state())

    def free_state(self) -> None:
        if self.states:
            self.cache.free_state(self.states.pop())

    def load_back(self) -> None:
        if self.requests:
            self.requests[-1].load_back()

    def take_transfers(self) -> None:
        self.transfers += self.cache.host.take_transfers()

    def complete(self) -> None:
        """Complete a transfer, but no backup of every fourth number: that one never is."""
        due = [t for t in self.transfers if t.id % 4 or t.direction == "load"]
        if due:
            self.transfers.remove(due[0])
            self.cache.host.complete(due[0].id)

    def evict_host(self) -> None:
        self.cache.host.evict(self.rng.randint(0, 9), self.rng.randint(0, 9), self.rng.randint(0, 1))

    def reset(self) -> None:
        """Left to the test."""


class Trap:
    """Counts what happens while it is armed, and raises at one number."""

    def __init__(self, error: type[BaseException] = InjectedError) -> None:
        self.error = error
        self.count = 0
        self.at = 0
        self.armed = False

    @contextmanager
    def set(self, at: int) -> Iterator[None]:
        """Raise at the `at`-th event from now on; at none if that is 0."""
        self.count, self.at, self.armed = 0, at, True
        try:
            yield
        finally:
            self.armed = False

    def spring(self) -> None:
        """Count one event."""
        if self.armed:
            self.count += 1
            if self.count == self.at:
                raise self.error(f"event {self.at}")

    def around(self, call: Callable[..., Any], after: bool) -> Callable[..., Any]:
        """Return a function that does the same and counts, once it is done or before it begins."""

        def trapped(*args: Any, **options: Any) -> Any:
            if not after:
                self.spring()
            result = call(*args, **options)
            if after:
                self.spring()
            return result

        return trapped

    @contextmanager
    def on_lines(self) -> Iterator[None]:
        """Count every line of the cache's code but that of a `try`, at which nothing can be interrupted."""

        def trace(frame: FrameType, event: str, _: object) -> Any:
            name = frame.f_code.co_filename
            if not name.startswith(_SOURCES) or name.endswith(_ONLOOKERS):
                return None
            if event == "line" and not _is_try(name, frame.f_lineno):
                self.spring()
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            yield
        finally:
            sys.settrace(before)


@cache
def _is_try(name: str, line: int) -> bool:
    return getline(name, line).strip() == "try:"


def fail_every(pool: SlotPool, number: int) -> None:
    """Let every `number`-th allocation of a pool fail, whatever it has."""
    asked = 0

    def take(self: SlotPool, slots: int) -> array[int]:
        nonlocal asked
        asked += bool(slots)
        if slots and asked % number == 0:
            raise OutOfSlotsError(f"{self.name} pool: failed on purpose")
        return SlotPool.take(self, slots)

    pool.__class__ = type("FailingPool", (SlotPool,), {"__slots__": (), "take": take})
