"""The state of the naive model: trees by namespace, counted pools, recency lists, one clock.

Slots are counted, never named: which slot holds a position is checked elsewhere, against what was written to it.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from tests.support.naive_results import NaiveConfig, NaiveTransfer
from tests.support.naive_tree import Namespace, Node, Tokens, Units, below, child_for, cut

Fate = tuple[str, int, Units]
"""What became of a node: a word, where the node starts, and its units."""


class NaiveState:
    """What the operations of the model read and change."""

    def __init__(self, config: NaiveConfig) -> None:
        assert not (config.bigram and config.mamba_slots), "states and bigram keys do not go together"
        self.config = config
        self.page = config.page
        self.window = config.window
        self.mamba = config.mamba_slots > 0
        self.host = config.host_slots > 0
        self.full_alone = self.window is None and not self.mamba
        self.seen: Counter[str] = Counter()  # what happened, for tests that must know what they covered
        self.fates: list[Fate] = []  # what evictions did to nodes, in order
        self.failing = ""  # the pool whose next allocation fails though it has slots
        self.clear()

    def clear(self) -> None:
        """Forget every node and give every slot back."""
        self.roots: dict[Namespace, Node] = {}
        self.swa_list: list[Node] = []  # nodes with a window on the device, least recent first
        self.swa_host_list: list[Node] = []  # with a window on the host only
        self.state_list: list[Node] = []
        self.state_host_list: list[Node] = []
        self.transfers: list[NaiveTransfer] = []  # not completed
        self.queue: list[NaiveTransfer] = []  # not taken
        config = self.config
        self.full_free, self.swa_free, self.state_free = config.full_slots, config.swa_slots, config.mamba_slots
        self.host_free, self.swa_host_free = config.host_slots, config.swa_host_slots
        self.state_host_free = config.mamba_host_slots
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

    def units(self, tokens: Tokens) -> Units:
        """What the tree makes of tokens: n of them are n units, or with bigram keys the n - 1 neighbours."""
        return tuple(pairwise(tokens)) if self.config.bigram else tokens

    def unit_count(self, tokens: int) -> int:
        """How many units so many tokens are."""
        return max(0, tokens - 1) if self.config.bigram else tokens

    # ---- reading the tree

    def nodes(self) -> list[Node]:
        """Every node of every namespace, parents first."""
        return [node for root in self.roots.values() for node in below(root)]

    def root_of(self, ns: Namespace) -> Node:
        """Return the root of `ns`, made on first use."""
        return self.roots.setdefault(ns, Node(tokens=(), parent=None, live=True))

    def pool_tokens(self) -> tuple[int, int, int, int]:
        """Full evictable, Full protected, SWA evictable, SWA protected: summed over the nodes."""
        nodes = [node for node in self.nodes() if node.full]
        live = [node for node in self.nodes() if node.live and self.window is not None]
        return (
            sum(len(node) for node in nodes if not node.full_lock),
            sum(len(node) for node in nodes if node.full_lock),
            sum(len(node) for node in live if not node.swa_lock),
            sum(len(node) for node in live if node.swa_lock),
        )

    def pool_states(self) -> tuple[int, int]:
        """States in the tree that nobody holds, and that somebody does."""
        nodes = [node for node in self.nodes() if node.state]
        return sum(not node.state_lock for node in nodes), sum(node.state_lock > 0 for node in nodes)

    def is_pending(self, node: Node) -> bool:
        """Say whether a copy of `node` to the host is under way."""
        return any(node in transfer.nodes for transfer in self.transfers if transfer.direction == "backup")

    # ---- cutting

    def split(self, node: Node, at: int) -> Node:
        """Cut `node` and return the upper part, least recent neighbour of the lower one in the recency lists.

        A copy under way that covers `node` covers both parts.
        """
        upper = cut(node, at)
        self.seen["split under lock" if node.full_lock else "split"] += 1
        for nodes in (self.swa_list, self.swa_host_list, *(transfer.nodes for transfer in self.transfers)):
            if node in nodes:
                nodes.insert(nodes.index(node), upper)
        self.seen["split of a pending node"] += self.is_pending(node)
        self.seen["split on the host"] += not node.full
        if self.config.split_recency == "reference":
            upper.access = self.now()
            if self.full_alone:
                upper.created = upper.access
            else:
                node.access = self.now()
        return upper

    def step(self, node: Node, rest: Units, stamp: int | None) -> tuple[Node, bool] | None:
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

    # ---- recency

    def refresh(self, node: Node) -> None:
        """Renew what a match or an insert that ends on `node` relies on: its window and a page, and its state."""
        if self.window is not None:
            self.refresh_window(node)
        for has, order in ((node.state, self.state_list), (node.host_state and not node.state, self.state_host_list)):
            if has:
                order.remove(node)
                order.append(node)

    def refresh_window(self, node: Node) -> None:
        """Move the nodes of the last window and page before `node`'s end to the recent ends of their SWA lists."""
        assert self.window is not None
        reached, covered = [], 0
        for on_path in node.path:
            if covered >= self.window + self.page:
                break
            reached.append(on_path)
            covered += len(on_path)
        for on_path in reversed(reached):
            for order in (self.swa_list, self.swa_host_list):
                if on_path in order:
                    order.remove(on_path)
                    order.append(on_path)

    def rank(self, node: Node) -> tuple[int, ...]:
        """The order in which leaves die; the smallest goes first."""
        given = dict(self.config.policy_options)
        again = node.high_water - (node.end - len(node)) + given.get("next_prompt_tokens", 256)
        return {
            "lru": (node.access,),
            "mru": (-node.access,),
            "fifo": (node.created,),
            "filo": (-node.created,),
            "lfu": (node.hits, node.access),
            "slru": (1 if node.hits >= given.get("threshold", 2) else 0, node.access),
            "priority": (node.priority, node.access),
            "tlru": (-1 if again <= given.get("threshold_tokens", 2048) else 0, node.access),
        }[self.config.policy]

    def note(self, fate: str, node: Node) -> None:
        """Take note of what becomes of a node."""
        self.fates.append((fate, node.end - len(node), node.tokens))

    # ---- what a node has on the device

    def add_window(self, node: Node) -> None:
        """Give `node` window data on the device, most recently used."""
        assert not node.live
        node.live = True
        self.swa_list.append(node)
        if node in self.swa_host_list:
            self.swa_host_list.remove(node)

    def drop_window(self, node: Node) -> None:
        """Free the window data of `node`; a copy on the host stays."""
        node.live = False
        self.swa_list.remove(node)
        self.swa_free += len(node)
        if node.host_live:
            self.swa_host_list.append(node)

    def add_state(self, node: Node) -> None:
        """Give `node` a state on the device, most recently used."""
        assert not node.state
        node.state = True
        self.state_list.append(node)
        if node in self.state_host_list:
            self.state_host_list.remove(node)

    def drop_state(self, node: Node) -> None:
        """Free the state of `node`; a copy on the host stays."""
        node.state = False
        self.state_list.remove(node)
        self.state_free += 1
        if node.host_state:
            self.state_host_list.append(node)
