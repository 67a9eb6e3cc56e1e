"""The dashboard as a Textual app: it runs the poller, hands scenes to the screen, and answers general keys."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import RenderableType
from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.driver import Driver
from textual.filter import LineFilter, Monochrome, NoColor
from textual.screen import Screen

from radixtop.keymap import KEYS, Key, bindings_over_all
from radixtop.lean_update import Lean
from radixtop.looks import Looks
from radixtop.messages import (
    Exported,
    ExportWanted,
    Frame,
    FrameHushed,
    FrameReady,
    MomentWanted,
    NodeChosen,
    QuestionsChanged,
    RankChosen,
    RequestChosen,
)
from radixtop.poller import Poller
from radixtop.portrait import Portrait
from radixtop.question import Question
from radixtop.render.chrome import Status
from radixtop.render.palette import depth_of
from radixtop.scene import Scene, status_of, titled
from radixtop.screens.main import MainScreen
from radixtop.screens.overlay import Overlay
from radixtop.settings.setting import DEFAULTS, Settings
from radixtop.source import Source, follower_of, transport_of

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.playing.transport import Transport

RATES = (0.2, 0.5, 1.0, 2.0, 4.0, 10.0, 30.0)
"""Refreshes a second that + and - step through."""

PollerOf = Callable[[Source, Callable[[Frame], object], float], Poller]
"""Makes the poller of a source; it posts frames to the second argument, at the rate of the third."""


class RadixtopApp(App[None]):
    """Watches a source until someone quits. The caller closes the source after `run` returns.

    `at_rest` is called with the first frame after a view came in sight: what was built until then is there to stay.
    """

    CSS_PATH = Path(__file__).with_name("styles.tcss")  # of apps that are made of this one, too
    TITLE = "radixtop"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "interrupt", show=False, priority=True),
        *bindings_over_all(),
    ]

    def __init__(
        self,
        source: Source,
        *,
        title: str,
        settings: Settings = DEFAULTS,
        poller: PollerOf = Poller,
        at_rest: Callable[[], object] | None = None,
    ) -> None:
        super().__init__()
        self.no_color = not settings.color
        depth = depth_of(self.console.color_system, self.no_color)
        self._lean = Lean()
        self._looks = Looks(depth, settings.theme, is_ascii=settings.ascii, no_color=self.no_color)
        self._wear(settings.theme)
        self._keys = self._rebound(settings)
        self._roles = self._looks.palette
        self._poller = poller(source, lambda frame: self.post_message(FrameReady(frame)), settings.hz)
        self._hz = settings.hz
        self._at_rest = at_rest
        self._rested: set[str] = set()
        self._told = 0
        self._marks = 0
        self._portrait = Portrait(self, self._poller)
        self._opens_fleet = not settings.chooses_view
        self._named = title
        self._scene = Scene(Frame(), Status(title, "starting", hz=settings.hz))
        self._main = MainScreen(self._roles, self._scene.status, view=settings.view, keys=self._keys)

    def _rebound(self, settings: Settings) -> Sequence[Key]:
        """Bind keys as the settings have it and return the table of all."""
        if not settings.keys:
            return KEYS
        from radixtop.settings.rebind import rebound  # not for the first frame

        keys = rebound(settings.keys)
        self.set_keymap({key.name: key.names for key in keys if key not in KEYS})
        return keys

    def get_driver_class(self) -> type[Driver]:
        """Return what drives the terminal: on Linux one that notices when that is gone."""
        usual = super().get_driver_class()
        if usual.__name__ != "LinuxDriver":
            return usual
        from radixtop.terminal_driver import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> MainScreen:
        """Return the main screen."""
        return self._main

    # ---- looks

    def _wear(self, name: str) -> None:
        """Put on a theme; whatever is on screen is drawn anew."""
        theme = self._looks.use(name)
        self.register_theme(theme)
        self.theme = theme.name

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what strips go through; of colour our settings decide, which know NO_COLOR as well."""
        theirs = (each for each in super().get_line_filters() if not isinstance(each, (Monochrome, NoColor)))
        return [*theirs, *self._looks.filters]

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Write an update of the screen to the terminal, which gets no more than it does not show."""
        super()._display(screen, self._lean(renderable))

    def action_theme(self) -> None:
        """Put on the next theme."""
        self.use_theme(self._looks.next_name)

    def use_theme(self, name: str) -> None:
        """Put on a theme, and say which."""
        self._wear(name)
        self.clear_notifications()
        self.notify(f"theme {name}", timeout=2)

    def on_mount(self) -> None:
        """Draw everything anew when the shell has given the terminal back; in a browser, end with the server."""
        self.app_resume_signal.subscribe(self, lambda _: self._draw_anew())
        if self.is_web:
            self.set_interval(1.0, partial(self._leave_without, os.getppid()))

    def _leave_without(self, parent: int) -> None:
        """Leave when the server is gone, which may not have come to say so."""
        if os.getppid() != parent:
            self.exit()

    def _draw_anew(self) -> None:
        self._lean.forget()
        self.screen.refresh(layout=True)

    def on_ready(self) -> None:
        """Start to poll once the first frame is on screen."""
        self._poller.start()
        self.post_message(QuestionsChanged())

    def on_unmount(self) -> None:
        """End the polling thread."""
        self._poller.stop()

    # ---- scenes

    def on_frame_ready(self, message: FrameReady) -> None:
        """Show a new frame, and say what came of what was asked for."""
        if self._portrait.keeps(message.frame):
            return
        self.show_frame(message.frame)
        number, said = message.frame.notice
        if number != self._told:
            self._told = number
            self.clear_notifications()
            self.notify(said, markup=False)

    @property
    def scene(self) -> Scene:
        """What is shown."""
        return self._scene

    def show_frame(self, frame: Frame) -> None:
        """Show a frame, on whatever lies over the view as well."""
        status, components = self._scene.status, self._scene.components
        if frame.snapshot is not None:
            from probes.snapshot import component_names  # not for the first frame

            status = status_of(status, frame.snapshot, frame.moment)
            components = component_names(frame.snapshot.source.config) or components
        status = replace(status, hz=self._hz, title=titled(self._named, frame))
        if frame.failure:
            status = replace(status, state="lost", message=frame.failure)
        is_of_all = frame.is_hushed or self._scene.frame.is_hushed
        self._scene = Scene(frame, status, components)
        self._show(self.screen_stack if is_of_all else None)
        if frame.snapshot is not None and self._opens_fleet and "fleet" in frame.snapshot.samples:
            self._open_fleet(frame.snapshot)
        if frame.snapshot is not None and self._at_rest and self.view_name not in self._rested:
            self._rested.add(self.view_name)
            self._at_rest()

    def _open_fleet(self, snapshot: Snapshot) -> None:
        """Go from the first view on to the fleet, once, where several ranks were found and nobody chose a view."""
        from radixtop.fleet.opening import FLEET, has_several_ranks  # of servers only

        if has_several_ranks(snapshot):
            self._opens_fleet = False
            if self.view_name == DEFAULTS.view:
                self.call_later(self.show_view, FLEET)

    def _show(self, screens: Iterable[Screen[object]] | None = None) -> None:
        for screen in screens or (self.screen,):
            if isinstance(screen, (MainScreen, Overlay)):
                screen.show(self._scene)

    # ---- questions

    def on_questions_changed(self, message: QuestionsChanged) -> None:
        """Pass on what is wanted to know, by the view in sight and by what is laid over it."""
        from radixtop.comparison.question import MarkQuestion  # not for the first frame

        self._poller.ask((MarkQuestion(self._marks), *self.asked()))

    def asked(self) -> tuple[Question, ...]:
        """Return what all of the screen wants to know, whatever lies over it."""
        over = (screen.questions() for screen in self.screen_stack if isinstance(screen, Overlay))
        return (*self._main.questions(), *(question for questions in over for question in questions))

    def on_frame_hushed(self, message: FrameHushed) -> None:
        """Go on with a picture."""
        self._portrait.sit(message.asked, message.frame)

    def on_node_chosen(self, message: NodeChosen) -> None:
        """Show everything about a node."""
        from radixtop.screens.node import NodeScreen  # not for the first frame

        self.lay_over(NodeScreen(self._roles, message.node))

    def on_request_chosen(self, message: RequestChosen) -> None:
        """Explain a request."""
        from radixtop.screens.request import RequestScreen  # not for the first frame

        self.lay_over(RequestScreen(self._roles, message.request))

    def on_rank_chosen(self, message: RankChosen) -> None:
        """Let the tree be that of another rank, and say what came of it."""
        self._poller.run_errand(lambda source: follower_of(source).follow(message.server, message.rank))

    def lay_over(self, overlay: Overlay) -> None:
        """Show something over the view until it is dismissed."""
        self.push_screen(overlay, self._uncover)
        self.post_message(QuestionsChanged())

    def _uncover(self, _: None) -> None:
        self.post_message(QuestionsChanged())
        self._show()

    # ---- files

    def on_export_wanted(self, message: ExportWanted) -> None:
        """Have what is on screen written, once there is something, on the thread that has the tree."""
        snapshot = self._scene.frame.snapshot
        if snapshot is None:
            self.notify("nothing to export yet", severity="warning")
            return
        from radixtop.view_export import View, exported  # not for the first frame

        view = View(message.view, message.samples, snapshot, message.more)
        self._poller.run_errand(lambda source: self.post_message(exported(view, source.mirror)))

    def on_exported(self, message: Exported) -> None:
        """Say where the file is, or why it is not there."""
        self.clear_notifications()  # they cover panels, and only the last one is news
        if message.fault:
            self.notify(message.fault, title="not exported", severity="error", markup=False)
        else:
            self.notify(f"wrote {message.name}", markup=False)

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Write the screen without text of prompts to a new SVG file; a browser gets it as a download."""
        from radixtop.screenshot import take  # not for the first frame

        self._portrait.begin(partial(take, self, filename, path))

    # ---- keys

    @property
    def keys(self) -> Sequence[Key]:
        """Every key that does something for what is watched, as the settings have it."""
        return self._main.keys

    @property
    def view_name(self) -> str:
        """The view in sight."""
        return self._main.current

    async def show_view(self, name: str) -> None:
        """Show a view."""
        await self._main.action_view(name)

    def action_command_palette(self) -> None:
        """List the actions that there are, to find one by its name."""
        from radixtop.screens.actions import Actions  # not for the first frame

        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette([Actions], placeholder="find an action", id="--command-palette"))

    def action_interrupt(self) -> None:
        """Quit as an interrupted command does."""
        self.leave_at(signal.SIGINT)

    def leave_at(self, number: int) -> None:
        """Quit with the exit code that a shell has for a command which a signal ended."""
        self.exit(return_code=128 + number)

    def action_help(self) -> None:
        """Show the keys and the signs."""
        from radixtop.screens.help import HelpScreen  # not for the first frame

        self.lay_over(HelpScreen(self._roles, self._main.current, self.keys))

    def action_mark(self) -> None:
        """Mark the moment that is shown, to compare what comes with it."""
        self._marks += 1
        self.post_message(QuestionsChanged())
        self.clear_notifications()
        self.notify("marked: compare says what changes", timeout=2)

    def action_faster(self) -> None:
        """Refresh more often."""
        self._set_rate(next((rate for rate in RATES if rate > self._hz), RATES[-1]))

    def action_slower(self) -> None:
        """Refresh less often."""
        self._set_rate(next((rate for rate in reversed(RATES) if rate < self._hz), RATES[0]))

    def _set_rate(self, hz: float) -> None:
        self._hz = hz
        self._poller.set_rate(hz)
        self.show_frame(self._scene.frame)

    # ---- time

    def action_pause(self) -> None:
        """Let time stand still on screen, or go on."""
        self._travel(lambda transport: transport.toggle())

    def action_step(self) -> None:
        """Stand still at the next block."""
        self._travel(lambda transport: transport.step())

    def action_nudge(self, direction: int) -> None:
        """Go a little further or back."""
        self._travel(lambda transport: transport.nudge(direction))

    def action_leap(self, direction: int) -> None:
        """Go further or back by more."""
        self._travel(lambda transport: transport.leap(direction))

    def action_notable(self, direction: int) -> None:
        """Go to the next moment that matters, or to the one before."""
        self._travel(lambda transport: transport.go_to_notable(direction))

    def action_start(self) -> None:
        """Go to the first moment."""
        self._travel(lambda transport: transport.go_to_start())

    def action_newest(self) -> None:
        """Go to the last moment; a live source is live again."""
        self._travel(lambda transport: transport.go_to_end())

    def action_speed(self, factor: float) -> None:
        """Let time pass faster or slower."""
        self._travel(lambda transport: transport.change_speed(factor))

    def on_moment_wanted(self, message: MomentWanted) -> None:
        """Go to a moment."""
        self._travel(lambda transport: transport.seek(message.at))

    def _travel(self, move: Callable[[Transport], object]) -> None:
        if not self._scene.is_kept:
            self.clear_notifications()
            self.notify("servers are not kept: there is no moment to stop at or to go back to", timeout=3)
            return
        self._poller.run_errand(lambda source: move(transport_of(source)))
