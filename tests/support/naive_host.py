"""The host tier of the naive model: copies on the host, the transfers that make them, and room for them.

A transfer holds what it copies until it is completed; one that never is keeps its locks and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.naive_match import NaiveMatching
from tests.support.naive_results import NaiveTransfer
from tests.support.naive_tree import Node


class NaiveHost(NaiveMatching):
    """Everything about the second tier but when it is asked to act."""

    # ---- what a node has on the host

    def drop_host_window(self, node: Node) -> None:
        """Free the host's copy of a window."""
        node.host_live = False
        self.swa_host_free += len(node)
        if node in self.swa_host_list:
            self.swa_host_list.remove(node)

    def drop_host_state(self, node: Node) -> None:
        """Free the host's copy of a state."""
        node.host_state = False
        self.state_host_free += 1
        if node in self.state_host_list:
            self.state_host_list.remove(node)

    def drop_host(self, node: Node) -> None:
        """Free all the host's copies of `node`; a node that was nowhere else leaves the tree."""
        if node.host_live:
            self.drop_host_window(node)
        if node.host_state:
            self.drop_host_state(node)
        node.host_full = False
        self.host_free += len(node)
        self.note("full dropped from the host" if node.full else "removed", node)
        if not node.full:
            assert node.parent is not None and not node.children
            node.parent.children.remove(node)

    # ---- room

    def next_host_leaf(self, spare: Sequence[Node]) -> Node | None:
        """The node whose host copy goes next: one that is on the host alone, or a copy of what the device has too.

        Writing through, the copies of one path are a piece from the root, so only its last one can go; then what
        is on the host alone goes first, by policy. Writing back, the redundant copies go first.
        """
        free = [n for n in self.nodes() if n.host_full and not n.host_lock and n not in spare]
        alone = [n for n in free if not n.full and not n.children]
        twice = [n for n in free if n.full]
        if self.config.backup_hits is not None:
            twice = [n for n in twice if not any(child.host_full for child in n.children)]
        for kind in (alone, twice) if self.config.backup_hits is not None else (twice, alone):
            if kind:
                return min(kind, key=self.rank_on_path)
        return None

    def rank_on_path(self, node: Node) -> tuple[int, ...]:
        """The rank of a node among others of its path: where ranks are equal, a parent is a shade older."""
        return (*self.rank(node), -node.end if self.config.policy in ("mru", "filo") else node.end)

    def host_room(self, tokens: int, spare: Sequence[Node]) -> bool:
        """Make room for Full data on the host; False if that cannot be had, at once if it never could."""
        if tokens > self.config.host_slots:
            return False
        while self.host_free < tokens and (victim := self.next_host_leaf(spare)):
            self.seen["redundant copy dropped" if victim.full else "host leaf evicted"] += 1
            self.drop_host(victim)
        return self.host_free >= tokens

    def next_host_copy(self, alone: list[Node], twice: list[Node], spare: Sequence[Node]) -> Node | None:
        """The node whose host window, or state, goes next; both lists are in order of recency."""
        kinds = (alone, twice) if self.config.backup_hits is not None else (twice, alone)
        return next((n for kind in kinds for n in kind if not n.host_lock and n not in spare), None)

    def swa_host_room(self, tokens: int, spare: Sequence[Node]) -> bool:
        """Make room for window data on the host; False if that cannot be had, at once if it never could."""
        if tokens > self.config.swa_host_slots:
            return False
        while self.swa_host_free < tokens:
            victim = self.next_host_copy(self.swa_host_list, [n for n in self.swa_list if n.host_live], spare)
            if victim is None:
                return False
            self.seen["host window evicted"] += 1
            self.drop_host_window(victim)
        return True

    def state_host_room(self, states: int, spare: Sequence[Node]) -> bool:
        """Make room for states on the host; False if that cannot be had, at once if it never could."""
        if states > self.config.mamba_host_slots:
            return False
        while self.state_host_free < states:
            victim = self.next_host_copy(self.state_host_list, [n for n in self.state_list if n.host_state], spare)
            if victim is None:
                return False
            self.seen["host state evicted"] += 1
            self.drop_host_state(victim)
        return True

    def evict_host(self, full: int = 0, swa: int = 0, states: int = 0) -> None:
        """Free copies on the host until so much more is free."""
        config = self.config
        self.host_room(min(config.host_slots, self.host_free + full), ())
        self.swa_host_room(min(config.swa_host_slots, self.swa_host_free + swa), ())
        self.state_host_room(min(config.mamba_host_slots, self.state_host_free + states), ())

    # ---- copies to the host

    def copy(self, node: Node, spare: Sequence[Node]) -> dict[str, int] | None:
        """Take host room for what `node` has on the device alone; None when there is none for its Full data."""
        sizes = {}
        if not node.host_full:
            if not self.host_room(len(node), spare):
                self.seen["no room on the host"] += 1
                return None
            self.host_free -= len(node)
            node.host_full = True
            sizes["full"] = len(node)
        if node.live and not node.host_live and self.swa_host_room(len(node), spare):
            sizes |= self.copy_window(node)
        if node.state and not node.host_state and self.state_host_room(1, spare):
            sizes |= self.copy_state(node)
        return sizes

    def copy_window(self, node: Node) -> dict[str, int]:
        """Take host room, which is there, for the window of `node`."""
        self.swa_host_free -= len(node)
        node.host_live = True
        return {"swa": len(node)}

    def copy_state(self, node: Node) -> dict[str, int]:
        """Take host room, which is there, for the state of `node`."""
        self.state_host_free -= 1
        node.host_state = True
        return {"mamba": 1}

    def back_up(self, node: Node, made_leaf: bool) -> None:
        """Copy what an insert that ended on `node` made worth it."""
        threshold = self.config.backup_hits
        if threshold is None or node.parent is None:
            return
        path = node.path[::-1]
        worth = max((index for index, n in enumerate(path) if n.hits >= threshold), default=-1)
        copied: list[tuple[Node, dict[str, int]]] = []
        for missing in [n for n in path[: worth + 1] if not n.host_full]:
            sizes = self.copy(missing, path)
            if sizes is None:
                break
            copied.append((missing, sizes))
        self.send(copied)
        if not made_leaf and node.host_full and not self.is_pending(node):
            self.send(self.increment(node))

    def increment(self, node: Node) -> list[tuple[Node, dict[str, int]]]:
        """Copy the window before the end of a node that is on the host, and its state, where the host lacks them.

        It stops at a node that another copy under way covers: that one is responsible from there on.
        """
        window: list[Node] = []
        covered = 0
        for on_path in node.path if self.window is not None else ():
            if covered >= (self.window or 0) or not (on_path.live or on_path.host_live):
                break
            if self.is_pending(on_path):
                self.seen["increment stops at a pending node"] += 1
                break
            covered += len(on_path)
            if not on_path.host_live:
                window.insert(0, on_path)
        copied = {n: dict[str, int]() for n in window}
        if window and self.swa_host_room(sum(len(n) for n in window), node.path):
            for n in window:
                copied[n] |= self.copy_window(n)
        else:
            copied.clear()
        if node.state and not node.host_state and self.state_host_room(1, node.path):
            copied.setdefault(node, {})
            copied[node] |= self.copy_state(node)
        self.seen["incremental backup"] += bool(copied)
        return list(copied.items())

    # ---- transfers

    def send(self, copied: list[tuple[Node, dict[str, int]]], direction: str = "backup", locked: bool = True) -> None:
        """Queue the copies of some nodes, root first, as one transfer and hold what it needs."""
        if not copied:
            return
        nodes = [node for node, _ in copied]
        transfer = NaiveTransfer(direction, nodes, nodes[-1] if locked else None)
        for node, sizes in copied:
            node.host_lock += 1
            node.swa_lock += locked
            for name, slots in sizes.items():
                transfer.sizes[name] = transfer.sizes.get(name, 0) + slots
            if locked and "mamba" in sizes:
                node.state_lock += 1
                transfer.state_nodes.append(node)
        if transfer.anchor is not None:
            self.count_path(transfer.anchor, 1)
        self.transfers.append(transfer)
        self.queue.append(transfer)
        self.seen[direction] += 1

    def take_transfers(self) -> list[NaiveTransfer]:
        """Hand over what is queued, in order."""
        taken, self.queue = self.queue, []
        return taken

    def complete(self, transfer: NaiveTransfer) -> None:
        """Take note that a copy was made, and let go of what it held."""
        self.transfers.remove(transfer)
        for node in transfer.nodes:
            node.host_lock -= 1
            node.swa_lock -= transfer.anchor is not None
        for node in transfer.state_nodes:
            node.state_lock -= 1
        if transfer.anchor is not None:
            self.count_path(transfer.anchor, -1)
