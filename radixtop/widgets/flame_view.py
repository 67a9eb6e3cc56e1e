"""The icicle on screen: frames, a selected one, and the questions for other frames.

It never sees the mirror: it says how much room there is, what is zoomed into and by which weight, and shows the page
that comes back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from radixtop.budget import BEHIND_NS
from radixtop.flame.page import FlamePage, FlameQuestion, FrameBox
from radixtop.keymap import bindings
from radixtop.messages import NodeChosen, QuestionsChanged
from radixtop.render.flame_frames import FlameLine, Paint
from radixtop.render.flame_lines import Spot, box_at, flame_lines, row_at, rows_in
from radixtop.render.flame_styles import frame_style
from radixtop.render.lines import crop
from radixtop.render.units import age
from radixtop.widgets.line_view import Styles
from radixtop.words.flame import UNITS

_AGAIN_S = 0.05
"""How soon to ask again while a weight is being added up."""


class FlameView(ScrollView, can_focus=True):
    """Frames by depth; keys and clicks select one, and zoom."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("flame")

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(id=id, classes="panel")
        self._roles = styles
        self._page: FlamePage | None = None
        self._question = FlameQuestion(0, 0)
        self._components: tuple[str, ...] = ()
        self._spot = Spot(row=1)
        self._lines: list[FlameLine] = []
        self._drawn_for = Size(0, 0)
        self._title = ""
        self.border_title = "flame"

    @property
    def question(self) -> FlameQuestion:
        """Which frames it wants."""
        room = self._room
        return replace(self._question, width=room.width, rows=rows_in(room.height))

    @property
    def _room(self) -> Size:
        return self.scrollable_content_region.size

    # ---- pages come in, lines are drawn

    has_fleet = False
    """Whether servers are watched, whose view has a key of this one."""

    def show(self, page: FlamePage | None, components: tuple[str, ...]) -> None:
        """Show a page; one for other frames than are wanted now is left out."""
        if page is not None and page.question != self.question:
            return
        selected = self._selected
        self._page, self._components = page, components
        if page is not None:
            self._spot = _found(page, selected, self._spot)
            self._name_frame(page)
            if page.is_weighing:
                self.set_timer(_AGAIN_S, self._ask)
        self._repaint()

    def _name_frame(self, page: FlamePage) -> None:
        way = " › ".join(crop(label, 20) for _, label in page.way[-4:])
        title = f"flame   by {UNITS[page.question.weight]}   {'… › ' if len(page.way) > 4 else ''}{way}"
        if page.behind_ns > BEHIND_NS:
            title += f"   as of {age(page.behind_ns)} ago"
        if title != self._title:
            self._title = title
            self.border_title = Text(title)
        levels = "1 level" if page.hidden_levels == 1 else f"{page.hidden_levels} levels"
        subtitle = f"{levels} more below" if page.hidden_levels else ""
        if subtitle != self.border_subtitle:
            self.border_subtitle = subtitle

    def _repaint(self) -> None:
        """Make the lines anew, and refresh those that came out different."""
        old, room = self._lines, self._room
        self._drawn_for = room
        self._lines = flame_lines(self._page, self._spot, room.width, room.height, self._components)
        changed = [y for y, line in enumerate(self._lines) if old[y : y + 1] != [line]]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        """Return the strip of one line."""
        room = self._room
        if room != self._drawn_for:
            self._repaint()
        line = self._lines[y] if y < len(self._lines) else ()
        segments = [Segment(text, self._style(role)) for text, role in line]
        return Strip(segments).adjust_cell_length(room.width, self.rich_style)

    def _style(self, role: object) -> Style:
        if isinstance(role, Paint):
            return frame_style(role, self._roles, self.rich_style)
        return self.rich_style + self._roles[role]  # type: ignore[index]

    def on_resize(self) -> None:
        """Want as many frames as there is room for."""
        self._repaint()
        self._ask()

    def _ask(self) -> None:
        self.app.post_message(QuestionsChanged())

    # ---- the selected frame

    @property
    def _selected(self) -> FrameBox | None:
        return None if self._page is None else box_at(self._page, self._spot)

    def _select(self, spot: Spot) -> None:
        self._spot = spot
        self._repaint()

    def action_beside(self, step: int) -> None:
        """Select the next frame of the row, to the left or to the right."""
        if self._page is not None and self._page.rows:
            last = len(self._page.rows[self._spot.row]) - 1
            self._select(Spot(self._spot.row, max(0, min(last, self._spot.place + step))))

    def action_above(self) -> None:
        """Select the frame that this one is part of."""
        box = self._selected
        if box is not None and self._spot.row > 0:
            self._select(Spot(self._spot.row - 1, box.parent))

    def action_below(self) -> None:
        """Select the heaviest frame below."""
        rows = self._page.rows if self._page is not None else ()
        if self._spot.row + 1 < len(rows):
            for place, box in enumerate(rows[self._spot.row + 1]):
                if box.parent == self._spot.place:
                    self._select(Spot(self._spot.row + 1, place))
                    return

    def on_click(self, event: events.Click) -> None:
        """Select the frame that is clicked; the second click zooms into it."""
        offset, page = event.get_content_offset(self), self._page
        if offset is None or page is None:
            return
        row = row_at(page, offset.y, self._room.height)
        for place, box in enumerate(page.rows[row] if 0 <= row < len(page.rows) else ()):
            if box.x <= offset.x < box.x + box.cells:
                self._select(Spot(row, place))
                if event.chain > 1:
                    self.action_zoom()

    # ---- zoom and weight

    def action_zoom(self) -> None:
        """Zoom into the selected frame; into what it is part of, if it stands for several."""
        box, page = self._selected, self._page
        if box is None or page is None:
            return
        node = page.rows[self._spot.row - 1][box.parent].node if box.is_fold else box.node
        if node != page.way[-1][0]:
            self._zoom_to((*self._question.zooms, node))

    def zoom_out(self) -> bool:
        """Go back to what was zoomed into before; say whether there was something."""
        if not self._question.zooms:
            return False
        self._zoom_to(self._question.zooms[:-1])
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the key of the fleet to the fleet where there is one."""
        return action != "reset_alone" or not self.has_fleet

    def action_reset_alone(self) -> None:
        """Show the whole tree."""
        self.action_reset()

    def action_reset(self) -> None:
        """Show the whole tree."""
        self._zoom_to(())

    def _zoom_to(self, zooms: tuple[int, ...]) -> None:
        self._question = replace(self._question, zooms=zooms)
        self._ask()

    def action_weight(self) -> None:
        """Make frames as wide as the next weight that is known."""
        if self._page is not None:
            known = self._page.weights
            place = known.index(self._question.weight) if self._question.weight in known else -1
            self._question = replace(self._question, weight=known[(place + 1) % len(known)])
            self._ask()

    def action_detail(self) -> None:
        """Show everything about the node of the selected frame."""
        box = self._selected
        if box is not None and box.node > 0:
            self.app.post_message(NodeChosen(box.node))


def _found(page: FlamePage, selected: FrameBox | None, spot: Spot) -> Spot:
    """Return where the selected frame is now; the nearest in its row if it is there no more."""
    if selected is not None and not selected.is_fold:
        for row, boxes in enumerate(page.rows):
            for place, box in enumerate(boxes):
                if box.node == selected.node:
                    return Spot(row, place)
    if not page.rows:
        return spot
    row = min(spot.row, len(page.rows) - 1)
    x = selected.x if selected is not None else 0
    nearest = min(range(len(page.rows[row])), key=lambda place: abs(page.rows[row][place].x - x))
    return Spot(row, nearest)
