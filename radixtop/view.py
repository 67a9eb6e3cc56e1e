"""The contract of a view, and the table of views.

A view is what fills the screen between header and footer: one question that users have, and what answers it. It is
built when it is first looked at, and the panels of the first one come when the bars are on the screen: whatever they
import is not paid for by the first frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from radixtop.messages import Frame
from radixtop.panel import PANELS
from radixtop.question import Question
from radixtop.scene import Scene
from radixtop.widgets.line_view import Styles
from radixtop.widgets.panel_view import PanelView
from radixtop.words.outside import is_outside

if TYPE_CHECKING:
    from probes.snapshot import Snapshot


class View(Container):
    """Shows scenes while it is in sight. Without more it is its panels, laid out by `DEFAULT_CSS`.

    Classes of its stage tell the size of the screen: see `radixtop.widgets.stage`. The ids of panels are VIEW-PANEL.
    """

    panels: ClassVar[tuple[str, ...]] = ()
    """Names of panels, in reading order."""

    is_of_overview: ClassVar[bool] = False
    """Whether, once it was looked at, its questions are asked for the overview as well: its headline costs more."""

    def __init_subclass__(cls) -> None:
        """Let the rules of a view go by the classes of its stage, which lies above it."""
        super().__init_subclass__()
        cls.SCOPED_CSS = False

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(id=name, classes="view")
        self.roles = styles

    def compose(self) -> ComposeResult:
        """Yield the panels."""
        for name in self.panels:
            yield PanelView(name, self.roles, id=f"{self.id}-{name}")

    def show(self, scene: Scene) -> None:
        """Show a scene: here in every panel that has room."""
        if scene.frame.snapshot is not None:
            for panel in self.query(PanelView):
                if panel.display:
                    panel.show(scene.frame.snapshot)

    def leave_out_untold(self, snapshot: Snapshot, *others: Widget) -> None:
        """Hide the panels, and others beside them, that a server seen from outside never fills."""
        if not is_outside(snapshot):
            return
        self.add_class("-outside")
        for widget in (*(panel for panel in self.query(PanelView) if not panel.is_told_outside), *others):
            widget.display = False
        if self.screen.focused is not None and not self.screen.focused.display:
            self.screen.set_focus(self.focus_target())

    def questions(self) -> tuple[Question, ...]:
        """Return what the view wants to know with every frame; who wants to know else posts QuestionsChanged."""
        return ()

    def is_answered_by(self, frame: Frame) -> bool:
        """Say whether a frame has the answers to what the view wants to know now; the first may be of no rows yet."""
        return True

    def focus_target(self) -> Widget | None:
        """Return what has the focus when the view comes in sight, so that its keys work."""
        return None

    def open(self) -> bool:
        """Open what the cursor is on, if the view has one; say whether it has."""
        return False

    def back(self) -> bool:
        """Undo one step within the view; say whether there was one."""
        return False

    def exported(self) -> Mapping[str, object]:
        """Return what else belongs into that file, as JSON-able values by name."""
        return {}

    def samples(self) -> tuple[type, ...]:
        """Return the classes of the samples that the view shows, for a file of them."""
        return tuple(PANELS.load(name).sample for name in self.panels)


class FilteredView(View):
    """A view whose rows can be filtered by a text."""

    @property
    def pattern(self) -> str:
        """The text that rows are filtered by, "" for none."""
        raise NotImplementedError

    def filter_by(self, pattern: str) -> None:
        """Show only rows that match; "" shows all."""
        raise NotImplementedError


class Listed(NamedTuple):
    """Where a view lives, and what it answers in a few words."""

    place: str
    summary: str
    key: str = ""
    """The key of a view that has no digit."""

    def build(self, name: str, styles: Styles) -> View:
        """Import and make the view."""
        module, _, attribute = self.place.partition(":")
        view = getattr(import_module(module), attribute)(name, styles)
        assert isinstance(view, View), f"{self.place=}"
        return view


VIEWS: dict[str, Listed] = {
    "overview": Listed("radixtop.views.overview:Overview", "everything at a glance"),
    "tree": Listed("radixtop.views.tree:Tree", "the cached prefixes"),
    "swa": Listed("radixtop.views.swa:Swa", "whether windows are lost too early, and what that costs"),
    "evictions": Listed("radixtop.views.evictions:Evictions", "what evictions cost, what goes next, what came back"),
    "requests": Listed("radixtop.views.requests:Requests", "what each hit, what it missed and why, how long it took"),
    "ages": Listed("radixtop.views.ages:Ages", "whether what is evicted was still wanted"),
    "flame": Listed("radixtop.views.flame:Flame", "what holds the cache, as an icicle"),
    "events": Listed("radixtop.views.events:Events", "what happens, as it happens"),
    "compare": Listed("radixtop.views.compare:Compare", "what changed since a moment that you marked"),
    "fleet": Listed("radixtop.views.fleet:Fleet", "servers and ranks side by side, and what they share"),
    "misses": Listed("radixtop.views.misses:Misses", "why tokens miss, over time; who evicts whose", "M"),
    "capacity": Listed("radixtop.views.capacity:Capacity", "what more room would hit, and less", "C"),
    "why": Listed("radixtop.views.why:Why", "what is wrong, what that costs and what to change", "y"),
}
"""In the order of their keys."""

VIEW_KEYS = {name: listed.key or str(number % 10) for number, (name, listed) in enumerate(VIEWS.items(), start=1)}
"""The key of each view: 1, 2, and so on to 9, then 0, then letters."""
