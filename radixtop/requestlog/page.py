"""What passes between the requests on screen and the thread that has their log: questions, pages of rows, a story."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

from probes.lives.gaps import Lacking
from probes.lives.misses import PromptTokens
from probes.lives.request_life import State

Choice = Literal["all", "running", "waiting", "done", "missed"]
CHOICES: tuple[Choice, ...] = ("all", "running", "waiting", "done", "missed")
"""Which requests are rows; "missed" are those that missed what had been in the cache."""

Order = Literal["newest", "missed", "ttft"]
ORDERS: tuple[Order, ...] = ("newest", "missed", "ttft")
"""By arrival, by missed tokens, by the time to the first token; the newest, the most, the longest first."""

TOP, BOTTOM = -1, -2
"""The cursors that stay on the first and on the last row, whatever comes."""


@dataclass(frozen=True, slots=True)
class RequestsQuestion:
    """Which rows a screen wants: `count` of them, so that the request `cursor` is among them, from `first` if it
    is."""

    answerer: ClassVar[str] = "radixtop.requestlog.answerer:Rows"

    count: int
    first: int = 0
    cursor: int = TOP
    choice: Choice = "all"
    order: Order = "newest"

    def next_choice(self) -> RequestsQuestion:
        """Return the question for the next choice of requests."""
        return self.choosing(CHOICES[(CHOICES.index(self.choice) + 1) % len(CHOICES)])

    def choosing(self, choice: Choice) -> RequestsQuestion:
        """Return the question for a choice of requests, from the first row on."""
        return replace(self, choice=choice, first=0, cursor=TOP)

    def next_order(self) -> RequestsQuestion:
        """Return the question in the next order, from the first row on."""
        order = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)]
        return replace(self, order=order, first=0, cursor=TOP)


class RequestRow(NamedTuple):
    """One request. What is not known is None; `output_tokens` of one that runs is about right, counted by steps."""

    request: int
    state: State
    age_ns: int
    label: str
    namespace: str
    tokens: PromptTokens
    is_known: bool
    hit_boundary: int
    full_boundary: int
    branching_point: int | None
    ttft_ns: int | None
    queued_ns: int | None
    output_tokens: int | None
    retractions: int


@dataclass(frozen=True, slots=True)
class RequestsPage:
    """Rows from row `first` of `total` on; `before` and `after` are the numbers of the requests around them.

    `counts` says how many requests there are of each choice, `place` on which row the cursor is.
    """

    question: RequestsQuestion
    rows: tuple[RequestRow, ...]
    first: int
    total: int
    place: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    counts: Mapping[Choice, int]


@dataclass(frozen=True, slots=True)
class StoryQuestion:
    """What became of one request."""

    answerer: ClassVar[str] = "radixtop.requestlog.answerer:Stories"

    request: int


class StoryStep(NamedTuple):
    """What a request did so long after its arrival: a word and the rest."""

    after_ns: int
    word: str
    text: str


class StoryGap(NamedTuple):
    """So many known tokens lacked a window or a state, which left so long before the admission, and for whom.

    None and "" where nobody saw that.
    """

    tokens: int
    lacking: Lacking
    left_ago_ns: int | None
    made_room_for: str


@dataclass(frozen=True, slots=True)
class Story:
    """A request from its arrival on, as far as it is told.

    `gaps` are what was known and lacked a window or a state. `evicted_ago_ns` is how long before its admission that
    left which it missed and which had been there, None where nobody saw it. `evicted_for` says for whom that made
    room, `elsewhere` in which namespace its tokens were stored, "" where nobody tells. `parted_at` is where it left
    what was stored. `remembers_all` is False where content may have been in the cache unseen. Hits end at whole
    pages, and at places for states `grid_tokens` apart.
    """

    row: RequestRow
    prefill_ns: int | None
    evicted_ago_ns: int | None
    remembers_all: bool
    page_tokens: int
    reason: str
    steps: tuple[StoryStep, ...]
    steps_left_out: int
    evicted_for: str = ""
    elsewhere: str = ""
    parted_at: int | None = None
    gaps: tuple[StoryGap, ...] = ()
    grid_tokens: int = 1

    @property
    def lacking(self) -> str:
        """What its gaps lacked: a window, a state, or data of both kinds."""
        kinds = {gap.lacking for gap in self.gaps}
        return "data" if len(kinds) > 1 else "".join(kinds) or "window"


@dataclass(frozen=True, slots=True)
class StoryAnswer:
    """The story of a request; None once it is no longer kept."""

    request: int
    story: Story | None
