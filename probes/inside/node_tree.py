"""The tree of a foreign cache, by the KV events that its engine makes: told in records, by nodes instead of blocks.

What comes and goes together costs one look-up per block, made by dictionaries. It is what `probes.kv_mirror` does for
servers from outside, lighter, since an engine's own thread pays for it: no block has an entry of its own besides its
name, and namespaces are told apart because a call says which one it is for.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat

from cache_core.event_codec import head
from cache_core.events import NodeAdded, NodeRemoved, NodeSplit, NodeTiers, RawRecord
from probes.inside.node import ON_DEVICE, ON_HOST, Name, Node

_ADDED, _SPLIT, _REMOVED, _TIERS = head(NodeAdded), head(NodeSplit), head(NodeRemoved), head(NodeTiers)

NOWHERE = -1
"""The number of a node that is not there."""


class NodeTree:
    """Takes what came and went, and tells of it. `components` is how many the cache has: all are taken to be there.

    With `grows`, what comes below the last block of a leaf makes that leaf longer.
    """

    def __init__(self, tell: Callable[[RawRecord], object], components: int = 1, *, grows: bool = False) -> None:
        self.root = Node(0, None, [], 0, 0)
        self.strays = 0
        """Blocks that went and had not come, or that came below one that was not there."""
        self.device_blocks = 0
        """Blocks on the device: one that has copies, or is in several namespaces, as often as it is there."""
        self._tell = tell
        self._live = (1 << components) - 1
        self._grows = grows
        self._next = 1
        self._nodes: dict[Name, Node] = {}
        self._twins: dict[Name, list[Node]] = {}
        self._spares: Counter[Name] = Counter()

    def __len__(self) -> int:
        """Return how many blocks are known, by their names."""
        return len(self._nodes)

    # ---- reading

    def number(self, name: Name, namespace: int | None = None) -> int:
        """Return the number of the node that a block is in, NOWHERE without one."""
        node = self._find(name, namespace)
        return NOWHERE if node is None else node.id

    def records(self) -> Iterator[RawRecord]:
        """State every node, parents first, also while the tree changes between two of them."""
        for node in self.root.below():
            yield self._stated(node)
            if node.where != ON_DEVICE:
                yield (_TIERS, node.created_at, node.id, *self._tiers(node))

    def _find(self, name: Name, namespace: int | None) -> Node | None:
        node = self._nodes.get(name)
        if node is None or namespace is None or node.namespace == namespace:
            return node
        return next((twin for twin in self._twins.get(name, ()) if twin.namespace == namespace), None)

    # ---- changing

    def stored(
        self, names: Sequence[Name], parent: Name | None, block_tokens: int, namespace: int, where: int, at: int
    ) -> None:
        """Take blocks that came to a place, each below the one before it."""
        above = self.root
        if parent is not None:
            found = self._find(parent, namespace) or self._find(parent, None)
            self.strays += found is None
            above = self.root if found is None else self._ending_with(found, parent, at)
        are_new = self._nodes.keys().isdisjoint(names)
        start = 0
        while start < len(names):
            node = self._find(names[start], namespace) if not are_new and names[start] in self._nodes else None
            if node is None:
                end = len(names) if are_new else self._end_of_new(names, start, namespace)
                above = self._grown(above, list(names[start:end]), (block_tokens, namespace, where), at, are_new)
            else:
                first = node.names.index(names[start])
                end = start + _common(node.names, first, names, start)
                above = self._stored_again(node, first, end - start, where, at)
            start = end

    def removed(self, names: Sequence[Name], where: int, at: int) -> None:
        """Take blocks out of a place."""
        start = 0
        while start < len(names):
            name, end = names[start], start + 1
            if where == ON_DEVICE and self._spares and self._spares[name]:
                self._spares[name] -= 1
                self.device_blocks -= 1
                if not self._spares[name]:
                    del self._spares[name]
            elif (node := self._holder(name, where)) is None:
                self.strays += 1
            else:
                first = node.names.index(name)
                end = start + _common(node.names, first, names, start)
                if where == ON_DEVICE and self._spares:  # those have more than one copy to lose
                    end = next((at for at in range(start, end) if names[at] in self._spares), end)
                self._leave(self._part(node, first, end - start, at), where, at)
            start = end

    def ends(self, name: Name, namespace: int, at: int) -> None:
        """Take note that a node of the engine ends with a block: one that goes on behind it was split there."""
        node = self._find(name, namespace)
        if node is not None:
            self._ending_with(node, name, at)

    def clear(self) -> None:
        """Forget every node, and tell nothing."""
        for node in self.root.below():
            node.parent = None
        self.root.children.clear()
        self.device_blocks = 0
        self._nodes.clear()
        self._twins.clear()
        self._spares.clear()

    def _ending_with(self, node: Node, name: Name, at: int) -> Node:
        """Return the node that ends with a block of one; it is split if it goes on behind it."""
        if node.names[-1] == name:
            return node
        return self._split(node, node.names.index(name) + 1, at)

    def _part(self, node: Node, first: int, count: int, at: int) -> Node:
        """Return a node of these blocks alone."""
        if first + count < len(node.names):
            node = self._split(node, first + count, at)
        if first:
            self._split(node, first, at)
        return node

    def _split(self, node: Node, count: int, at: int) -> Node:
        """Give the first blocks of a node to a new one above it, and return that."""
        parent = node.parent or self.root
        upper = self._new(parent, [], node.block_tokens, at)
        node.cut(upper, count)
        self._enter(upper, instead_of=node)
        self._tell(
            (
                _SPLIT, at, node.id, upper.id, parent.id, upper.start, upper.tokens, upper.content_key,
                upper.namespace, self._live if upper.where & ON_DEVICE else 0, 0, 0,
            )
        )  # fmt: skip
        if upper.where != ON_DEVICE:
            self._tell((_TIERS, at, upper.id, *self._tiers(upper)))
        return upper

    def _grown(self, above: Node, names: list[Name], kind: tuple[int, int, int], at: int, are_new: bool) -> Node:
        """Add blocks that are new below a node, and return the node that ends with them."""
        block_tokens, namespace, where = kind
        self.device_blocks += len(names) if where == ON_DEVICE else 0
        alike = (above.block_tokens, above.namespace, above.where) == kind
        if self._grows and alike and above is not self.root and not above.children:
            above.names += names
            node = above
        else:
            node = self._new(above, names, block_tokens, at)
            node.namespace, node.where = namespace, where
        self._enter(node, names, are_new=are_new)
        self._tell(self._stated(node))
        if node.where != ON_DEVICE:
            self._tell((_TIERS, at, node.id, *self._tiers(node)))
        return node

    def _stored_again(self, node: Node, first: int, count: int, where: int, at: int) -> Node:
        """Take blocks that are known: they come to another place, or another copy of them is there."""
        self.device_blocks += count if where == ON_DEVICE else 0
        if not node.where & where:
            node = self._part(node, first, count, at)
            node.where |= where
            self._tell((_TIERS, at, node.id, *self._tiers(node)))
            return node
        if where == ON_DEVICE:
            self._spares.update(node.names[first : first + count])
        return self._ending_with(node, node.names[first + count - 1], at) if first + count < len(node.names) else node

    def _leave(self, node: Node, where: int, at: int) -> None:
        """Take a node out of a place; one that is nowhere and has nothing below goes, and so does what that bares."""
        self.device_blocks -= len(node.names) if where == ON_DEVICE else 0
        node.where &= ~where
        if node.where or node.children:
            self._tell((_TIERS, at, node.id, *self._tiers(node)))
            return
        while node is not self.root and not node.where and not node.children:
            parent = node.parent or self.root
            del parent.children[node.id]
            node.parent = None
            self._forget(node)
            self._tell((_REMOVED, at, node.id))
            node = parent

    def _new(self, parent: Node, names: list[Name], block_tokens: int, at: int) -> Node:
        node = Node(self._next, parent, names, block_tokens, at)
        self._next += 1
        return node

    def _stated(self, node: Node) -> RawRecord:
        parent, at = node.parent or self.root, node.created_at
        live = self._live if node.where & ON_DEVICE else 0
        return (
            _ADDED, at, node.id, parent.id, node.start, node.tokens, node.content_key, node.namespace, live,
            0, 0, 0, at,
        )  # fmt: skip

    def _tiers(self, node: Node) -> tuple[int, int]:
        """Return the components of a node that are on the device, and those that have a copy on the host."""
        return self._live if node.where & ON_DEVICE else 0, self._live if node.where & ON_HOST else 0

    # ---- which node a block is in

    def _enter(
        self,
        node: Node,
        names: Sequence[Name] | None = None,
        *,
        instead_of: Node | None = None,
        are_new: bool = False,
    ) -> None:
        """Note that blocks are in a node. `are_new` says that none of them is known."""
        names = node.names if names is None else names
        if not self._twins and (are_new or instead_of is not None or self._nodes.keys().isdisjoint(names)):
            self._nodes.update(zip(names, repeat(node)))
            return
        for name in names:
            held = self._nodes.get(name)
            if held is None or held is instead_of:
                self._nodes[name] = node
            elif instead_of is None:
                self._twins.setdefault(name, []).append(node)
            else:
                twins = self._twins[name]
                twins[twins.index(instead_of)] = node

    def _forget(self, node: Node) -> None:
        if not self._twins:
            deque(map(self._nodes.pop, node.names), maxlen=0)
            return
        for name in node.names:
            twins = self._twins.get(name, [])
            if self._nodes[name] is not node:
                twins.remove(node)
            elif twins:
                self._nodes[name] = twins.pop()
            else:
                del self._nodes[name]
            if not twins:
                self._twins.pop(name, None)

    def _holder(self, name: Name, where: int) -> Node | None:
        """Return a node that has a block in a place: nothing says of which namespace, so a leaf if there is one."""
        found = [node for node in (self._nodes.get(name), *self._twins.get(name, ())) if node and node.where & where]
        return next((node for node in found if not node.children), found[0] if found else None)

    def _end_of_new(self, names: Sequence[Name], start: int, namespace: int) -> int:
        """Return where the blocks from `start` on that are not known end."""
        return next(
            (end for end in range(start + 1, len(names)) if self._find(names[end], namespace) is not None), len(names)
        )


def _common(run: Sequence[Name], first: int, names: Sequence[Name], start: int) -> int:
    """Return how many names from `start` on are those of a run from `first` on; the first of them is."""
    longest = min(len(run) - first, len(names) - start)
    if run[first : first + longest] == names[start : start + longest]:
        return longest
    return next(count for count in range(longest) if run[first + count] != names[start + count])
