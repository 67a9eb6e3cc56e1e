"""A screen of scrolling lines in a frame, laid over the dashboard; esc goes back."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from radixtop.question import Question
from radixtop.scene import Scene
from radixtop.widgets.line_view import LineView, Styles


class ScrolledLines(LineView, can_focus=True):
    """Lines that scroll by keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("up,k", "scroll_up", "up"),
        ("down,j", "scroll_down", "down"),
        ("pageup", "page_up", "page up"),
        ("pagedown", "page_down", "page down"),
        ("home,g", "scroll_home", "top"),
        ("end,G", "scroll_end", "bottom"),
    ]


class Overlay(ModalScreen[None]):
    """Lines in a frame. A subclass says which, in `on_mount` and in `show`."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,enter,q", "dismiss", "back")]

    def __init__(self, styles: Styles, title: str) -> None:
        super().__init__()
        self._view = ScrolledLines(styles, id="overlay")
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
