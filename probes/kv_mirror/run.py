"""Blocks in a row that are one node of a tree."""

from __future__ import annotations

from array import array


class Run:
    """A node: blocks, each below the one before it, that are all in the same places.

    `base` numbers the first block: a block keeps its number in the run when blocks before it go to another one.
    """

    __slots__ = ("base", "blocks", "children", "created_at", "id", "namespace", "parent", "start", "tokens", "where")

    def __init__(self, id_: int, parent: Run | None, at: int) -> None:
        self.id = id_
        self.parent = parent
        self.created_at = at
        self.blocks = array("i")
        self.children: dict[int, Run] = {}
        self.base = self.start = self.tokens = self.where = self.namespace = 0
        if parent is not None:
            self.start = parent.start + parent.tokens
            parent.children[id_] = self

    @property
    def parent_id(self) -> int:
        """The node above, 0 for the root."""
        return 0 if self.parent is None else self.parent.id

    def leave(self) -> None:
        """Hang below nothing any more."""
        if self.parent is not None:
            del self.parent.children[self.id]

    def hang(self, parent: Run | None) -> None:
        """Hang below another node, with all that hangs below this one."""
        self.leave()
        self.parent = parent
        self.start = 0
        if parent is not None:
            self.start = parent.start + parent.tokens
            parent.children[self.id] = self

    def below(self) -> list[Run]:
        """Return all nodes below, parents first."""
        found = list(self.children.values())
        for run in found:
            found.extend(run.children.values())
        return found
