"""The main screen: header, one view, footer. A view is built when it is first looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from radixtop.keymap import KEYS, Key, bindings, footer_keys, of_servers
from radixtop.messages import ExportWanted, QuestionsChanged
from radixtop.question import Question
from radixtop.render.chrome import TROUBLE, Hotspot, Status, Tabs, banner, footer, has_remark, header, too_small
from radixtop.render.lines import Line
from radixtop.scene import Scene
from radixtop.view import VIEW_KEYS, VIEWS, FilteredView, View
from radixtop.widgets.bar import Bar
from radixtop.widgets.line_view import Styles
from radixtop.widgets.panel_view import PanelView
from radixtop.widgets.stage import LEAST, SHORT, Stage, is_too_small
from radixtop.widgets.timeline_bar import TimelineBar

if TYPE_CHECKING:
    from textual.widgets import Input

FIRST = next(iter(VIEWS))
"""The view that is there at first unless told, and that escape leads back to."""


class MainScreen(Screen[None]):
    """Arranges bars and panels, and hands each new scene to those that can be seen."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("anywhere")
    AUTO_FOCUS = ""

    def __init__(self, styles: Styles, status: Status, *, view: str = FIRST, keys: Sequence[Key] = KEYS) -> None:
        super().__init__()
        self._keys = keys
        self._roles = styles
        self._scene: Scene | None = None
        self._status = status
        self._views: dict[str, View] = {}
        self._stages: dict[str, Stage] = {}
        self._current = view
        self._header, self._banner = Bar(styles, id="header"), Bar(styles, id="banner")
        self._timeline = TimelineBar(styles, id="timeline")
        self._wants_timeline: bool | None = None  # None: when there is a moment to be found on it
        self._is_timed = False
        self._is_kept = True
        self._footer, self._too_small = Bar(styles, id="footer"), Bar(styles, id="too-small")

    @property
    def current(self) -> str:
        """The name of the view in sight."""
        return self._current

    @property
    def keys(self) -> Sequence[Key]:
        """The keys that do something for what is watched: servers are not kept, so there is no time to go to."""
        return self._keys if self._is_kept else of_servers(self._keys)

    @property
    def view(self) -> View:
        """The view in sight."""
        return self._views[self._current]

    def compose(self) -> ComposeResult:
        """Yield the bars and the first view."""
        yield self._header
        yield self._banner
        yield self._staged(self._current)
        yield self._timeline
        yield self._footer
        yield self._too_small

    def on_mount(self) -> None:
        """Paint the bars before anything is known."""
        self._paint_bars(self._status)
        self._too_small.paint_with(lambda width: (too_small(width, self.size.height, LEAST), ()))
        self.set_focus(self.view.focus_target())

    # ---- views

    def _staged(self, name: str) -> Stage:
        """Build a view and return the stage that it is on."""
        view = self._views[name] = VIEWS[name].build(name, self._roles)
        stage = self._stages[name] = Stage(view, self.app.size)
        return stage

    def on_resize(self, event: events.Resize) -> None:
        """Give the stage in sight the classes of the size; the others get them when they come in sight."""
        self.set_class(is_too_small(event.size), "-small")
        self._stages[self._current].fit(event.size)
        self._fit_timeline()

    async def action_view(self, name: str) -> None:
        """Show one view and hide the others."""
        self.minimize()
        self._current = name
        if name not in self._views:
            await self.mount(self._staged(name), after="#banner")
        for other, stage in self._stages.items():
            if other != name:
                stage.leave()
        self._stages[name].enter(self.size)
        self.set_focus(self.view.focus_target())
        self.app.post_message(QuestionsChanged())
        if self._scene is not None:
            self.show(self._scene)

    def questions(self) -> tuple[Question, ...]:
        """Return what the view in sight wants to know; the first one, what some looked at before do, too."""
        more = self._views.values() if self._current == FIRST else ()
        kept = (view.questions() for view in more if view.is_of_overview)
        return (*self.view.questions(), *(question for questions in kept for question in questions))

    # ---- keys

    def action_open(self) -> None:
        """Open what the cursor or the focus is on: a row of the view, the node of a row, or a panel at full size."""
        focused = self.focused
        if isinstance(focused, PanelView):
            if not focused.choose_row():
                self.maximize(focused, container=False)
        else:
            self.view.open()

    async def action_back(self) -> None:
        """Undo one step: full size, what the view has to undo, focus, then the view."""
        if self.maximized is not None:
            self.minimize()
        elif self.view.back():
            return
        elif self.focused is self.view.focus_target():
            await self.action_view(FIRST)
        else:
            self.set_focus(self.view.focus_target())

    def action_export(self) -> None:
        """Ask for a file of what is on screen."""
        self.app.post_message(ExportWanted(self._current, self.view.samples(), self.view.exported()))

    async def action_filter(self) -> None:
        """Ask for a text, and show only the rows that have it; where there are none to filter, those of the tree."""
        from radixtop.widgets.filter_line import FilterLine  # not for the first frame

        if not isinstance(self.view, FilteredView):
            await self.action_view("tree")
        if isinstance(self.view, FilteredView):
            line = FilterLine(self.view.pattern)
            await self.mount(line)
            self.set_focus(line)  # at once, where line.focus() would come after the keys that wait

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the filter's own key to the filter while one types in it."""
        return action != "filter" or not self.query("#filter")

    def on_input_changed(self, message: Input.Changed) -> None:
        """Filter while one types."""
        if isinstance(self.view, FilteredView):
            self.view.filter_by(message.value)

    async def on_input_submitted(self) -> None:
        """Keep the filter and go back to the rows."""
        await self.query("#filter").remove()
        self.set_focus(self.view.focus_target())

    async def on_filter_line_dropped(self) -> None:
        """Drop the filter and go back to the rows."""
        if isinstance(self.view, FilteredView):
            self.view.filter_by("")
        await self.on_input_submitted()

    # ---- scenes

    def show(self, scene: Scene) -> None:
        """Show a scene in the bars and in the panels of the current view."""
        self._scene = scene
        self._is_kept = scene.is_kept
        self._paint_bars(scene.status)
        self._show_timeline(scene)
        self.view.show(scene)

    def _show_timeline(self, scene: Scene) -> None:
        """Show the timeline where it is wanted: unless someone said so, that is off when one watches live."""
        moment = scene.frame.moment
        is_wanted = self._wants_timeline
        if is_wanted is None:
            is_wanted = moment is not None and not (moment.is_live and moment.is_newest)
        self._is_timed = is_wanted and moment is not None
        self._fit_timeline()
        self._timeline.show(moment, scene.frame.course)

    def _fit_timeline(self) -> None:
        """Show the timeline where there are rows for it, too."""
        self._timeline.set_class(self._is_timed and self.size.height >= SHORT, "-timed")

    def action_timeline(self) -> None:
        """Show the timeline, or hide it; where it has no room, leave it as it is."""
        if self.size.height < SHORT:
            self.app.notify("the timeline needs more rows", timeout=2)
            return
        self._wants_timeline = not self._is_timed
        if self._scene is not None:
            self._show_timeline(self._scene)

    def _paint_bars(self, status: Status) -> None:
        self._status = status
        self._header.paint_with(lambda width: header(status, Tabs(tuple(VIEWS), self._current, VIEW_KEYS), width))
        in_trouble = status.state in TROUBLE
        has_more = has_remark(status, self.size.width)
        self.set_class(in_trouble, "-trouble")
        self.set_class(has_more, "-remark")
        if in_trouble or has_more:
            self._banner.paint_with(lambda width: (banner(status, width), ()))
        self._paint_footer()

    def _paint_footer(self) -> None:
        keys = footer_keys(self._current, self.keys)

        def paint(width: int) -> tuple[list[Line], list[Hotspot]]:
            line, hotspots = footer(keys, width)
            return [line], hotspots

        self._footer.paint_with(paint)
