"""The line in which a filter for the tree is typed."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

_PLACEHOLDER = "a text, or !text for what lacks it; of nodes: label, namespace, hash, #number"


class FilterLine(Input):
    """A text that filters while it is typed: enter keeps the filter, esc drops it."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "drop", "drop the filter")]

    class Dropped(Message):
        """The filter is not wanted."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern, placeholder=_PLACEHOLDER, select_on_focus=False, id="filter")
        self.border_title = "filter"
        self.border_subtitle = "enter keep   esc drop"

    def action_drop(self) -> None:
        """Say that the filter is not wanted."""
        self.post_message(self.Dropped())
