"""What a scenario can look at: the tree, the pools, a request, the events, the plan of a schedule."""

from __future__ import annotations

from array import array
from typing import Any

from cache_core import CacheConfig, LockReceipt, PrefixCache, Request
from cache_core.branching import insert_length
from cache_core.host_tier import HostTier
from cache_core.kv_events import KVEvents
from cache_core.node import Node
from tests.support.caches import tokens
from tests.support.observe import free, ledger, locks, rows, shape, walk
from tests.support.queues import named, put_off, queue_of, schedule
from tests.support.script import Line, Said, name_of, runs, told
from tests.support.window_peers import window_peers


class Looks:
    """A cache, and the requests, locks and slots of a script by their names. Each look is a line of a script."""

    def __init__(self, config: CacheConfig) -> None:
        self.cache = PrefixCache(config)
        self.requests: dict[str, Request] = {}
        self.receipts: dict[str, LockReceipt] = {}
        self.slots: dict[str, array[int]] = {}
        self.waiting: dict[str, str] = {}
        self.events: KVEvents | None = None
        self.blocks: dict[int, int] = {}

    @property
    def tier(self) -> HostTier:
        """The host tier."""
        assert self.cache.host is not None, "a cache without host_slots has no host tier"
        return self.cache.host

    def request(self, line: Line) -> Said:
        """C is what the tree owns of a request, E up to where its window slots were given back.

        `checkpoint` is the position whose recurrent state must be stored.
        """
        request = self.requests[line.words[0]]
        return {
            "C": request.protected_tokens,
            "E": request.window_from,
            "row": len(request.row()),
            "branch": request.branching_point,
            "checkpoint": request.checkpoint_due,
        }

    def row(self, line: Line) -> Said:
        """The Full slots of a request by position."""
        return " ".join(map(str, self.requests[line.words[0]].row()))

    def windows(self, line: Line) -> Said:
        """Which positions of a request have window slots, as ranges."""
        live = [position for position, slot in enumerate(self.requests[line.words[0]].swa_row()) if slot]
        return " ".join(f"{start}:{end}" for start, end in runs(live))

    def compare(self, line: Line) -> Said:
        """Whether two holders of slots, by name or on a key's path, have the `same` in a range, or `other` ones."""
        both = [self.holder(name)[line.span] for name in line.words]
        if line.key:
            both.append(self.path(line)[line.span])
        first, second = both
        return "same" if first == second else "mixed" if set(first) & set(second) else "other"

    def keep(self, line: Line) -> Said:
        """Remember under a name which slots are on the path of a key now."""
        self.slots[line.words[0]] = self.path(line)
        return ""

    def peers(self, line: Line) -> Said:
        """The window slot beside each Full slot, 0 for none."""
        beside = window_peers(self.cache)
        return " ".join(str(beside.get(int(slot), 0)) for slot in line.words)

    def shape(self, line: Line) -> Said:
        """The nodes: start+length, S with window, t without."""
        return shape(self.cache)

    def locks(self, line: Line) -> Said:
        """The locks: full/window of each node."""
        return locks(self.cache)

    def free(self, line: Line) -> Said:
        """The free tokens of each pool."""
        return " ".join(map(str, free(self.cache)))

    def pool(self, line: Line) -> Said:
        """One pool in tokens."""
        return ledger(self.cache)[line.words[0]]._asdict()

    def copies(self, line: Line) -> Said:
        """One kind of copies on the host, in tokens."""
        return self.tier.stats()[line.words[0]]

    def reusable(self, line: Line) -> Said:
        """Free and evictable tokens of each pool together."""
        return " ".join(str(pool.free + pool.evictable) for pool in ledger(self.cache).values())

    def root(self, line: Line) -> Said:
        """The root."""
        return {"priority": self.cache.tree.root.priority}

    def hit_counts(self, line: Line) -> Said:
        """The hits of each node."""
        return " ".join(str(row.hits) for row in rows(self.cache))

    def priorities(self, line: Line) -> Said:
        """The priority of each node."""
        return " ".join(str(row.priority) for row in rows(self.cache))

    def insert_length(self, line: Line) -> Said:
        """How much of a request is written back, as pure arithmetic."""
        branch = line.options.get("branch")
        length = insert_length(line.number("n"), line.number("C"), None if branch is None else int(branch))
        return str(length)

    def wait(self, line: Line) -> Said:
        """Let a request wait."""
        self.waiting[line.words[0]] = line.key
        return ""

    def plan(self, line: Line) -> Said:
        """Order those that wait by a schedule; says the order and, behind a bar, who had better wait."""
        plan = schedule(line.words[0], self.cache).plan(queue_of(self.waiting))
        return " ".join((named(plan, self.waiting), "|", *sorted(put_off(plan, self.waiting))))

    def listen(self, line: Line) -> Said:
        """Watch the KV events from now on."""
        self.events = KVEvents(self.cache)
        self.events.take()
        return ""

    def told(self, line: Line) -> Said:
        """The KV events since the last look; blocks are numbered as they come."""
        assert self.events is not None, "listen first"
        return "; ".join(told(event, self.blocks) for event in self.events.take())

    def block(self, line: Line) -> Said:
        """The hash of a block that was told of."""
        return next(str(name) for name, number in self.blocks.items() if str(number) == line.words[0])

    # ---- inside

    def hit_of(self, found: Any) -> Said:
        """Return the figures of a match or of an admission."""
        return {
            "hit": found.hit_tokens,
            "host": found.host_hit_tokens,
            "full": found.full_hit_tokens,
            "branch": found.branching_point,
        }

    def standing(self, pool: str) -> list[str]:
        """Name each node that has state in a pool by the stream of its last token and its start."""
        return [name_of(row) for row in rows(self.cache) if pool == "full" or row.live]

    def holder(self, name: str) -> array[int]:
        """Return the slots of a request or those that a name was given to."""
        return self.requests[name].row() if name in self.requests else self.slots[name]

    def nodes_of(self, line: Line) -> list[Node]:
        """Return the nodes of a key's path from the root, whatever state they have; nothing is touched."""
        wanted, space = tuple(tokens(line.key)), (line.options.get("extra"), line.options.get("salt"))
        return [
            node
            for node, row in walk(self.cache)
            if row.namespace == space and row.start < len(wanted) and row.key[: len(wanted)] == wanted[: len(row.key)]
        ]

    def path(self, line: Line) -> array[int]:
        """Return the Full slots of a key's path."""
        return array("i", [slot for node in self.nodes_of(line) for slot in node.slots()])
