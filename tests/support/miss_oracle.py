"""What each prompt of a random run was missed for, worked out by a model that forgets nothing.

It knows every path that ever was in the tree, page by page: it reads the tree itself after each step of the run. Only
how far a request's match came, and what was there already when it stored its prompt, is taken from the run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from cache_core import Request
from cache_core.event_codec import decode
from cache_core.events import Insert, RawRecord, Record
from probes.adapters.embedded import EmbeddedAdapter
from probes.lives.misses import Rounding
from tests.support.returning_runs import ReturningRun

Unit = bytes
Path = tuple[int, bytes]
"""A namespace, and the units from the root on."""


class Tee:
    """A sink that keeps what one step tells and hands it on."""

    def __init__(self, adapter: EmbeddedAdapter) -> None:
        self.records: list[RawRecord] = []
        self.told: list[Record | None] = []
        self._adapter = adapter

    def flush(self) -> None:
        """Hand on."""
        self.told += [decode(raw[0] & 0xFFFF, raw[1:]) for raw in self.records]
        self._adapter.records += self.records
        self.records.clear()
        self._adapter.flush()


@dataclass
class Fate:
    """A request: its first stay's key and what it found, how much is decided, and what of."""

    first: Request
    full: int
    covered: int
    lost: Counter[str] = field(default_factory=Counter)
    stays: list[Request] = field(default_factory=list)
    new_as: str = ""
    parts_ways: bool | None = None


class MissOracle:
    """Follows a run step by step."""

    def __init__(self, run: ReturningRun, tee: Tee, rounding: Rounding) -> None:
        self._run, self._tee, self._rounding = run, tee, rounding
        self._ever: set[Path] = set()
        self._next: dict[Path, set[bytes]] = defaultdict(set)
        self.fates: dict[int, Fate] = {}

    def step(self) -> None:
        """Let the run do one thing and judge it by what was known before."""
        known = {id(request) for request in self._run.admitted}
        self._run.step()
        self._run.cache.emit_pools()
        self._tee.flush()
        for request in self._run.admitted:
            if id(request) not in known:
                self._admitted(request)
        for record in self._tee.told:
            if isinstance(record, Insert) and record.request in self.fates:
                self._inserted(self.fates[record.request], record)
        self._tee.told.clear()
        self._look()

    def again(self, fate: Fate) -> int:
        """Return how much of what it had in one stay a request computed in a later one."""
        again = reached = 0
        for stay in fate.stays:
            again += max(0, min(stay.length, reached) - stay.hit_tokens)
            reached = max(reached, stay.length)
        return again

    def _admitted(self, request: Request) -> None:
        full = request.full_hit_tokens
        fate = self.fates.get(request.request_id)
        if fate is None:
            fate = self.fates[request.request_id] = Fate(request, full, full)
        else:
            found = min(full, self._ceiling(fate))
            if found > fate.covered:
                fate.lost["in_flight"] += found - fate.covered
                fate.covered, fate.new_as, fate.parts_ways = found, "", None
        fate.stays.append(request)

    def _ceiling(self, fate: Fate) -> int:
        return self._rounding.ceiling(len(fate.first.key))

    def _inserted(self, fate: Fate, record: Insert) -> None:
        until = min(record.key_tokens, self._ceiling(fate))
        while fate.covered < until:
            at, present = fate.covered, min(record.present_tokens, until)
            miss, tokens = ("in_flight", present - at) if at < present else self._judge(fate, at, until)
            fate.lost[miss] += tokens
            fate.covered += tokens
            fate.new_as = miss if miss in ("first_seen", "diverged") else "" if miss == "in_flight" else fate.new_as
            fate.parts_ways = None if miss == "in_flight" else fate.parts_ways

    def _judge(self, fate: Fate, at: int, until: int) -> tuple[str, int]:
        """Return why tokens from a position on are missed, and how many of them."""
        page, unit = self._rounding.page_tokens, self._run.cache.unit_bytes
        key, space = fate.first.key, fate.first.key.namespace.id
        units = self._run.cache.units_of(key)
        whole = at - at % page
        end = space, units[: (whole + page) * unit]
        rest = min(until, whole + page) - at
        if fate.new_as:
            return fate.new_as, rest
        if end in self._ever:
            return "evicted", rest
        agreed = self._agreed(space, units, whole)
        if fate.parts_ways is None:
            others = self._next[space, units[: whole * unit]] - {units[whole * unit : (whole + page) * unit]}
            fate.parts_ways = bool(whole + agreed and others)
        if whole + agreed > at:
            return ("page_rounding" if whole else "below_page"), min(until, whole + agreed) - at
        if any((other, end[1]) in self._ever for other in self._spaces() if other != space):
            return "other_namespace", rest
        return ("diverged" if fate.parts_ways else "first_seen"), rest

    def _agreed(self, space: int, units: bytes, at: int) -> int:
        """Return how many tokens of the page at a position are in pages that were there at some time."""
        page, unit = self._rounding.page_tokens, self._run.cache.unit_bytes
        beside = self._next[space, units[: at * unit]]
        return max((_agreed(units[at * unit : (at + page) * unit], other, unit) for other in beside), default=0)

    def _spaces(self) -> set[int]:
        return {space for space, _ in self._ever}

    def _look(self) -> None:
        cache = self._run.cache
        paths = {cache.tree.root.id: b""}
        size = cache.page * cache.unit_bytes
        for node in cache.tree.descend():
            assert node.parent is not None
            above = paths[node.parent.id]
            path = paths[node.id] = above + node.edge
            for begin in range(len(above), len(path), size):
                end = (node.namespace.id, path[: begin + size])
                self._ever.add(end)
                self._next[node.namespace.id, path[:begin]].add(path[begin : begin + size])


def _agreed(wanted: bytes, other: bytes, unit: int) -> int:
    units = 0
    while units * unit < len(wanted) and wanted[: (units + 1) * unit] == other[: (units + 1) * unit]:
        units += 1
    return units
