"""The host tier: copies of nodes in host memory, so that what leaves the device can be loaded back.

A node may be on the device, on the host, or on both. It counts as copied from the moment the transfer is queued; who
owns the memory makes the copies, in order (`take_transfers`), and says when each is done (`complete`), or that
it cannot be made (`abandon`). Three policies say when one is queued: after the first insert that uses a node, after
the second, or when it is evicted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from cache_core.checks import checked_count, not_owned
from cache_core.emission import Asked, emit_changes, emit_match
from cache_core.errors import LockError, StaleNodeError
from cache_core.fault import guarded
from cache_core.host.abandon import abandon
from cache_core.host.announce import Announcements
from cache_core.host.backup import back_up, save
from cache_core.host.copies import Copies
from cache_core.host.flights import Flights
from cache_core.host.load import load
from cache_core.host.match import deepest_resident, match_quietly, match_tiers, walk_on
from cache_core.host.node import TieredNode, below, make, split_on_host
from cache_core.host.restore import demote, restore_from
from cache_core.host.room import HostRoom
from cache_core.host.transfer import Flight, Transfer
from cache_core.node import Node
from cache_core.results import MatchResult
from cache_core.stats import HostPoolStats

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.insertion import Write
    from cache_core.key import RadixKey
    from cache_core.request import Request

_THRESHOLDS = {"write_through": 1, "write_through_selective": 2}
"""With so many hits a node is copied."""


class HostTier:
    """The second tier of one cache, on the cache's thread.

    `away_nodes` counts the nodes that are on the host alone. Writing back, an evicted leaf is copied while
    `saves_leaves` is set.
    """

    def __init__(self, cache: PrefixCache) -> None:
        self.cache = cache
        config = cache.config
        slots = {"full": config.host_slots, "swa": config.swa_host_slots, "mamba": config.mamba_host_slots}
        self.copies = tuple(Copies(component, slots[component.name] or 0) for component in cache.components)
        self.threshold = _THRESHOLDS.get(config.write_policy)
        self.writes_back = self.threshold is None
        self.saves_leaves = True
        self.announcements = Announcements(self)
        self.flights = Flights(cache, self.announcements.whole)
        self._divided = sum(1 << component.number for component in cache.components if component.per_token)
        self._make_hooks = (*(component.make for component in cache.auxiliary), self.make)
        self.room = HostRoom(self)
        self.away_nodes = 0
        self._stuck: list[Node] = []

    # -- what whoever owns the memory calls ----------------------------------------------------------------------

    @guarded
    def take_transfers(self) -> list[Transfer]:
        """Hand over the copies to make, in the order in which they must be made, before the next forward."""
        self.cache.require_thread()
        return self.flights.take()

    @guarded
    def complete(self, transfer: int) -> None:
        """Take note that a transfer is done, by its id. Raises LockError, changing nothing, for any other id."""
        self.cache.require_thread()
        self.flights.complete(checked_count("transfer", transfer))

    @guarded
    def abandon(self, transfer: int) -> None:
        """Give up a transfer that was taken and cannot be made; its locks and its host slots are let go of.

        A backup leaves no copy, and nothing on the host that goes on from it. What was to be loaded is on the host
        alone again; requests that hit it must be retracted before (`events.LOAD_FAILED`). Raises LockError, changing
        nothing, for an unknown id and while a request, a receipt or another transfer relies on what it copies.
        """
        self.cache.require_thread()
        abandon(self, self.flights.taken(checked_count("transfer", transfer), "abandoned"))

    @guarded
    def evict(self, full_tokens: int = 0, swa_tokens: int = 0, mamba_states: int = 0) -> None:
        """Drop copies until so much more is free of each kind, as far as transfers allow; Full first."""
        self.cache.require_thread()
        asked = {
            "full": checked_count("full_tokens", full_tokens),
            "swa": checked_count("swa_tokens", swa_tokens),
            "mamba": checked_count("mamba_states", mamba_states),
        }
        for copies in self.copies:
            wanted = min(copies.pool.total, copies.pool.free_slots + asked[copies.component.name])
            if copies.number:
                self.room.for_auxiliary(copies, wanted)
            else:
                self.room.for_full(wanted)
        emit_changes(self.cache)

    def stats(self) -> dict[str, HostPoolStats]:
        """Return the slots of each kind of copies, by the component's name."""
        pools = {copies.component.name: copies.pool for copies in self.copies}
        return {
            name: {"free": pool.free_slots, "used": pool.total - pool.free_slots, "total": pool.total}
            for name, pool in pools.items()
        }

    def copied(self, node: Node) -> tuple[bool, ...]:
        """Say of which components the host has a copy of a node, complete or not."""
        return tuple(slots is not None for slots in cast("TieredNode", node).copies)

    def settled(self, node: Node) -> int:
        """Return a bit for each component of which the host has a whole copy of a node, as far as was told."""
        tiered = cast("TieredNode", node)
        mask = sum(1 << number for number, slots in enumerate(tiered.copies) if slots is not None)
        return mask & ~(self.flights.incomplete(tiered) | self.announcements.waiting(tiered))

    # -- what the cache calls ------------------------------------------------------------------------------------

    @property
    def under_way(self) -> dict[int, Flight]:
        """Transfers that are not complete, by id."""
        return self.flights.flights

    def make(self, node: Node) -> None:
        """Give a new node its fields."""
        make(cast("TieredNode", node), len(self.copies))

    def require_resident(self, node: Node) -> None:
        """Raise StaleNodeError if a node is on the host alone."""
        if node.is_away and node is not self.cache.tree.root:
            raise StaleNodeError(f"node {node.id} is in host memory alone; load it back, or match the key again")

    def require_settled(self) -> None:
        """Raise LockError while a transfer is under way."""
        if self.under_way:
            raise LockError(f"{len(self.under_way)} transfers are under way; complete them before a reset")

    def reset(self) -> None:
        """Forget every copy and every transfer; the tree is empty."""
        self.flights.clear()
        self.announcements.clear()
        for copies in self.copies:
            copies.reset()
        self.room = HostRoom(self)
        self.away_nodes = 0
        self.saves_leaves = True
        self._stuck.clear()

    def nodes(self) -> Iterable[TieredNode]:
        """Return every node, on either tier."""
        return cast("Iterable[TieredNode]", self.cache.tree.descend())

    def match(self, key: RadixKey, limit: int, node: Node, began: int, asked: Asked) -> MatchResult:
        """Go on with a match, which began at time `began`, from `node`: the device's part of the path ends there."""
        cache = self.cache
        reached = walk_on(self, cache.units_of(key), key.namespace, limit, node)
        found = match_tiers(self, reached)
        if cache.sink is not None:
            emit_match(cache, began, asked, reached, found)
        return found

    def walk_on(self, job: Write, node: Node) -> Node:
        """Go on with an insert's walk from `node` over nodes on the host; return where it ends.

        Raises DoubleFreeError when the device does not have what the newcomer says it owns.
        """
        present = deepest_resident(node).end
        if present < job.owned:
            raise not_owned(job.owned, present)
        cache = self.cache
        limit = job.end * cache.unit_bytes
        return walk_on(self, job.units, job.key.namespace, limit, node)

    def restore(self, node: Node, job: Write) -> None:
        """Let a node that is on the host alone take the newcomer's slots."""
        restore_from(self, cast("TieredNode", node), job)

    def inserted(self, node: Node, grew: bool) -> None:
        """Copy what an insert that ended on `node` made worth it; `grew` says that it made a new leaf."""
        cache = self.cache
        if cache.config.split_recency == "reference":
            # Splits on the way stamped what they cut. Inner nodes are ranked here, so a path must have one age.
            cache.touch(node)
            cache.note_touch(node)
        self.refresh(node)
        back_up(self, cast("TieredNode", node), grew)
        emit_changes(self.cache)

    def refresh(self, node: Node) -> None:
        """Renew the lone copies that a match or an insert which ends on `node` relies on."""
        window, mamba = self.cache.window, self.cache.mamba
        tiered = cast("TieredNode", node)
        if window is not None:
            self._refresh_window(tiered, self.copies[window.number])
        if mamba is not None and tiered in self.copies[mamba.number].alone:
            self.copies[mamba.number].alone.renew(tiered)

    def _refresh_window(self, end: TieredNode, copies: Copies) -> None:
        """Renew the lone copies of the last window and a page, that of `end` as the newest."""
        config = self.cache.config
        assert config.window is not None
        left = config.window + config.page_size
        reached: list[TieredNode] = []
        for node in end.upward() if copies.alone else ():
            reached.append(node)
            left -= node.length
            if left <= 0:
                break
        for node in reversed(reached):
            if node in copies.alone:
                copies.alone.renew(node)

    def split(self, lower: Node, length: int) -> Node:
        """Cut the first `length` bytes off a node, with its copies and what holds them."""
        tree = self.cache.tree
        under = cast("TieredNode", lower)
        if lower.is_away:
            upper = split_on_host(tree, under, length, self._make_hooks)
            self.away_nodes += 1
        else:
            upper = cast("TieredNode", tree.split(lower, length))
        for copies in self.copies:
            copies.split(upper, under)
        self.flights.split(upper, under, self._divided)
        self.announcements.split(upper, under, self._divided)
        self.room.cut(upper, under)
        return upper

    def left(self, node: Node, component: int) -> None:
        """Take note that a component's state left the device and the node stays."""
        self.copies[component].left_alone(cast("TieredNode", node))

    def regained(self, node: Node, component: int) -> None:
        """Take note that a component's state is on the device again."""
        self.copies[component].joined(cast("TieredNode", node))

    def load_back(self, request: Request) -> Node | None:
        """Match a request anew and load what the host has beyond its hit; return where the hit ends now.

        Where that is not worth it or there is no room, what others brought to the device meanwhile is a hit all the
        same. None if nothing is gained.
        """
        cache = self.cache
        found = match_quietly(self, request.key, len(request.key) - 1)
        emit_changes(cache)  # of what the match split, before the record of a lock on it
        best = cast("TieredNode", found.best)
        owned = request.protected_tokens
        end: Node = best
        if best.end <= owned or not load(self, best, request):
            end = cache.deepest_usable(deepest_resident(best))
        emit_changes(cache)
        return end if end.end > owned else None

    # -- eviction ------------------------------------------------------------------------------------------------

    def holds_back(self, node: Node) -> bool:
        """Prepare an evictable leaf for its eviction; say whether it must stay.

        Writing back it is copied first. Without room for that it will be deleted, with what is below it on the
        host, unless a transfer reads or writes there: then it stays, and is no victim of this call any more.
        """
        if not self.writes_back or not self.saves_leaves:
            return False
        if node in self._stuck:
            return True
        tiered = cast("TieredNode", node)
        if save(self, tiered):
            return False
        under = below(self.cache.tree, tiered)
        if any(deep.host_lock for deep in under):
            self._stuck.append(node)
            return True
        for deep in reversed(under):
            self.room.drop(deep)
        return False

    def keep(self, node: Node, parent: Node) -> bool:
        """Keep an evicted leaf below `parent` if the host has a copy of it; say whether it has."""
        tiered = cast("TieredNode", node)
        if tiered.copies[0] is None:
            return False
        demote(self, tiered, cast("TieredNode", parent))
        return True

    def release_stuck(self) -> None:
        """Let leaves that had to stay be victims again."""
        for node in self._stuck:
            for component in self.cache.components:
                component.put_back(node)
        self._stuck.clear()
