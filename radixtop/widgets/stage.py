"""What one view stands on: it carries the classes that say how large the screen is.

On the screen itself, each change of them would restyle the widgets of every view, those out of sight, too.
"""

from __future__ import annotations

from textual.containers import Container
from textual.geometry import Size
from textual.widget import Widget

from radixtop.view import View

LEAST = (40, 10)
"""The smallest terminal with room for a panel, in columns and rows."""

SHORT = 18
"""From so many rows on panels share the room there is, and a timeline has some."""

_WIDTHS = {0: "-narrow", 76: "-normal", 112: "-wide", 170: "-huge"}
_HEIGHTS = {0: "-low", SHORT: "-short", 32: "-tall", 50: "-towering"}
"""From how many columns or rows on a stage has a class that the styles of its view go by."""
_NAMES = (*_WIDTHS.values(), *_HEIGHTS.values())


class Stage(Container):
    """A view, and the classes of the size that it was last told."""

    def __init__(self, view: View, size: Size) -> None:
        super().__init__(view, classes=" ".join(("stage", *sorted(_classes(size)))))

    def fit(self, size: Size) -> None:
        """Take the classes of a size."""
        fitting = _classes(size)
        self.update_classes({name: name in fitting for name in _NAMES}, animate=False)

    def leave(self) -> None:
        """Go out of sight, and let go of what the view has painted: nobody looks at it, and it is a megabyte."""
        if self.has_class("-away"):
            return
        self.add_class("-away")  # no `display`, which styles could not undo
        for widget in self.walk_children(Widget):
            widget.notify_style_update()
            widget.refresh()

    def enter(self, size: Size) -> None:
        """Come in sight."""
        self.remove_class("-away")
        self.fit(size)


def is_too_small(size: Size) -> bool:
    """Return whether there is room for no more than a word."""
    return size.width < LEAST[0] or size.height < LEAST[1]


def _classes(size: Size) -> set[str]:
    return {_class_of(size.width, _WIDTHS), _class_of(size.height, _HEIGHTS)}


def _class_of(cells: int, steps: dict[int, str]) -> str:
    return steps[max(step for step in steps if step <= cells)]
