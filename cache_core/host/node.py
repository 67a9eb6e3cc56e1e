"""A node of a cache with a host tier, and where it hangs in the tree.

Full on the device is prefix-closed. So device nodes hang in `children`, where the walk of a cache without a host tier
finds them, and nodes that are on the host alone hang in `host_children`, below which there is nothing on the device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from cache_core.backend import Backend, MakeHook
from cache_core.node import NO_CHILDREN, Node

if TYPE_CHECKING:
    from array import array

    class TieredNode(Node):
        """A node as the host tier sees it.

        `copies` has the host slots of each component's copy by its number, None for none. `host_lock` counts the
        transfers that read or write one of them, `pending` is the last backup of it that is not complete, or 0.
        """

        copies: list[array[int] | None]
        host_children: dict[bytes, TieredNode]
        host_lock: int
        pending: int
        parent: TieredNode
else:
    TieredNode = Node

NODE_FIELDS = ("copies", "host_children", "host_lock", "pending")


def make(node: TieredNode, components: int) -> None:
    """Give a new node the fields of the host tier."""
    node.copies = [None] * components
    node.host_children = NO_CHILDREN  # type: ignore[assignment]
    node.host_lock = 0
    node.pending = 0


def has_copied_child(node: TieredNode) -> bool:
    """Say whether some child has a copy of its Full data on the host."""
    return bool(node.host_children) or any(child.copies[0] is not None for child in node.children.values())  # type: ignore[attr-defined]


def below(tree: Backend, node: TieredNode) -> list[TieredNode]:
    """Return every node under `node`, parents first."""
    found: list[TieredNode] = []
    waiting: list[TieredNode] = [node]
    while waiting:
        children = cast("list[TieredNode]", tree.children_of(waiting.pop()))
        found.extend(children)
        waiting.extend(children)
    return found


# -- links ---------------------------------------------------------------------------------------------------------


def hang_on_host(tree: Backend, node: TieredNode, parent: TieredNode) -> None:
    """Put a node, which hangs nowhere, among its parent's children that are on the host alone."""
    node.parent = parent
    page = tree.child_key(node)
    if parent.host_children is NO_CHILDREN:
        parent.host_children = {page: node}
    else:
        parent.host_children[page] = node


def take_off_host(tree: Backend, node: TieredNode) -> TieredNode:
    """Take a node from among its parent's children that are on the host alone, and return the parent."""
    parent = node.parent
    del parent.host_children[tree.child_key(node)]
    if not parent.host_children:
        parent.host_children = NO_CHILDREN  # type: ignore[assignment]
    node.parent = None  # type: ignore[assignment]
    return parent


def split_on_host(tree: Backend, lower: TieredNode, length: int, make_hooks: tuple[MakeHook, ...]) -> TieredNode:
    """Cut the first `length` bytes off a node that is on the host alone. The tree cuts it as a device node.

    `make_hooks` are those that give a new node the fields of what it may have on the device, and of the tier.
    """
    parent = take_off_host(tree, lower)
    tree.reattach(lower, parent)
    upper: TieredNode = tree.split(lower, length)  # type: ignore[assignment]
    for hook in make_hooks:
        hook(upper)  # nothing of it is on the device: components have nothing to divide
    tree.detach(lower)
    tree.detach(upper)
    hang_on_host(tree, upper, parent)
    hang_on_host(tree, lower, upper)
    return upper
