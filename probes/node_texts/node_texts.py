"""What the nodes of one tree say: the contract, and its null object, where nobody wants to know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class NodeTexts:
    """Texts of nodes by their numbers; where nobody wants text, this one, which knows none and asks nobody."""

    is_on = False

    @property
    def version(self) -> int:
        """A number that grows with what is known."""
        return 0

    @property
    def is_settled(self) -> bool:
        """Whether all that was asked for is known, or will not be."""
        return True

    @property
    def message(self) -> str:
        """Why there is no text although it is wanted, "" while there is."""
        return ""

    def beginning(self, node: int, start: int) -> str:
        """Return what a node that begins at position `start` begins with; "" while that is not known."""
        return ""

    def whole(self, node: int, start: int) -> str:
        """Return what a node says, or as much of it as is decoded at all; "" while that is not known."""
        return ""

    def matching(self, text: str) -> dict[int, int]:
        """Return the nodes of which the beginning was told and has a text in it, each with where it began then."""
        return {}

    def search(self, nodes: Iterable[tuple[int, int]]) -> None:
        """Have the beginnings of some nodes looked for, the first of them that were not told yet."""

    def __deepcopy__(self, memo: dict[int, Any]) -> NodeTexts:
        return self


NO_TEXTS = NodeTexts()
