"""One request explained: its story, and its prompt piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from probes.lives.misses import MISS_CLASSES, MissClass
from probes.lives.pieces import Piece, spans_of
from probes.lives.request_life import Life
from probes.lives.request_log import RequestLog
from probes.mirror import Mirror
from probes.recordings.missing import WHOLE, Missing
from radixtop.errors import RadixtopError
from radixtop.render.lines import clean
from radixtop.render.miss_reasons import why
from radixtop.requestlog.answerer import made_room, story_of
from radixtop.requestlog.page import Story

_MOST_NAMED = 8


class Part(NamedTuple):
    """Tokens [start, end) of the prompt: hits where `miss` is None; in which segment, when they left and for whom."""

    start: int
    end: int
    miss: MissClass | None
    segment: str
    left_ago_ns: int | None = None
    made_room_for: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """A request, as of its end or of when somebody looked; `came_ns` is when in a recording it came.

    `missing` is what is missing of that recording."""

    story: Story
    parts: tuple[Part, ...]
    came_ns: int | None = None
    missing: Missing = WHOLE

    def document(self) -> dict[str, object]:
        """Return it as JSON-able values."""
        story, row = self.story, self.story.row
        tokens = row.tokens
        return {
            "request": row.request,
            "state": row.state,
            "came_ns": self.came_ns,
            "reason": story.reason,
            "namespace": row.namespace,
            "prompt_tokens": tokens.prompt,
            "asked_tokens": tokens.asked,
            "hit_tokens": {"device": tokens.device, "loaded": tokens.loaded} if row.is_known else None,
            "missed_tokens": {miss: tokens.of(miss) for miss in MISS_CLASSES},
            "known_tokens": row.full_boundary if row.is_known else None,
            "parted_at": story.parted_at,
            "branching_point": row.branching_point,
            "remembers_all": story.remembers_all,
            "why": {miss: dict(zip(("because", "helps"), why(miss, story), strict=True))
                    for miss in MISS_CLASSES if tokens.of(miss)},
            "parts": [part._asdict() for part in self.parts],
            "ttft_ns": row.ttft_ns,
            "queued_ns": row.queued_ns,
            "prefill_ns": story.prefill_ns,
            "output_tokens": row.output_tokens,
            "retractions": row.retractions,
            "steps": [step._asdict() for step in story.steps],
            "steps_left_out": story.steps_left_out,
            "missing": self.missing.document(),
        }  # fmt: skip


def explained(life: Life, log: RequestLog, mirror: Mirror, now: int, page_tokens: int) -> Explained:
    """Return what is told of a request now."""
    return Explained(story_of(life, log, mirror, now, page_tokens), tuple(_parts(life, mirror)))


def _parts(life: Life, mirror: Mirror) -> Iterator[Part]:
    if not life.is_known:
        return
    columns = mirror.columns
    for start, end, label in spans_of(columns, columns.pages.slot_of(life.last_node), 0, life.hit_boundary):
        yield Part(start, end, None, _segment(label, mirror))
    for piece in life.parts():
        yield _missed(piece, life, mirror)


def _missed(piece: Piece, life: Life, mirror: Mirror) -> Part:
    segment, left = _segment(piece.label, mirror), piece.left
    if left is None or left.at < 0 or life.admitted_at is None:
        return Part(piece.start, piece.end, piece.miss, segment)
    ago_ns = max(0, life.admitted_at - left.at)
    return Part(piece.start, piece.end, piece.miss, segment, ago_ns, made_room(left, mirror))


def _segment(label: int | None, mirror: Mirror) -> str:
    return "" if label is None else clean(mirror.labels.get(label, ""))


class Met:
    """Which requests there were, for whoever asked for one that there was not."""

    def __init__(self) -> None:
        self._count = 0
        self._least: int | None = None
        self._most = 0
        self._newest: list[int] = []

    def note(self, request: int) -> None:
        """Take note of a request that ended, or that is alive at the end."""
        self._count += 1
        self._least = request if self._least is None else min(self._least, request)
        self._most = max(self._most, request)
        self._newest = [*self._newest[1 - _MOST_NAMED :], request]

    def refusal(self, request: int, where: str) -> RadixtopError:
        """Return the error for a request that is not there."""
        if not self._count:
            return RadixtopError(f"{where} tells of no request", "it must tell of requests: see `radixtop doctor`")
        named = ", ".join(map(str, self._newest))
        span = f"{self._count:,} requests, {self._least} to {self._most}"
        return RadixtopError(
            f"request {request} is not among those of {where}", f"there are {span}; the newest: {named}"
        )
