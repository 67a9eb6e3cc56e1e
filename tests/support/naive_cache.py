"""The naive model of the prefix cache: slow, obvious, and the specification.

It follows the rules of `tests/data/oplog/README.md` sentence by sentence, with the switches by which the cache
departs from them. Slots are counted, never named: which slot holds a position is checked elsewhere, against
what was written to it. Requests are in `naive_request.py`.
"""

from __future__ import annotations

from collections import Counter

from tests.support.naive_results import NaiveConfig, NaiveEviction, NaiveHit, NaiveLock
from tests.support.naive_tree import Namespace, Node, Tokens, below, child_for, cut


class NaiveCache:
    """Trees by namespace over two counted pools, with one clock."""

    def __init__(self, config: NaiveConfig) -> None:
        self.config = config
        self.page = config.page
        self.window = config.window
        self.seen: Counter[str] = Counter()  # what happened, for tests that must know what they covered
        self.clear()

    def clear(self) -> None:
        """Forget every node and give every slot back."""
        self.roots: dict[Namespace, Node] = {}
        self.swa_list: list[Node] = []  # least recent first
        self.full_free = self.config.full_slots
        self.swa_free = self.config.swa_slots
        self.clock = 0

    # ---- arithmetic

    def now(self) -> int:
        """Return a tick that was never returned before."""
        self.clock += 1
        return self.clock

    def down(self, tokens: int) -> int:
        """Round to whole pages, towards zero."""
        return tokens // self.page * self.page

    def up(self, tokens: int) -> int:
        """Round to whole pages, upwards."""
        return -(-tokens // self.page) * self.page

    # ---- reading the tree

    def nodes(self) -> list[Node]:
        """Every node of every namespace, parents first."""
        return [node for root in self.roots.values() for node in below(root)]

    def root_of(self, ns: Namespace) -> Node:
        """Return the root of `ns`, made on first use."""
        return self.roots.setdefault(ns, Node(tokens=(), parent=None, live=True))

    def pool_tokens(self) -> tuple[int, int, int, int]:
        """Full evictable, Full protected, SWA evictable, SWA protected: summed over the nodes."""
        nodes = self.nodes()
        live = [node for node in nodes if node.live and self.window is not None]
        return (
            sum(len(node) for node in nodes if not node.full_lock),
            sum(len(node) for node in nodes if node.full_lock),
            sum(len(node) for node in live if not node.swa_lock),
            sum(len(node) for node in live if node.swa_lock),
        )

    # ---- cutting

    def split(self, node: Node, at: int) -> Node:
        """Cut `node` and return the upper part, least recent neighbour of the lower one in the SWA list."""
        upper = cut(node, at)
        self.seen["split under lock" if node.full_lock else "split"] += 1
        if node in self.swa_list:
            self.swa_list.insert(self.swa_list.index(node), upper)
        if self.config.split_recency == "reference":
            upper.access = self.now()
            if self.window is None:
                upper.created = upper.access
            else:
                node.access = self.now()
        return upper

    def step(self, node: Node, rest: Tokens, stamp: int | None) -> tuple[Node, bool] | None:
        """Enter the child that `rest` starts with, cutting it where they part; True says that it was cut.

        The log rules stamp the child before the cut, so that the unmatched tail looks fresh; "keep" stamps
        what was entered and leaves the tail as old as it was.
        """
        found = child_for(node, rest, self.page)
        if found is None:
            return None
        child, shared = found
        old_access = child.access
        if stamp is not None:
            child.access = stamp
        if shared == len(child):
            return child, False
        upper = self.split(child, shared)
        if self.config.split_recency == "keep":
            child.access = old_access
        return upper, True

    # ---- match

    def match(self, tokens: Tokens, ns: Namespace = None) -> NaiveHit:
        """Find how much of `tokens` can be reused, and refresh it."""
        tokens = tokens[: self.down(len(tokens))]
        if not tokens:
            return NaiveHit(0, 0, None, self.root_of(ns))
        return self.match_full(tokens, ns) if self.window is None else self.match_swa(tokens, ns)

    def match_full(self, tokens: Tokens, ns: Namespace) -> NaiveHit:
        """Walk with Full data alone: whatever is there is usable."""
        stamp = self.now()
        node, walked, was_cut = self.root_of(ns), 0, False
        while not was_cut and (entered := self.step(node, tokens[walked:], stamp)):
            node, was_cut = entered
            walked += len(node)
        return NaiveHit(walked, walked, None, node)

    def match_swa(self, tokens: Tokens, ns: Namespace) -> NaiveHit:
        """Walk on past tombstones; usable ends need a window of live tokens before them, or no gap at all."""
        assert self.window is not None
        node, walked, was_cut = self.root_of(ns), 0, False
        best, hit, run = node, 0, float("inf")
        while not was_cut and (entered := self.step(node, tokens[walked:], None)):
            node, was_cut = entered
            walked += len(node)
            run = run + len(node) if node.live else 0
            if run >= self.window:
                best, hit = node, walked
        self.refresh(best)
        stamp = self.now()
        for node_on_path in best.path:
            node_on_path.access = stamp
        branch = walked if walked > hit and self.config.branching else None
        return NaiveHit(hit, walked, branch, best)

    def refresh(self, node: Node) -> None:
        """Move the live nodes of the last window and page before `node`'s end to the recent end of the SWA list."""
        assert self.window is not None
        taken, covered = [], 0
        for on_path in node.path:
            if covered >= self.window + self.page:
                break
            if on_path.live:
                taken.append(on_path)
            covered += len(on_path)
        for on_path in reversed(taken):
            self.swa_list.remove(on_path)
            self.swa_list.append(on_path)

    # ---- insert

    def insert(
        self,
        tokens: Tokens,
        ns: Namespace = None,
        prev: int = 0,
        swa_from: int = 0,
        priority: int = 0,
        count_beyond: int | None = 0,
    ) -> tuple[int, Node]:
        """Give the tree slots for `tokens`; return how many tokens it had already, and the node they end on.

        `prev`: the tree owned that much of the caller's row. `swa_from`: the caller has no SWA slots before it.
        `count_beyond`: nodes ending after this position get a hit; None counts nothing.
        """
        tokens = tokens[: self.down(len(tokens))]
        root = self.root_of(ns)
        if not tokens:
            return 0, root
        root.priority = max(root.priority, priority)
        walk_stamp = self.now()
        node, walked, was_cut = root, 0, False
        while not was_cut and walked < len(tokens):
            stamp = walk_stamp if self.window is None else self.now()
            entered = self.step(node, tokens[walked:], stamp)
            if entered is None:
                break
            node, was_cut = entered
            node.priority = max(node.priority, priority)
            start, walked = walked, walked + len(node)
            self.take_overlap(node, start, prev, swa_from)
            self.count_hit(node, walked, count_beyond)
        present = walked
        if walked < len(tokens):
            node = self.add_leaf(node, tokens[walked:], walked, swa_from, priority)
            self.count_hit(node, len(tokens), count_beyond)
        if self.window is not None:
            self.refresh(node)
        return present, node

    def count_hit(self, node: Node, end: int, count_beyond: int | None) -> None:
        """Add a hit to `node` unless this caller has counted it before."""
        if count_beyond is not None and end > count_beyond:
            node.hits += 1

    def take_overlap(self, node: Node, start: int, prev: int, swa_from: int) -> None:
        """Settle slots that the caller and `node` both have: a tombstone takes the SWA half, the rest is freed."""
        end = start + len(node)
        if end <= prev:
            return
        if self.window is not None and not node.live and swa_from < end:
            recovered_from = max(start, swa_from)
            if recovered_from > start:
                self.split(node, recovered_from - start)
            node.live = True
            self.swa_list.append(node)
            self.seen["recovery under lock" if node.full_lock else "recovery"] += 1
            self.full_free += end - recovered_from
            self.full_free += max(0, recovered_from - max(start, prev))
            return
        first_duplicate = max(start, prev)
        self.full_free += end - first_duplicate
        if self.window is not None:
            self.swa_free += max(0, end - max(first_duplicate, swa_from))

    def add_leaf(self, parent: Node, rest: Tokens, start: int, swa_from: int, priority: int) -> Node:
        """Hang the rest of a key below `parent`; return its last part.

        Before `swa_from` it is a tombstone; the live part ends in a node of at most one window.
        """
        stamp = self.now()
        leaf = Node(tokens=rest, parent=parent, priority=priority, access=stamp, created=stamp)
        parent.children.append(leaf)
        if self.window is None or swa_from >= start + len(rest):
            return leaf
        if swa_from > start:
            self.split(leaf, swa_from - start)
        window_tail = self.up(self.window)
        live_parts = [leaf]
        if len(leaf) > window_tail:
            live_parts.insert(0, self.split(leaf, len(leaf) - window_tail))
        for part in live_parts:
            part.live = True
            self.swa_list.append(part)
        return leaf

    # ---- locks

    def lock(self, node: Node) -> NaiveLock:
        """Hold `node` and everything above it; of the SWA data only the last window."""
        for on_path in node.path:
            on_path.full_lock += 1
        if self.window is None:
            return NaiveLock(node, None)
        covered = 0
        for on_path in node.path:
            on_path.swa_lock += 1
            covered += len(on_path)
            if covered >= self.window:
                on_path.mark = on_path.mark or object()
                return NaiveLock(node, on_path.mark)
        return NaiveLock(node, None)

    def unlock(self, held: NaiveLock) -> None:
        """Undo a lock, less the half that was given back early."""
        if not held.swa_released:
            self.unlock_swa(held)
        for on_path in held.node.path:
            on_path.full_lock -= 1
            assert on_path.full_lock >= 0

    def unlock_swa(self, held: NaiveLock) -> None:
        """Undo the SWA half of a lock: up to and with the marked node, or to the root."""
        if self.window is None:
            return
        for on_path in held.node.path:
            on_path.swa_lock -= 1
            assert on_path.swa_lock >= 0
            if held.mark is not None and on_path.mark is held.mark:
                return
        assert held.mark is None, "the marked node is gone"

    def release_swa(self, held: NaiveLock) -> bool:
        """Give the SWA half back early; False when there is nothing to give back."""
        if held.mark is None or held.swa_released:
            return False
        self.unlock_swa(held)
        held.swa_released = True
        return True

    # ---- eviction

    def rank(self, node: Node) -> tuple[int, ...]:
        """The order in which leaves die; the smallest goes first."""
        return {
            "lru": (node.access,),
            "mru": (-node.access,),
            "fifo": (node.created,),
            "filo": (-node.created,),
            "lfu": (node.hits, node.access),
            "slru": (1 if node.hits >= 2 else 0, node.access),
            "priority": (node.priority, node.access),
        }[self.config.policy]

    def evict(self, full: int = 0, swa: int = 0) -> NaiveEviction:
        """Delete leaves until `full` tokens are free, then drop SWA data until `swa` tokens are."""
        gone = NaiveEviction()
        while gone.full < full and (victim := self.next_leaf()):
            gone.cascades += victim.live and self.window is not None
            self.delete(victim, gone)
        while self.window is not None and gone.swa < swa and (victim := self.next_window()):
            if not victim.children and not victim.full_lock:
                self.delete(victim, gone)
                gone.cascades += 1
            else:
                self.seen["tombstone"] += 1
                gone.victims += 1
                self.drop_swa(victim, gone)
        return gone

    def next_leaf(self) -> Node | None:
        """The unlocked leaf that the policy gives up first."""
        leaves = [n for n in self.nodes() if not n.children and not n.full_lock and not n.swa_lock]
        assert len({self.rank(leaf) for leaf in leaves}) == len(leaves), "two leaves of one rank"
        return min(leaves, key=self.rank, default=None)

    def next_window(self) -> Node | None:
        """The least recent node whose SWA data nobody holds."""
        return next((node for node in self.swa_list if not node.swa_lock), None)

    def drop_swa(self, node: Node, gone: NaiveEviction) -> None:
        """Free the SWA data of `node`."""
        self.swa_list.remove(node)
        node.live = False
        self.swa_free += len(node)
        gone.swa += len(node)

    def delete(self, node: Node, gone: NaiveEviction) -> None:
        """Remove the leaf `node` with everything it holds."""
        gone.victims += 1
        if node.live and self.window is not None:
            self.drop_swa(node, gone)
        assert node.parent is not None
        node.parent.children.remove(node)
        self.full_free += len(node)
        gone.full += len(node)

    # ---- slots

    def make_room(self, tokens: int) -> NaiveEviction:
        """Evict what is missing for an allocation of `tokens` in each pool."""
        swa_short = tokens - self.swa_free if self.window is not None else 0
        return self.evict(max(0, tokens - self.full_free), max(0, swa_short))

    def take(self, tokens: int) -> bool:
        """Take `tokens` slots of each pool, or none at all."""
        if self.full_free < tokens or (self.window is not None and self.swa_free < tokens):
            return False
        self.full_free -= tokens
        if self.window is not None:
            self.swa_free -= tokens
        return True

    def give_back(self, start: int, end: int, swa_from: int) -> None:
        """Free a row's slots [start, end): the Full side, and the SWA side from `swa_from` on."""
        self.full_free += end - start
        if self.window is not None:
            self.swa_free += max(0, end - max(start, swa_from))
