"""Servers and ranks side by side: who is unlike the others, what they share, whose tree the other views show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widget import Widget

from radixtop.scene import Scene
from radixtop.view import View
from radixtop.widgets.answer_view import AnswerView
from radixtop.widgets.line_view import Styles
from radixtop.words.fleet import NOTHING_YET, UNTOLD, answer, samples_of, tells_away

if TYPE_CHECKING:
    from radixtop.widgets.fleet_board import FleetBoard

SAMPLE = "fleet"


class Fleet(View):
    """What is out of balance in words; a page of ranks, of overlap or of prefixes; what is under the cursor.

    All but the words is imported and mounted with the first sample: a cache of this machine has none.
    """

    DEFAULT_CSS = """
    #fleet { layout: vertical; }
    #fleet-answer { height: 4; margin: 0; }
    .-wide #fleet-answer, .-huge #fleet-answer { height: 3; }
    .-low #fleet-answer { height: 2; }
    #fleet-board { height: 1fr; overflow: hidden auto; scrollbar-gutter: stable; }
    #fleet-detail { height: 3; margin: 0; }
    .-low #fleet-detail { display: none; }
    .-tall #fleet-detail, .-towering #fleet-detail { height: 4; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self._said = AnswerView(styles, id="fleet-answer")
        self._detail = AnswerView(styles, id="fleet-detail")
        self._board: FleetBoard | None = None

    def compose(self) -> ComposeResult:
        """Yield the words."""
        yield self._said

    @property
    def board(self) -> FleetBoard:
        """The pages, once there was a sample."""
        assert self._board is not None
        return self._board

    def show(self, scene: Scene) -> None:
        """Show what a scene says of ranks."""
        snapshot = scene.frame.snapshot
        if snapshot is None:
            return
        if SAMPLE not in snapshot.samples:
            said = NOTHING_YET if snapshot.source.state == "starting" else UNTOLD
            self._said.say(lambda width: (said,))
            return
        sample, engine = samples_of(snapshot)
        assert sample is not None, f"{SAMPLE=}"
        if self._board is None:
            self._begin()
        is_away_untold = tells_away(snapshot)
        self._said.say(lambda width: answer(sample, engine, width, tells_away=is_away_untold))
        self.board.show(sample, engine)
        self.on_fleet_board_cursor_moved()

    def _begin(self) -> None:
        """Mount the pages, which nobody needs who watches one cache."""
        from radixtop.widgets.fleet_board import FleetBoard

        self._board = FleetBoard(self.roles, id="fleet-board")
        self.mount(self._board, self._detail)
        self.call_after_refresh(self._take_focus)

    def _take_focus(self) -> None:
        if self.screen.focused is None and self.is_on_screen:
            self.screen.set_focus(self._board)

    def on_fleet_board_cursor_moved(self) -> None:
        """Say more of what is under the cursor."""
        self._detail.say(lambda width: self.board.in_words())

    def focus_target(self) -> Widget | None:
        """Return the pages."""
        return self._board

    def open(self) -> bool:
        """Follow the rank under the cursor."""
        return self._board is not None and self._board.follow()

    def back(self) -> bool:
        """Go back to the ranks."""
        return self._board is not None and self._board.go_back()

    def samples(self) -> tuple[type, ...]:
        """Return what is known of ranks and what their metrics tell, where there are any."""
        if self._board is None:
            return ()
        from probes.builtin.engine import EngineSample
        from probes.builtin.fleet import FleetSample

        return (FleetSample, EngineSample)
