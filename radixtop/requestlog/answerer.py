"""Answers about requests, read off their log on the thread that ticks."""

from __future__ import annotations

from collections.abc import Callable

from cache_core.events import REASONS
from probes.builtin.request_log import RequestLogSample
from probes.lives.gaps import Gap
from probes.lives.leaving import Leaving
from probes.lives.misses import BEEN_THERE, COLUMN, DEVICE, LOADED, PROMPT, RETRACTED, PromptTokens
from probes.lives.request_life import Life
from probes.lives.request_log import RequestLog
from probes.mirror import Mirror
from probes.snapshot import Snapshot, number_of
from radixtop.question import Answerer
from radixtop.render.lines import clean
from radixtop.requestlog.page import (
    BOTTOM,
    CHOICES,
    TOP,
    Choice,
    Order,
    RequestRow,
    RequestsPage,
    RequestsQuestion,
    Story,
    StoryAnswer,
    StoryGap,
    StoryQuestion,
)
from radixtop.requestlog.steps import steps_of
from radixtop.source import Source


class Rows(Answerer[RequestsQuestion]):
    """Cuts windows of rows."""

    def answer(self, source: Source, snapshot: Snapshot, question: RequestsQuestion) -> RequestsPage | None:
        """See Answerer."""
        sample = snapshot.get(RequestLogSample)
        return None if sample is None else page_of(sample.log, source.mirror, question, snapshot.now)


class Stories(Answerer[StoryQuestion]):
    """Tells of one request."""

    def answer(self, source: Source, snapshot: Snapshot, question: StoryQuestion) -> StoryAnswer | None:
        """See Answerer."""
        sample = snapshot.get(RequestLogSample)
        if sample is None:
            return None
        life = sample.log.find(question.request)
        page_tokens = number_of(snapshot.source.config, "page_size") or 1
        story = None if life is None else story_of(life, sample.log, source.mirror, snapshot.now, page_tokens)
        return StoryAnswer(question.request, story)


def page_of(log: RequestLog, mirror: Mirror | None, question: RequestsQuestion, now: int) -> RequestsPage:
    """Return the rows that a question asks for."""
    lives = list(log.lives())
    kinds = {choice: [life for life in lives if _is_of(life, choice, log)] for choice in CHOICES}
    rows = sorted(kinds[question.choice], key=_KEYS[question.order])
    place = _place(rows, question)
    most = max(0, len(rows) - question.count)
    first = min(question.first, most, place)
    first = max(first, place - question.count + 1, 0)
    until = first + question.count
    return RequestsPage(
        question,
        tuple(row_of(life, log, mirror, now) for life in rows[first:until]),
        first,
        len(rows),
        place,
        tuple(life.request for life in rows[max(0, first - question.count) : first]),
        tuple(life.request for life in rows[until : until + question.count]),
        {choice: len(chosen) for choice, chosen in kinds.items()},
    )


def _place(rows: list[Life], question: RequestsQuestion) -> int:
    """Return the row of the cursor, or the nearest to where it was."""
    last = max(0, len(rows) - 1)
    if question.cursor in (TOP, BOTTOM):
        return 0 if question.cursor == TOP else last
    found = next((place for place, life in enumerate(rows) if life.request == question.cursor), question.first)
    return min(found, last)


def _is_of(life: Life, choice: Choice, log: RequestLog) -> bool:
    if choice == "all":
        return True
    if choice == "missed":
        amounts = life.so_far()
        return any(amounts[COLUMN[miss]] for miss in BEEN_THERE)
    state = life.state
    if state in ("retracted", "refused"):
        state = "waiting" if log.alive.get(life.request) is life else "done"
    return state == choice


def _missed(life: Life) -> int:
    amounts = life.so_far()
    return amounts[PROMPT] + amounts[RETRACTED] - amounts[DEVICE] - amounts[LOADED] if life.is_known else 0


_KEYS: dict[Order, Callable[[Life], tuple[int, int]]] = {
    "newest": lambda life: (-life.arrived_at, -life.request),
    "missed": lambda life: (-_missed(life), -life.arrived_at),
    "ttft": lambda life: (-(life.ttft_ns or 0), -life.arrived_at),
}


def row_of(life: Life, log: RequestLog, mirror: Mirror | None, now: int) -> RequestRow:
    """Return a request as it is now."""
    return RequestRow(
        request=life.request,
        state=life.state,
        age_ns=max(0, now - life.arrived_at),
        label=_label(life, mirror),
        namespace="" if mirror is None else clean(mirror.namespaces.get(life.namespace or 0, "")),
        tokens=PromptTokens(*life.so_far()),
        is_known=life.is_known,
        hit_boundary=life.hit_boundary,
        full_boundary=life.full_boundary,
        branching_point=life.branching_point,
        ttft_ns=life.ttft_ns,
        queued_ns=life.queued_ns,
        output_tokens=_output_tokens(life, log),
        retractions=life.retractions,
    )


def _output_tokens(life: Life, log: RequestLog) -> int | None:
    if life.state == "running":
        return None if life.first_token_at is None else 1 + log.decode_steps - life.decode_steps
    return life.output_tokens


def _label(life: Life, mirror: Mirror | None) -> str:
    """Return the segment in which the hit ended and the one in which the prompt did, as far as they have names."""
    if mirror is None:
        return ""
    names = [mirror.labels.get(label, "") for label in (life.hit_label, life.last_label) if label is not None]
    return clean(" › ".join(dict.fromkeys(filter(None, names))))


def story_of(life: Life, log: RequestLog, mirror: Mirror | None, now: int, page_tokens: int) -> Story:
    """Return everything that is told of a request."""
    admitted = life.admitted_at
    return Story(
        row=row_of(life, log, mirror, now),
        prefill_ns=life.prefill_ns,
        gaps=tuple(_gap(gap, admitted, mirror) for gap in life.gap_parts()),
        evicted_ago_ns=_before(admitted, life.evicted_at),
        evicted_for=made_room(life.newest("evicted"), mirror),
        elsewhere=_space(life.newest("other_namespace"), mirror),
        parted_at=life.parted_at,
        remembers_all=log.is_whole,
        page_tokens=page_tokens,
        grid_tokens=life.rounding.grid_tokens,
        reason=REASONS.get(life.reason, f"reason {life.reason}"),
        steps=steps_of(life, mirror),
        steps_left_out=life.steps_left_out,
    )


def _gap(gap: Gap, admitted: int | None, mirror: Mirror | None) -> StoryGap:
    at = None if gap.left is None else gap.left.at
    return StoryGap(gap.end - gap.start, gap.lacking, _before(admitted, at), made_room(gap.left, mirror))


def _space(left: Leaving | None, mirror: Mirror | None) -> str:
    """Return the name of a namespace that records name, "" where they name none."""
    if left is None or left.namespace is None:
        return ""
    name = "" if mirror is None else clean(mirror.namespaces.get(left.namespace, ""))
    return f"namespace {name}" if name else "the plain namespace" if not left.namespace else "another namespace"


def made_room(left: Leaving | None, mirror: Mirror | None) -> str:
    """Return for whom something left, "" where nobody is named."""
    if left is None or left.request < 0:
        return ""
    return f"request #{left.request} of {_space(left, mirror)}" if left.namespace else f"request #{left.request}"


def _before(at: int | None, earlier: int | None) -> int | None:
    return None if at is None or earlier is None else max(0, at - earlier)
