"""Eviction in the naive model: leaves by policy, windows and states by their own recency, and what the host saves."""

from __future__ import annotations

from tests.support.naive_host import NaiveHost
from tests.support.naive_results import NaiveEviction
from tests.support.naive_tree import Node, below


class NaiveEvicting(NaiveHost):
    """Freeing device slots, and handing them out."""

    def evict(self, full: int = 0, swa: int = 0, states: int = 0) -> NaiveEviction:
        """Evict leaves until `full` tokens are free, then windows until `swa` are, then states until `states` are."""
        gone = NaiveEviction()
        stuck: list[Node] = []  # leaves that can neither be copied to the host nor deleted
        while gone.full < full and (victim := self.next_leaf(stuck)):
            self.evict_leaf(victim, "full", gone, stuck)
        while gone.swa < swa and (victim := self.next_window(stuck)):
            if victim.is_device_leaf:
                self.evict_leaf(victim, "swa", gone, stuck)
            else:
                self.hollow(victim, gone)
        while gone.states < states and (victim := self.next_state(stuck)):
            if victim.is_device_leaf:
                self.evict_leaf(victim, "mamba", gone, stuck)
            else:
                gone.victims += 1
                gone.states += 1
                self.note("mamba tombstoned", victim)
                self.drop_state(victim)
                self.seen["state dropped"] += 1
        return gone

    # ---- victims

    def next_leaf(self, stuck: list[Node]) -> Node | None:
        """The leaf that the policy gives up first."""
        leaves = [n for n in self.nodes() if n.is_device_leaf and n not in stuck]
        assert len({self.rank(leaf) for leaf in leaves}) == len(leaves), "two leaves of one rank"
        return min(leaves, key=self.rank, default=None)

    def next_window(self, stuck: list[Node]) -> Node | None:
        """The least recent node whose window nobody holds; if wanted, first what is in no tail window."""
        free = [node for node in self.swa_list if not node.swa_lock and node not in stuck]
        if self.config.swa_eviction == "tail_window_last":
            free.sort(key=self.in_a_tail_window)
        return free[0] if free else None

    def in_a_tail_window(self, node: Node) -> bool:
        """Say whether the window before an end reaches into `node`: a leaf's end or a fork's, on the device."""
        assert self.window is not None
        under = [node, *(deep for deep in below(node) if deep.full)]
        ends = [deep.end for deep in under if sum(child.full for child in deep.children) != 1]
        return any(end - node.end < self.window for end in ends)

    def next_state(self, stuck: list[Node]) -> Node | None:
        """The least recent node whose state nobody holds."""
        return next((node for node in self.state_list if not node.state_lock and node not in stuck), None)

    # ---- what goes

    def hollow(self, node: Node, gone: NaiveEviction) -> None:
        """Drop the window of a node that stays, and the state with it, which nobody could use without."""
        gone.victims += 1
        gone.swa += len(node)
        self.note("swa tombstoned", node)
        self.drop_window(node)
        self.seen["tombstone"] += 1
        if node.state:
            assert not node.state_lock, "a state was held and the window before it was not"
            gone.states += 1
            gone.cascades += 1
            self.note("mamba tombstoned", node)
            self.drop_state(node)
            self.seen["state dropped with its window"] += 1

    def evict_leaf(self, node: Node, trigger: str, gone: NaiveEviction, stuck: list[Node]) -> None:
        """Take all that a leaf has on the device; with a copy on the host it stays there, else it leaves the tree."""
        if self.host and self.config.backup_hits is None and not self.save(node):
            if any(deep.host_lock for deep in below(node)):
                stuck.append(node)
                self.seen["stuck leaf"] += 1
                return
            for deep in reversed(list(below(node))):
                self.drop_host(deep)
                self.seen["dropped below a leaf"] += 1
        gone.victims += 1
        gone.cascades += (trigger != "full") + (node.live and trigger != "swa") + (node.state and trigger != "mamba")
        self.vacate(node, gone)
        self.note("demoted" if node.host_full else "removed", node)
        if node.host_full:
            self.seen["demoted"] += 1
        else:
            assert node.parent is not None and not node.children
            node.parent.children.remove(node)

    def save(self, node: Node) -> bool:
        """Writing back: copy a leaf to the host before it goes; False if there is no room for it."""
        missing = not node.host_full
        sizes = self.copy(node, ())
        if sizes:
            self.send([(node, sizes)], locked=False)
            self.seen["written back"] += missing
        return sizes is not None

    def vacate(self, node: Node, gone: NaiveEviction) -> None:
        """Free everything that `node` has on the device."""
        if node.live and self.window is not None:
            gone.swa += len(node)
            self.drop_window(node)
        if node.state:
            gone.states += 1
            self.drop_state(node)
        node.full = False
        self.full_free += len(node)
        gone.full += len(node)

    # ---- slots

    def make_room(self, tokens: int, states: int = 0, window_tokens: int | None = None) -> NaiveEviction:
        """Evict what is missing for an allocation: tokens of Full, as many or `window_tokens` of SWA, states."""
        window_tokens = tokens if window_tokens is None else window_tokens
        swa_short = window_tokens - self.swa_free if self.window is not None else 0
        return self.evict(max(0, tokens - self.full_free), max(0, swa_short), max(0, states - self.state_free))

    def take(self, tokens: int, states: int = 0, window_tokens: int | None = None, states_last: bool = False) -> bool:
        """Take slots of each pool, or none at all. The order shows when one pool is short and another is to fail."""
        window_tokens = tokens if window_tokens is None else window_tokens
        if self.window is None:
            window_tokens = 0
        wanted = [("full", tokens, self.full_free), ("swa", window_tokens, self.swa_free)]
        wanted.insert(2 if states_last else 0, ("mamba", states, self.state_free))
        for name, slots, free in wanted:
            if slots > free:
                return False
            if slots and self.failing == name:
                self.failing = ""
                self.seen["failed allocation"] += 1
                return False
        self.full_free -= tokens
        self.swa_free -= window_tokens
        self.state_free -= states
        return True

    def give_back(self, start: int, end: int, swa_from: int) -> None:
        """Free a row's slots [start, end): the Full side, and the SWA side from `swa_from` on."""
        self.full_free += end - start
        if self.window is not None:
            self.swa_free += max(0, end - max(start, swa_from))
