"""What an event did to the blocks of a mirror, by slot, for whoever follows it."""

from __future__ import annotations


class Journal:
    """Filled by one event and emptied by its reader. A slot may be in several lists, and in one of them twice.

    `created` and `dropped` are in the order in which it happened; a dropped block has nothing below it.
    `moved` ones stand below another block than before, with all that stands below them.
    """

    __slots__ = ("changed", "cleared", "created", "dropped", "moved")

    def __init__(self) -> None:
        self.created: list[int] = []
        self.changed: list[int] = []
        """Blocks that came to a place or left one."""
        self.moved: list[int] = []
        self.dropped: list[int] = []
        self.cleared = False

    def empty(self) -> None:
        """Begin with the next event."""
        self.created, self.changed, self.moved, self.dropped, self.cleared = [], [], [], [], False
