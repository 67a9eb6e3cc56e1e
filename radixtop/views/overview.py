"""The overview: how the cache does, in one look."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from radixtop.headline import HEADLINES
from radixtop.messages import Frame
from radixtop.panel import PANELS
from radixtop.question import Question
from radixtop.render.chrome import Hotspot
from radixtop.render.lines import Line, fit
from radixtop.scene import Scene
from radixtop.view import VIEW_KEYS, View
from radixtop.widgets.bar import Bar
from radixtop.widgets.line_view import Styles

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.widgets.engine_board import EngineBoard

SERVED = "engine"
"""The name of the sample that servers have."""


class Overview(View):
    """What the views answer, a line each, over panels in one, two or three columns, as many as fit."""

    panels: ClassVar[tuple[str, ...]] = (
        "hit_rate", "pools", "nodes", "requests", "throughput", "branching", "evictions", "operations",
    )  # fmt: skip
    DEFAULT_CSS = """
    #overview { layout: grid; grid-size: 2 3; grid-rows: auto 1fr 1fr; }
    #overview-headlines { column-span: 2; height: auto; min-height: 4; padding: 0 1; }
    #overview-hit_rate { column-span: 2; }
    #overview-branching, #overview-evictions, #overview-operations { display: none; }
    .-normal.-short #overview-requests, .-normal.-short #overview-throughput { display: none; }

    .-narrow #overview { layout: vertical; overflow-y: auto; }
    .-narrow #overview .panel { height: 9; display: block; }

    .-normal.-tall #overview, .-normal.-towering #overview { grid-size: 2 5; grid-rows: auto 1fr 1fr 1fr 1fr; }
    .-normal.-tall #overview .panel, .-normal.-towering #overview .panel { display: block; }
    .-normal #overview #overview-operations { display: none; }

    .-wide #overview, .-huge #overview { grid-size: 3 4; grid-rows: auto 1fr 1fr 1fr; }
    .-wide #overview-headlines, .-huge #overview-headlines { column-span: 3; }
    .-wide #overview-hit_rate { column-span: 3; }
    .-wide #overview .panel, .-huge #overview .panel { display: block; }
    .-wide #overview #overview-operations { display: none; }

    .-low #overview { grid-rows: auto 7 7 7; overflow-y: auto; }
    .stage #overview.-served { layout: vertical; overflow-y: hidden; }
    .stage #overview.-served > .panel { display: none; }
    #overview.-served #overview-headlines { min-height: 2; }
    .-normal.-low #overview { grid-size: 2 4; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self._headlines = Bar(styles, id=f"{name}-headlines")
        self._board: EngineBoard | None = None

    def compose(self) -> ComposeResult:
        """Yield the headlines and the panels."""
        yield self._headlines
        yield from super().compose()

    def questions(self) -> tuple[Question, ...]:
        """Return the one for the biggest prefix; the other headlines are told by samples."""
        from radixtop.tree.biggest import BiggestQuestion  # not for the first frame

        return (BiggestQuestion(),)

    def show(self, scene: Scene) -> None:
        """Show what the views answer, and the panels."""
        snapshot = scene.frame.snapshot
        if snapshot is not None and SERVED in snapshot.samples:
            self._serve(snapshot)
        else:
            super().show(scene)
        if snapshot is not None:
            self._headlines.paint_with(lambda width: _painted(headlines(scene.frame, width), width))

    def _serve(self, snapshot: Snapshot) -> None:
        """Show what a server's metrics tell, in place of panels that would know nothing."""
        if self._board is None:
            from radixtop.widgets.engine_board import EngineBoard  # of servers only

            self._board = EngineBoard(self.roles)
            self.add_class("-served")
            self.mount(self._board)
        self._board.show(snapshot)

    def samples(self) -> tuple[type, ...]:
        """Return those of the panels in sight."""
        if self._board is None:
            return super().samples()
        from radixtop.widgets.engine_board import PANELS as OF_SERVERS

        return tuple(dict.fromkeys(PANELS.load(name).sample for name in OF_SERVERS))


def headlines(frame: Frame, width: int) -> list[tuple[str, Line]]:
    """Return what the views answer of a frame, each with the key that leads there, in as many cells."""
    keys = VIEW_KEYS | {"time": "t"}
    found = ((name, HEADLINES.load(name)(frame, width - 2)) for name in HEADLINES)
    return [(keys[name], line) for name, line in found if line is not None]


def _painted(found: Iterable[tuple[str, Line]], width: int) -> tuple[list[Line], list[Hotspot]]:
    """Return the lines with their keys, and where they can be clicked."""
    lines: list[Line] = []
    spots: list[Hotspot] = []
    for y, (key, line) in enumerate(found):
        lines.append(((f"{key} ", "key"), *fit(line, width - 2)))
        spots.append(Hotspot(y, 0, width, key))
    return lines, spots
