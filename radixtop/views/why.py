"""What is wrong, what that costs, and what to change: the findings of `radixtop why`, up to the moment shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget

from radixtop.keymap import bindings
from radixtop.messages import Frame, QuestionsChanged, RequestChosen
from radixtop.question import Question
from radixtop.render.units import clock
from radixtop.scene import Scene
from radixtop.view import FilteredView
from radixtop.why.page import WhyPage, WhyQuestion
from radixtop.why.telling import page_document
from radixtop.why.trial import TrialQuestion, Trials
from radixtop.widgets.answer_view import AnswerView
from radixtop.widgets.line_view import Styles
from radixtop.widgets.why_list import WhyDetail, WhyList
from radixtop.words.outside import is_outside, untold
from radixtop.words.trial import untried, with_gains
from radixtop.words.why import SHOWN_IN, answer

_UNTOLD = untold("why requests miss")


class Why(FilteredView):
    """The verdict in words, the findings by what they cost, and all about the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("why")
    is_of_overview: ClassVar[bool] = True
    DEFAULT_CSS = """
    #why { layout: vertical; }
    .stage #why #why-answer { height: 3; margin: 0; }
    .-narrow #why #why-answer { height: 5; }
    .-wide #why #why-answer, .-huge #why #why-answer { height: 2; }
    #why-body { height: 1fr; layout: vertical; }
    #why-rows { height: auto; min-height: 4; max-height: 45%; overflow: hidden hidden; }
    #why-detail { height: 1fr; overflow: hidden auto; scrollbar-gutter: stable; }
    .-huge #why-body { layout: horizontal; }
    .-huge #why-body #why-rows { width: 3fr; height: 100%; max-height: 100%; }
    .-huge #why-body #why-detail { width: 2fr; height: 100%; }
    .-low #why #why-answer { height: 2; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self._said = AnswerView(styles, id=f"{name}-answer")
        self.rows = WhyList(styles, id=f"{name}-rows")
        self.detail = WhyDetail(styles, id=f"{name}-detail")
        self._from_at: int | None = None
        self._scene: Scene | None = None
        self._trial = TrialQuestion()
        self._trials = Trials()

    def compose(self) -> ComposeResult:
        """Yield the answer, the list and the detail."""
        yield self._said
        with Container(id=f"{self.id}-body"):
            yield self.rows
            yield self.detail

    def show(self, scene: Scene) -> None:
        """Show the page that came, if it is one of what is asked for now."""
        self._scene = scene
        snapshot, page = scene.frame.snapshot, scene.frame.answer(WhyPage)
        if snapshot is not None and is_outside(snapshot):
            self.leave_out_untold(snapshot, self.rows, self.detail)
            self._said.say(lambda width: (_UNTOLD,))
            return
        self._trials = scene.frame.answer(Trials) or self._trials
        if page is not None and page.question == self._question:
            self._said.say(lambda width: answer(page))
            self.rows.show(with_gains(page, self._trials))
        elif self.rows.page is None:
            self._said.say(lambda width: answer(None))

    def on_why_list_moved(self) -> None:
        """Tell of the finding under the cursor."""
        finding = self.rows.chosen
        trial = None if finding is None else self._trials.of(finding.name, finding.change)
        self.detail.show(self.rows.page, finding, trial)

    @property
    def _question(self) -> WhyQuestion:
        return WhyQuestion(self._from_at)

    def questions(self) -> tuple[Question, ...]:
        """Return the one for the findings, and the one for what a change gives once that was asked."""
        return (self._question, self._trial) if self._trial.number else (self._question,)

    def is_answered_by(self, frame: Frame) -> bool:
        """Say whether a frame has the findings of everything up to its moment."""
        page = frame.answer(WhyPage)
        return page is not None and page.progress is None

    def focus_target(self) -> Widget:
        """Return the list."""
        return self.rows

    def open(self) -> bool:
        """Open the request that lost most to the finding under the cursor."""
        page, finding = self.rows.page, self.rows.chosen
        if page is None or finding is None:
            return False
        worst = page.worst.get(finding.name, ())
        if worst:
            self.app.post_message(RequestChosen(worst[0][0]))
        else:
            self.app.clear_notifications()
            self.app.notify("this finding names no request: o shows more of it", timeout=3)
        return True

    def back(self) -> bool:
        """End what is being measured, drop the filter, go back to the first row, then to the whole run."""
        if self._trials.running:
            self._try(TrialQuestion(self._trial.number + 1))
            return True
        if self.rows.undo():
            return True
        if self._from_at is not None:
            self.action_from_here()
            return True
        return False

    @property
    def pattern(self) -> str:
        """See FilteredView."""
        return self.rows.pattern

    def filter_by(self, pattern: str) -> None:
        """See FilteredView."""
        self.rows.filter_by(pattern)

    def exported(self) -> Mapping[str, object]:
        """Return the findings as they are on screen."""
        page = self.rows.page
        return {} if page is None else {"why": page_document(page)}

    async def action_where(self) -> None:
        """Go to the view that shows more of the finding under the cursor."""
        finding = self.rows.chosen
        if finding is not None and finding.name in SHOWN_IN:
            await self.run_action(f"screen.view('{SHOWN_IN[finding.name]}')")

    def action_try_change(self) -> None:
        """Have the change of the finding under the cursor measured, as of the moment that is shown."""
        page, finding = self.rows.page, self.rows.chosen
        if page is None or finding is None:
            return
        why_not = untried(page, finding)
        if why_not or finding.change is None:
            self.app.clear_notifications()
            self.app.notify(f"not measured: {why_not}", timeout=4)
        else:
            self._try(TrialQuestion(self._trial.number + 1, finding.name, finding.change.settings))

    def _try(self, question: TrialQuestion) -> None:
        self._trial = question
        self.app.post_message(QuestionsChanged())

    def action_order(self) -> None:
        """Order the findings by what comes next."""
        self.rows.order()

    def action_clear(self) -> None:
        """Drop the filter."""
        self.rows.filter_by("")

    def action_from_here(self) -> None:
        """Count from the moment that is shown on, or the whole run again."""
        scene = self._scene
        if scene is None or scene.frame.snapshot is None:
            return
        moment = scene.frame.moment
        self.app.clear_notifications()
        if self._from_at is not None or moment is None:
            self._from_at = None
            self.app.notify("counting the whole run", timeout=3)
        else:
            self._from_at = moment.at
            self.app.notify(f"counting from {clock(moment.at - moment.start)} on; w: the whole run", timeout=3)
        self.app.post_message(QuestionsChanged())
