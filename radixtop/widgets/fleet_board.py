"""Ranks on screen: as rows, as a matrix of what they share, and by prefix; a cursor that stays on its rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from probes.builtin.engine import EngineSample
from probes.builtin.fleet import FleetSample
from probes.fleet.figures import Prefix, RankName
from probes.scrapes.figures import SERVER
from radixtop.fleet.names import Names
from radixtop.fleet.rows import ORDERS, RankRow, ordered, rows_of
from radixtop.keymap import ROWS, bindings
from radixtop.messages import RankChosen
from radixtop.render import overlap_lines, prefix_lines
from radixtop.render.lines import BLANK, Line, fit
from radixtop.render.rank_lines import RankTable, detail
from radixtop.widgets.line_view import LineView, Styles, strip_of

Page = Literal["ranks", "overlap", "prefixes"]
PAGES: tuple[Page, ...] = ("ranks", "overlap", "prefixes")
WHEEL_ROWS = 3
_LEAST_PREFIXES = 5
"""Below the matrix there is room for a head and so many lines, or prefixes have their own page alone."""
_NOT_YET: Line = (("what the ranks have in common is not known yet", "dim"),)
_ONE: Line = (("one rank is watched: there is nothing in common to show", "dim"),)


class FleetBoard(LineView, can_focus=True):
    """Shows the newest samples. The cursor is on a rank by its name, or on a prefix by its."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(ROWS), *bindings("fleet")]

    class CursorMoved(Message):
        """Something else is under the cursor."""

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id, classes="panel")
        self._sample: FleetSample | None = None
        self._rows: tuple[RankRow, ...] = ()
        self._page: Page = "ranks"
        self._order = "name"
        self._is_reversed = False
        self._rank: RankName | None = None
        self._prefix: int | None = None
        self._above = 0

    def show(self, sample: FleetSample, engine: EngineSample | None) -> None:
        """Show samples."""
        self._sample = sample
        self._rows = rows_of(sample, engine)
        self._entitle()
        self.repaint()

    # ---- what there is

    @property
    def page(self) -> Page:
        """The page in sight."""
        return self._page

    def _ranks(self) -> Sequence[RankName]:
        """Return the ranks of the page, in the order of its rows."""
        if self._page == "ranks":
            return [row.name for row in ordered(self._rows, self._order, self._is_reversed)]
        overlap = self._sample.overlap if self._sample is not None else None
        return () if overlap is None else overlap.names

    def _prefixes(self) -> Sequence[Prefix]:
        overlap = self._sample.overlap if self._sample is not None else None
        return () if overlap is None else overlap.prefixes

    def _labels(self) -> list[str]:
        """Return the names of the ranks whose overlap is known."""
        assert self._sample is not None
        assert self._sample.overlap is not None
        names = Names(rank.name for rank in self._sample.ranks)
        return [names.short(name) for name in self._sample.overlap.names]

    @property
    def _count(self) -> int:
        return len(self._prefixes() if self._page == "prefixes" else self._ranks())

    @property
    def _place(self) -> int:
        """The row of the cursor: that of the rank that is followed at first, the first one where there is none."""
        if self._page == "prefixes":
            names: list[object] = [prefix.name for prefix in self._prefixes()]
            return names.index(self._prefix) if self._prefix in names else 0
        ranks = self._ranks()
        followed = self._sample.followed if self._sample is not None and self._rank is None else None
        wanted = followed or self._rank
        return ranks.index(wanted) if wanted in ranks else 0

    # ---- lines

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the lines of the page: its head, which stays, and its rows."""
        if self._sample is None:
            return ()
        head, rows = self._lines_of_page(self._sample, room.width)
        if self._page == "ranks":
            rows = [*rows, *self._more_below(room, len(head) + len(rows))]
        self._above = len(head)
        self.pin(self._above)
        return [fit(line, room.width) for line in (*head, *rows)]

    def _lines_of_page(self, sample: FleetSample, width: int) -> tuple[Sequence[Line], Sequence[Line]]:
        if self._page == "ranks":
            table = RankTable(width, sample.at, self._order, self._is_reversed)
            rows = ordered(self._rows, self._order, self._is_reversed)
            return (table.head(), table.total(rows)), [table.line(row) for row in rows]
        overlap = sample.overlap
        if overlap is None or len(overlap.names) < 2:
            return (), (_NOT_YET if overlap is None and len(sample.ranks) > 1 else _ONE,)
        if self._page == "overlap":
            matrix = overlap_lines.OverlapTable(overlap, self._labels(), width, self._place)
            return matrix.head(), [matrix.line(row) for row in range(len(overlap.names))]
        if not overlap.prefixes:
            return (), ((("no prefix is cached yet", "dim"),),)
        prefixes = prefix_lines.PrefixTable(overlap, width)
        return prefixes.head(), [prefixes.line(prefix) for prefix in overlap.prefixes]

    def _more_below(self, room: Size, taken: int) -> list[Line]:
        """Return what the ranks share, and as many prefixes as fit, below rows that leave room for it."""
        sample, lines = self._sample, list[Line]()
        overlap = sample.overlap if sample is not None else None
        if overlap is None or len(overlap.names) < 2:
            return lines
        matrix = overlap_lines.OverlapTable(overlap, self._labels(), room.width)
        block = [BLANK, *matrix.head(), *map(matrix.line, range(len(overlap.names)))]
        spare = room.height - taken - len(block)
        if spare < 0:
            return lines
        table = prefix_lines.PrefixTable(overlap, room.width)
        prefixes = [BLANK, *table.head(), *map(table.line, overlap.prefixes)] if overlap.prefixes else []
        return [*block, *(prefixes[:spare] if spare > _LEAST_PREFIXES else ())]

    def in_words(self) -> list[Line]:
        """Return what there is to say of what is under the cursor."""
        sample, place = self._sample, self._place
        if sample is None or place >= self._count:
            return []
        if self._page == "ranks":
            name = self._ranks()[place]
            return detail(next(row for row in self._rows if row.name == name), sample.at)
        assert sample.overlap is not None
        if self._page == "overlap":
            return overlap_lines.in_words(sample.overlap, self._labels(), place)
        return prefix_lines.in_words(self._prefixes()[place], self._labels())

    def render_line(self, y: int) -> Strip:
        """Return the strip of one row of the view, that of the cursor marked."""
        strip = super().render_line(y)
        place = y + self.scroll_offset.y
        if y < self._above or not self._count or place != self._above + self._place or place >= len(self._lines):
            return strip
        return strip_of(self._lines[place], self._roles, self.room.width, self.rich_style, self._roles["cursor"])

    def _entitle(self) -> None:
        """Name the pages in the frame, the one in sight in brackets, and the key of the next."""
        title = "  ".join(f"[{page}]" if page == self._page else page for page in PAGES)
        note = f"o {PAGES[(PAGES.index(self._page) + 1) % len(PAGES)]}"
        if (title, note) != (str(self.border_title), self.border_subtitle):
            self.border_title, self.border_subtitle = Text(title), note

    # ---- the cursor

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows, and scroll so that it stays in sight."""
        if not self._count:
            return
        place = max(0, min(self._place + rows, self._count - 1))
        if self._page == "prefixes":
            self._prefix = self._prefixes()[place].name
        else:
            self._rank = self._ranks()[place]
        top, seen = self.scroll_offset.y, max(1, self.room.height - self._above)
        if place < top or place >= top + seen:
            self.scroll_to(y=place if place < top else place - seen + 1, animate=False)
        self._draw_anew()

    def _draw_anew(self) -> None:
        self._entitle()
        self.repaint()
        self.refresh()
        self.post_message(self.CursorMoved())

    def action_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.action_move(pages * max(1, self.room.height - self._above - 1))

    def action_edge(self, last: int) -> None:
        """Go to the first row, or to the last one."""
        self.action_move(self._count if last else -self._count)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Roll up."""
        event.stop()
        self.action_move(-WHEEL_ROWS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Roll down."""
        event.stop()
        self.action_move(WHEEL_ROWS)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on a row, a second click follows it; order by the title under the pointer."""
        offset = event.get_content_offset(self)
        if offset is None or self._sample is None:
            return
        if offset.y < self._above:
            if offset.y == 0 and self._page == "ranks":
                self._order_by(RankTable(self.room.width, self._sample.at).order_at(offset.x))
            return
        place = offset.y - self._above + self.scroll_offset.y
        if place < self._count:
            self.action_move(place - self._place)
            if event.chain > 1:
                self.follow()

    # ---- what is shown

    def action_next_page(self) -> None:
        """Show the next page."""
        self._show_page(PAGES[(PAGES.index(self._page) + 1) % len(PAGES)])

    def go_back(self) -> bool:
        """Show the ranks; say whether something else was shown."""
        is_elsewhere = self._page != "ranks"
        self._show_page("ranks")
        return is_elsewhere

    def _show_page(self, page: Page) -> None:
        self._page = page
        self.scroll_to(y=0, animate=False)
        self._draw_anew()
        self.action_move(0)

    def action_order(self) -> None:
        """Order the ranks by the next figure."""
        self._order_by(ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)])

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._is_reversed = not self._is_reversed
        self._draw_anew()

    def _order_by(self, order: str) -> None:
        if order:
            self._is_reversed = not self._is_reversed if order == self._order else False
            self._order, self._page = order, "ranks"
            self._draw_anew()

    def action_follow(self) -> None:
        """Follow the rank under the cursor."""
        self.follow()

    def follow(self) -> bool:
        """Have the rank under the cursor followed; say whether there is one."""
        if self._page == "prefixes" or not self._count:
            return False
        name = self._ranks()[self._place]
        if name.rank == SERVER:
            self.app.notify("this server has told of no rank yet", timeout=3)
            return True
        self.app.post_message(RankChosen(name.server, name.rank))
        return True
