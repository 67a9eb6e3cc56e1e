"""The tree on screen: a window of rows, a cursor, and the requests for other windows.

The view never sees the mirror. It says which rows it wants (`request`) and shows the page that comes back; between
the two it draws what it has. A page reaches one screen further in both directions, so scrolling has rows to show.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from radixtop.budget import BEHIND_NS
from radixtop.keymap import ROWS, bindings
from radixtop.messages import NodeChosen, QuestionsChanged
from radixtop.render.lines import BLANK, Line
from radixtop.render.marks import ASCENDING, DESCENDING
from radixtop.render.tree_line import TreeTable
from radixtop.render.units import age, count, grouped
from radixtop.tree.request import Mode, Order, TreeRequest
from radixtop.tree.rows import Standing, TreePage, TreeRow
from radixtop.widgets.line_view import Styles, strip_of

_NO_PAGE = TreePage(0, 0, (), -1, -1, Standing("tree", 0, 0), ())


_NOTHING_FOUND: Line = (("no node matches the filter", "warn"), ("; c drops it", "dim"))


class TreeView(ScrollView, can_focus=True):
    """Rows of the tree under a head line; keys move the cursor, open and close nodes, and order siblings."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(ROWS), *bindings("tree")]

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(id=id, classes="panel")
        self._roles = styles
        self._request = TreeRequest()
        self._page = _NO_PAGE
        self._cursor = 0
        self._cursor_node = -1
        self._table = TreeTable(0, 0, 0, ())
        self._drawn: dict[int, Line] = {}
        self._title = ""
        self.border_title = "tree"

    @property
    def request(self) -> TreeRequest:
        """The rows that the view wants."""
        return self._request

    @property
    def cursor_node(self) -> int:
        """The node that the cursor is on, -1 for none."""
        return self._cursor_node

    # ---- pages come in, rows are drawn

    def show(self, page: TreePage | None, now: int, components: tuple[str, ...]) -> bool:
        """Show a page; one for rows that are no longer wanted is left out. Say whether it was shown."""
        if page is None or page.shape != self._request.shape():
            return False
        self._page = page
        request = self._request
        self._table = TreeTable(
            self._room.width,
            now,
            page.standing.tokens,
            components,
            request.order,
            request.is_reversed,
            request.mode != "tree",
            page.standing.tells_use,
        )
        size = Size(self._room.width, page.total + 1)
        if size != self.virtual_size:
            self.virtual_size = size
        if page.seek:
            self._arrive()
        else:
            self._follow_cursor()
        self._name_frame()
        self._repaint_changed()
        return True

    def _arrive(self) -> None:
        """Put the cursor on the match that was looked for; stay where none was found."""
        page = self._page
        if page.seek != self._request.seek:
            return
        if page.cursor_row >= 0:
            self._refresh_row(self._cursor)
            self._cursor, self._cursor_node = page.cursor_row, page.cursor
            self._keep_in_view()
        self._want(replace(self._request, seek=0))

    def _follow_cursor(self) -> None:
        """Keep the cursor on its node, and that on its line of the screen, when rows come and go above it."""
        page = self._page
        if page.cursor == self._cursor_node and page.cursor_row >= 0:
            moved = page.cursor_row - self._cursor
            self._cursor = page.cursor_row
            if moved and self.scroll_offset.y:
                self.scroll_to(y=self.scroll_offset.y + moved, animate=False)
        self._put_cursor(self._cursor)
        self._keep_in_view()

    def _name_frame(self) -> None:
        """Say in the frame how much there is, what is shown of it, and in which order."""
        page, request = self._page, self._request
        mark = ASCENDING if request.is_reversed else DESCENDING
        order = request.order.replace("_", " ")
        parts = [f"by {order} {mark}"]
        if request.pattern:
            parts.append(f"/{request.pattern}")
        if request.mode == "tree":
            parts.append(f"depth {request.depth}" + ("" if request.joins else ", each node"))
        parts += [
            f"{grouped(page.total)} row{'' if page.total == 1 else 's'}",
            f"{grouped(page.standing.nodes)} nodes",
        ]
        parts += [f"{count(page.standing.tokens)} tokens"]
        if page.behind_ns > BEHIND_NS:
            parts.append(f"order of {age(page.behind_ns)} ago")
        title = "   ".join(parts)
        if title != self._title:
            self._title = title
            self.border_title = Text(f"{request.mode}   {title}")

    def _repaint_changed(self) -> None:
        """Draw the visible rows, and refresh those that came out different."""
        top, old = self.scroll_offset.y, self._drawn
        self._drawn = {}
        for y in range(self._room.height - 1):
            if self._line(top + y) != old.get(top + y):
                self._refresh_row(top + y)
        if old.get(-1) != self._line(-1):
            self.refresh(Region(0, 0, self.size.width, 1))

    def _line(self, place: int) -> Line:
        """Return the line of a row, or of the head (-1); blank for a row that has not come yet."""
        line = self._drawn.get(place)
        if line is None:
            row = self._row(place)
            if place >= 0 and row is None:
                return _NOTHING_FOUND if place == 0 and self._request.pattern and not self._page.total else BLANK
            line = self._drawn[place] = self._table.head() if row is None else self._table.line(row)
        return line

    def _row(self, place: int) -> TreeRow | None:
        offset = place - self._page.first
        return self._page.rows[offset] if 0 <= offset < len(self._page.rows) else None

    def _refresh_row(self, place: int) -> None:
        self.refresh(Region(0, place + 1 - self.scroll_offset.y, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        """Return the strip of the head (0) or of a visible row."""
        place = y - 1 + self.scroll_offset.y if y else -1
        over = self._roles["cursor"] if place == self._cursor and self._page.total else None
        return strip_of(self._line(place), self._roles, self._room.width, self.rich_style, over)

    @property
    def _room(self) -> Size:
        return self.scrollable_content_region.size

    # ---- the cursor

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        self._go_to(self._cursor + rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self._go_to(self._cursor + pages * max(1, self._room.height - 2))

    def action_edge(self, last: int) -> None:
        """Go to the first row, or to the last one."""
        self._go_to(self._page.total - 1 if last else 0)

    def _go_to(self, place: int) -> None:
        self._put_cursor(place)
        self._keep_in_view()
        self._want(self._request)

    def _put_cursor(self, place: int) -> None:
        self._refresh_row(self._cursor)
        self._cursor = max(0, min(place, self._page.total - 1))
        row = self._row(self._cursor)
        self._cursor_node = row.node if row is not None else -1
        self._refresh_row(self._cursor)

    def _keep_in_view(self) -> None:
        top, rows = self.scroll_offset.y, self._room.height - 1
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False)
        elif rows > 0 and self._cursor >= top + rows:
            self.scroll_to(y=self._cursor - rows + 1, animate=False)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row; a second click opens it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y < 1:
            self._sort_by(self._table.order_at(offset.x))
            return
        place = offset.y - 1 + self.scroll_offset.y
        if place == self._cursor:
            self.action_open()
        else:
            self._go_to(place)

    # ---- what is shown

    def action_open(self) -> None:
        """Open or close the node under the cursor; show everything about a leaf."""
        row = self._row(self._cursor)
        if row is not None and row.children and self._request.mode == "tree":
            self._set_open(row, not row.is_open)
        elif row is not None:
            self.app.post_message(NodeChosen(row.node))

    def action_expand(self) -> None:
        """Open the node under the cursor, or step into it when it is open."""
        row = self._row(self._cursor)
        if row is not None and row.is_open:
            self._go_to(self._cursor + 1)
        elif row is not None and row.children and self._request.mode == "tree":
            self._set_open(row, True)

    def action_collapse(self) -> None:
        """Close the node under the cursor, or go up to its parent when it is closed."""
        row = self._row(self._cursor)
        if row is not None and row.is_open:
            self._set_open(row, False)
        elif row is not None:
            above = (place for place in range(self._cursor, -1, -1) if self._is_above(place, row.level))
            self._go_to(next(above, self._cursor))

    def _is_above(self, place: int, level: int) -> bool:
        row = self._row(place)
        return row is not None and row.level < level

    def _set_open(self, row: TreeRow, is_open: bool) -> None:
        self._want(self._request.with_open(row.node) if is_open else self._request.with_closed(row.node))

    def action_deepen(self, levels: int) -> None:
        """Show so many levels more."""
        self._want(self._request.deeper(levels))

    def action_order(self) -> None:
        """Sort by the next figure."""
        self._restart(self._request.next_order(self._page.standing.tells_use))

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._restart(replace(self._request, is_reversed=not self._request.is_reversed))

    def _sort_by(self, order: Order | None) -> None:
        if order is not None:
            self._restart(self._request.sorted_by(order))

    def action_next_mode(self) -> None:
        """Show the next list."""
        self._restart(self._request.next_mode())

    def show_mode(self, mode: Mode) -> None:
        """Show a list."""
        self._restart(self._request.in_mode(mode))

    def action_join(self) -> None:
        """Let chains of single children share a row, or give each node its own."""
        self._want(replace(self._request, joins=not self._request.joins))

    def _restart(self, request: TreeRequest) -> None:
        """Ask for rows in another order, and go to the first of them."""
        self._cursor, self._cursor_node = 0, -1
        self.scroll_to(y=0, animate=False)
        self._want(request)

    def action_seek(self, direction: int) -> None:
        """Go to the next match of the filter, or to the one before."""
        if self._request.pattern:
            self._want(replace(self._request, seek=direction))

    def action_clear(self) -> None:
        """Drop the filter."""
        if self._request.pattern:
            self.filter_by("")

    def filter_by(self, pattern: str) -> None:
        """Show only the nodes that match and the ways to them; "" shows all."""
        self._want(self._request.filtered(pattern))

    def action_detail(self) -> None:
        """Show everything about the node under the cursor."""
        row = self._row(self._cursor)
        if row is not None:
            self.app.post_message(NodeChosen(row.node))

    def _want(self, request: TreeRequest) -> None:
        """Ask for the rows of a request around the window, and for the row of the cursor's node."""
        margin = max(1, self._room.height)
        first = max(0, self.scroll_offset.y - margin)
        self._request = replace(request, first=first, count=margin * 3, cursor=self._cursor_node)
        self.app.post_message(QuestionsChanged())

    def on_resize(self) -> None:
        """Ask for as many rows as there is room for."""
        self._table = replace(self._table, width=self._room.width)
        self._drawn = {}
        self._want(self._request)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Take the cursor along, and ask for the rows around the new window."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value) and self._room.height > 1:  # else no row is in sight
            top = self.scroll_offset.y
            self._put_cursor(max(top, min(self._cursor, top + self._room.height - 2)))
            self._want(self._request)
