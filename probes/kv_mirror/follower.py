"""Follows the KV events of one rank: what its feed hands out becomes records, and a word on how that goes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from cache_core.events import CacheReset, Namespace, NodeAdded, NodeRemoved, NodeSplit, NodeTiers, Record
from probes.adapter import Batch
from probes.kv.wire import DEVICE
from probes.kv_feed.happenings import Cut, Delivery, FeedState, Gap, Happening, Joined, Repaired, Restarted
from probes.kv_mirror.badge import Badge
from probes.kv_mirror.blocks import LIMIT_BLOCKS
from probes.kv_mirror.pool import pool_of
from probes.kv_mirror.rank import RankMirror
from probes.kv_mirror.tokens import BlockTokens
from probes.kv_mirror.tree import Audience
from probes.kv_mirror.turnover import NO_TURNOVER, Turnover, TurnoverCount
from probes.plural import plural
from probes.snapshot import LinkState, SourceState

READ_NS = 40_000_000
"""How long a poll goes on: what came besides waits for the next one."""

LATE_S = 3.0
"""Who is so far behind what came says so."""

TOLD: frozenset[type] = frozenset({CacheReset, Namespace, NodeAdded, NodeRemoved, NodeSplit, NodeTiers})
"""The records that KV events come to: they tell what is there, and nothing of who asks for it."""

_COMPONENTS = {
    "full_attention": "full",
    "mla_attention": "full",
    "sliding_window": "swa",
    "sliding_window_mla": "swa",
    "mamba": "mamba",
}


class Feed(Protocol):
    """Where happenings come from: a socket or a file. `take` and `close` do not wait."""

    def take(self) -> list[Happening]:
        """Return what is new."""

    def state(self) -> FeedState:
        """Return how the feed is doing."""

    def close(self) -> None:
        """Let go of it."""


class Standing(NamedTuple):
    """How the feed of a rank stands, apart from how far its blocks can be believed; see SourceState."""

    state: LinkState
    message: str
    is_waiting: bool = False


class RankFollower:
    """One rank as a source of records. `facts` is what is known of its server besides."""

    def __init__(
        self,
        feed: Feed,
        name: str,
        facts: Mapping[str, object] = MappingProxyType({}),
        clock: Callable[[], int] = time.perf_counter_ns,
        limit_blocks: int = LIMIT_BLOCKS,
    ) -> None:
        self.rank = RankMirror(limit_blocks, pool_of(facts))
        self._feed = feed
        self._name = name
        self._facts = facts
        self._clock = clock
        self._waiting: deque[Happening] = deque()
        self._seq = 0
        self._has_joined = self._is_read = False
        self._told_at = self._caught_up_at = 0
        self._took = False
        self._turnover = TurnoverCount()
        self._config: Mapping[str, object] = MappingProxyType({})

    @property
    def facts(self) -> Mapping[str, object]:
        """What its server says of itself: engine, version, model, full_slots, ..."""
        return self._facts

    def turn_to(self, feed: Feed, facts: Mapping[str, object]) -> None:
        """Follow another feed: the rank publishes elsewhere now. What was known stays until that feed tells more."""
        self._feed.close()
        self._feed, self._facts = feed, facts
        self._waiting.clear()
        self.rank.pool = pool_of(facts)

    def keep(self, tokens: BlockTokens) -> None:
        """Keep the tokens of its blocks in `tokens`. To be called before the first poll."""
        assert not self._has_joined, f"{self._name=}"
        self.rank.tree.kept = tokens

    def listen(self, audience: Audience) -> None:
        """Let `audience` follow its blocks as well. To be called before the first poll."""
        assert not self._has_joined, f"{self._name=}"
        self.rank.tree.audience = audience

    def poll(self, most_ns: int | None = None) -> Batch:
        """Return the records of what is new. What was known is void where the feed had to join anew.

        It takes no longer than `most_ns`, READ_NS unless told, and reads one happening at least.
        """
        until = time.perf_counter_ns() + (READ_NS if most_ns is None else most_ns)
        if not self._waiting:
            self._waiting.extend(self._feed.take())
            self._took = bool(self._waiting)
        if self._has_joined:
            self._heed(self._feed.state())
        found: list[Record] = []
        resync = False
        while self._waiting:
            happening = self._waiting[0]
            if isinstance(happening, Joined) and self._has_joined:
                if found:  # these belong to the tree that was known before
                    break
                resync = True
            found += self._followed(self._waiting.popleft())
            if time.perf_counter_ns() > until:
                break
        if self._has_joined and not (self._is_read or self._waiting):
            feed = self._feed.state()
            self._is_read = feed.is_connected and not feed.is_catching_up
        first, self._seq = self._seq, self._seq + len(found)
        return Batch(list(enumerate(found, first)), resync)

    def restated(self) -> Iterator[Record]:
        """Yield records that state the tree as it is. Do not poll before the last one was taken."""
        return self.rank.tree.restated()

    def _followed(self, happening: Happening) -> list[Record]:
        if isinstance(happening, Delivery):
            return self._applied(happening)
        if isinstance(happening, Joined):
            self._has_joined, self._is_read = True, False
            first = self._waiting[0] if self._waiting else None
            at = max(self._told_at, first.at if isinstance(first, Delivery) else self._clock())
            self._turnover.begin(self.rank.blocks.places)
            return self.rank.joined(happening.first_seq, at)
        if isinstance(happening, Restarted):
            self._is_read = False
            is_over = bool(self._waiting) and isinstance(self._waiting[0], Joined)
            return self.rank.restarted(self._clock()) if self._has_joined and not is_over else []
        if isinstance(happening, Gap):
            self.rank.lost(happening.first, happening.last, happening.has_come)
        elif isinstance(happening, Repaired):
            self.rank.repaired(happening.batches)
        elif isinstance(happening, Cut):
            self.rank.cut(happening.why)
        return []

    def _applied(self, delivery: Delivery) -> list[Record]:
        """Apply a batch as of when it was published, but never before the one before it."""
        at = self._told_at = max(self._told_at, delivery.at)
        if delivery.is_past:
            self._caught_up_at = self._clock()
        records = self.rank.apply(delivery.seq, delivery.batch, at)
        self._turnover.note(self.rank.blocks.places, at)
        return records

    def _heed(self, feed: FeedState) -> None:
        """Note what a feed says of the batches that come next."""
        if feed.is_contested:
            self.rank.mixed("more than one server seems to publish here, and their batches may be mixed")
        if not feed.is_connected:  # whatever it publishes meanwhile is read later
            self._is_read = False

    @property
    def has_more(self) -> bool:
        """Whether more has come than was read, so that the next poll is due at once."""
        return bool(self._waiting) or (self._took and self._feed.state().waiting > 0)

    @property
    def told_at(self) -> int | None:
        """When the newest batch was published, None where that is not known."""
        return self._told_at if self._told_at and self._feed.state().is_dated else None

    @property
    def is_read(self) -> bool:
        """Whether all that its feed has told is in its blocks: before, they are those of a moment long ago."""
        feed = self._feed.state()
        return (feed.ended and not self._waiting) if feed.is_saved else self._is_read

    def turnover(self, now: int) -> Turnover:
        """Return how fast blocks come and go as of now, as far as that is known."""
        return self._turnover.per_s(now) if self._is_read else NO_TURNOVER

    @property
    def badge(self) -> Badge | None:
        """How far its blocks can be believed, None before there are any to tell of."""
        return self._badge(self._feed.state()) if self._has_joined else None

    def feed_state(self) -> FeedState:
        """Return how its feed is doing."""
        return self._feed.state()

    def state(self) -> SourceState:
        """Return how the rank is doing, and how far it can be believed."""
        feed = self._feed.state()
        badge = self._badge(feed)
        state, message, is_waiting = self._standing(feed)
        if not message and self._has_joined and badge.word != "complete":
            message = f"{badge.word}{self._since(badge.since)}: {badge.why}"
        return SourceState(
            name=self._name,
            state=state,
            message=message,
            dropped_records=feed.missing,
            config=self._configured(),
            tree_known=self._has_joined and badge.word != "unsure",
            is_waiting=is_waiting,
        )

    def standing(self) -> Standing:
        """Return how its feed stands."""
        return self._standing(self._feed.state())

    @property
    def is_awaited(self) -> bool:
        """Whether nothing whole came of it yet, and nothing failed: a file is whole at its end."""
        feed = self._feed.state()
        if feed.ended or feed.is_saved:
            return bool(self._waiting) or not (feed.ended or feed.message)
        is_read = feed.is_silent or (self._has_joined and not feed.is_catching_up)
        return not feed.message and (bool(self._waiting) or not is_read)

    @property
    def is_catching_up(self) -> bool:
        """Whether its past is being read, or asked for."""
        return self._is_catching_up(self._feed.state())

    def close(self) -> None:
        """Let go of the feed."""
        self._feed.close()

    def _standing(self, feed: FeedState) -> Standing:
        if feed.ended and not self._waiting:
            if feed.is_saved:
                return Standing("ended", feed.message or "at the end")
            return Standing("lost", feed.message or "closed")
        if feed.is_saved:
            return Standing("starting", feed.message or "reading", not feed.message)
        if self._has_joined:
            return Standing("live" if feed.is_connected else "stale", feed.message or self._lateness(feed))
        if feed.is_connected and not feed.message:
            is_unread = bool(self._waiting) or feed.is_catching_up
            return Standing("live", f"connected, {'not read' if is_unread else 'nothing was published'} yet")
        return Standing("starting", feed.message or "connecting", not feed.message)

    def _lateness(self, feed: FeedState) -> str:
        """Say how far behind what came it is, "" where that is no matter.

        What comes while the past is read is late, too, and soon made up for: that is no server that tells too much.
        """
        now = self._clock()
        first = next((one for one in self._waiting if isinstance(one, Delivery)), None)
        since = min(now - round(feed.behind_s * 1e9), now if first is None else first.received_at)
        is_past = first is not None and first.is_past
        if not is_past and now - max(since, self._caught_up_at) >= LATE_S * 1e9:
            return f"{(now - since) / 1e9:.0f} s behind: events come faster than they can be read"
        batches = len(self._waiting) + feed.waiting
        if not batches or not self._is_catching_up(feed):
            return ""
        return f"reading what it told before: {plural(batches, 'batch', 'batches')} to go"

    def _is_catching_up(self, feed: FeedState) -> bool:
        return not self._is_read and feed.is_connected and (feed.is_catching_up or bool(self._waiting))

    def _badge(self, feed: FeedState) -> Badge:
        """Return the badge of what is known, which is little before the past was read."""
        badge = self.rank.badge
        is_late = self._is_catching_up(feed) and not feed.is_saved and badge.word in ("complete", "repaired")
        return Badge("partial", why="what it told before is being read") if is_late else badge

    def _since(self, at: int | None) -> str:
        return "" if at is None else f" since {max(0, self._clock() - at) / 1e9:.0f} s"

    def _configured(self) -> Mapping[str, object]:
        """Return what is known of the cache; the same object while nothing changes."""
        config = {
            "target": "attached",
            "began_empty": False,
            **self._facts,
            "components": self._components(),
            "host_slots": any(place.tier != DEVICE for place in self.rank.blocks.places),
            **({"page_size": self.rank.tree.block_tokens} if self.rank.tree.block_tokens else {}),
        }
        if config != self._config:
            self._config = MappingProxyType(config)
        return self._config

    def _components(self) -> tuple[str, ...]:
        """Return the names of the groups, by the numbers that records have for them."""
        kinds = {place.group: place.kind for place in self.rank.blocks.places if place.kind}
        names: list[str] = []
        for group in self.rank.tree.groups or (0,):
            name = _COMPONENTS.get(kinds.get(group, "full_attention") or "", "other")
            names.append(f"{name} {group}" if name in names else name)
        return tuple(names)
