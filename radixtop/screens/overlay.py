"""A screen of scrolling lines in a frame, laid over the dashboard; esc goes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.screen import ModalScreen

from radixtop.question import Question
from radixtop.render.lines import Line
from radixtop.scene import Scene
from radixtop.widgets.line_view import LineView, Styles

Make = Callable[[int], Sequence[Line]]
"""Returns the lines for a width."""


class ScrolledLines(LineView, can_focus=True):
    """Lines that scroll by keys: those of `make`, or else those that are set."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("up,k", "scroll_up", "up"),
        ("down,j", "scroll_down", "down"),
        ("pageup", "page_up", "page up"),
        ("pagedown", "page_down", "page down"),
        ("home,g", "scroll_home", "top"),
        ("end,G", "scroll_end", "bottom"),
    ]

    def __init__(self, styles: Styles, make: Make | None = None, *, id: str | None = None) -> None:
        super().__init__(styles, id=id)
        self._make = make

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the lines for a room."""
        return self._make(room.width) if self._make is not None else super().lines_for(room)


class Overlay(ModalScreen[None]):
    """Lines in a frame. A subclass says which: by their width in `make`, or in `show`."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,enter,q", "dismiss", "back")]

    def __init__(self, styles: Styles, title: str, make: Make | None = None) -> None:
        super().__init__()
        self._view = ScrolledLines(styles, make, id="overlay")
        self._view.border_title = title
        self._view.border_subtitle = "esc back   ↑↓ scroll"

    def compose(self) -> ComposeResult:
        """Hold the one view."""
        yield self._view

    def show(self, scene: Scene) -> None:
        """Show what is new; an overlay of fixed text has nothing to do."""

    def questions(self) -> tuple[Question, ...]:
        """Return what the overlay wants to know with every frame."""
        return ()
