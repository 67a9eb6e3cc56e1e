"""Servers and streams as one source: the tree of the rank that is followed, the figures of all.

Every rank is read, so that any can be followed at once: then its tree is told anew.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from cache_core.events import Record
from probes.adapter import Adapter, Batch, Told
from probes.fleet.census import Census
from probes.fleet.figures import FleetFigures, RankName
from probes.fleet.link import Link, Member
from probes.fleet.texts import FleetTexts
from probes.kv_feed.shared_loop import SharedLoop
from probes.kv_mirror.follower import TOLD
from probes.scrapes.figures import EngineFigures
from probes.snapshot import LinkState, SourceState

READ_NS = 80_000_000
"""How long a poll reads on while more waits; half of it is for the rank that is followed."""

LEAST_NS = 2_000_000
"""How long a rank that is not followed may take at least: less is mostly the change from one to another."""

STATED = 20_000
"""Records of a tree told anew that go with one poll."""


class FleetAdapter(Adapter):
    """Polls links; it owns them, and the `loop` that serves their feeds."""

    provides = TOLD | {EngineFigures, FleetFigures}

    def __init__(self, links: Sequence[Link], loop: SharedLoop, texts: FleetTexts | None = None) -> None:
        assert links, f"{links=}"
        self.texts: FleetTexts = texts or FleetTexts()
        self._links = (*links,)
        self._loop = loop
        self._clock = loop.clock
        self._census = Census(self._links, loop.clock)
        self._turn: deque[Member] = deque()
        self._followed: Member | None = None
        self._stating: Iterator[Record] | None = None
        self._is_void = False
        self._held: Batch | None = None
        self._seq = 0
        self._anchor = (self._clock(), time.time_ns())
        self._config: tuple[Mapping[str, object], Mapping[str, object]] | None = None
        self._has_more = False
        self._standings: dict[RankName, LinkState] = {}
        self.is_reaching = True
        """Whether the first answers of links or ranks are awaited still: of their servers, metrics and events."""

    def poll(self) -> Batch:
        """Return what came of the rank that is followed, metrics of all servers, and now and then how all are."""
        began = self._clock()
        scraped = [figures for link in self._links for figures in link.poll()]
        self._enlist()
        told = self._told(began + READ_NS // 2)
        self._read_others(began + READ_NS)
        is_telling = self._stating is not None or self._held is not None
        self._has_more = is_telling or any(member.follower.has_more for member in self._turn)
        if self.is_reaching and not any(link.is_reaching for link in self._links):
            self.is_reaching = False
            self._census.hurry()
        standings = {member.name: member.follower.standing().state for member in self._turn}
        if standings != self._standings:  # nobody is told of a rank as it was when it is gone, or at its end
            self._standings = standings
            self._census.hurry()
        counted = self._census.due(self._clock(), self.followed)
        found: list[Told] = [*(record for _, record in told.records), *scraped, *counted]
        first, self._seq = self._seq, self._seq + len(found)
        return Batch(list(enumerate(found, first)), told.resync)

    @property
    def followed(self) -> RankName | None:
        """The rank whose tree is told, None while there is none."""
        return None if self._followed is None else self._followed.name

    @property
    def is_catching_up(self) -> bool:
        """Whether the past of any rank is being read, or asked for."""
        return any(member.follower.is_catching_up for member in self._turn)

    @property
    def has_failed(self) -> bool:
        """Whether nothing came of any server, and something is wrong with each, if only that it is slow."""
        return all(link.has_failed for link in self._links)

    def follow(self, name: RankName) -> bool:
        """Tell the tree of another rank from the next poll on; say whether there is such a rank."""
        for link in self._links:
            for member in link.members:
                if member.name == name:
                    self._change(member)
                    return True
        return False

    def state(self) -> SourceState:
        """Return how the rank that is followed is doing, and which others are away; its clock is told by date.

        What is saved has a clock of its own, and who reads it ticks by another one until it is at the end.
        """
        state = replace(self._state(), has_more=self._has_more)
        if self._loop.goes_by_date and state.state != "ended":
            return state
        if self._config is None or self._config[0] is not state.config:
            self._config = state.config, MappingProxyType({**state.config, "anchor": self._anchor})
        return replace(state, config=self._config[1])

    def _state(self) -> SourceState:
        if self._followed is None:
            first = self._links[0].state()
            return first if len(self._links) == 1 else replace(first, message=self._census.away())
        state = self._followed.follower.state()
        link = next(link for link in self._links if link.name == self._followed.name.server)
        messages = (
            state.message,
            self._census.away(but=self._followed.name),
            self.texts.message,
            "" if state.message else link.remark(),
        )
        return replace(state, message="; ".join(filter(None, messages)))

    def now(self) -> int:
        """Return the present of the reader's clock, which stamps the records."""
        return self._clock()

    def close(self) -> None:
        """Let go of all servers; nothing is waited for."""
        for link in self._links:
            link.close()
        self.texts.close()
        self._loop.close()

    def _enlist(self) -> None:
        """Take in ranks that were found; the first one is followed until another is chosen."""
        members = [member for link in self._links for member in link.members]
        if len(members) > len(self._turn):
            known = {member.name for member in self._turn}
            new = [member for member in members if member.name not in known]
            self._turn += new
            self.texts.enlist(new)
            if len(members) > 1 or len(self._links) > 1:
                self._census.enlist(new)
        if self._followed is None and self._turn:
            self._followed = self._turn[0]
            self.texts.follow(self._followed.name)

    def _change(self, member: Member) -> None:
        if member is not self._followed:
            self._followed, self._held, self._is_void = member, None, True
            self._stating = member.follower.restated()
            self.texts.follow(member.name)

    def _told(self, until: int) -> Batch:
        """Return records of the rank that is followed, by numbers of its own."""
        if self._followed is None:
            return Batch()
        if self._stating is not None:
            return self._stated(self._stating)
        batch, self._held = self._held or self._followed.follower.poll(), None
        records, resync = [*batch.records], batch.resync
        while batch.records and self._clock() < until:
            batch = self._followed.follower.poll()
            if batch.resync:
                self._held = batch
                break
            records += batch.records
        return Batch(records, resync)

    def _stated(self, stating: Iterator[Record]) -> Batch:
        """Return the next part of a tree that is told anew; its rank is read on when all of it was."""
        batch = Batch([*enumerate(islice(stating, STATED))], self._is_void)
        self._is_void = False
        if len(batch.records) < STATED:
            self._stating = None
        return batch

    def _read_others(self, until: int) -> None:
        """Read the ranks that are not followed, each in its turn and its fair part of the time that there is."""
        for left in range(len(self._turn), 0, -1):
            now = self._clock()
            if now >= until:
                return
            member = self._turn[0]
            self._turn.rotate(-1)
            if member is not self._followed:
                member.follower.poll(max(LEAST_NS, (until - now) // left))
