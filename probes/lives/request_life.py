"""One request, as far as records tell: where it is in its life, what became of its prompt, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Literal

from cache_core.events import (
    FreeWindow,
    Insert,
    Match,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestPrefilled,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
)
from probes.lives.gaps import Gap, Lacking
from probes.lives.leaving import Leaving
from probes.lives.misses import (
    COLUMN,
    COLUMNS,
    DEVICE,
    LOADED,
    RETRACTED,
    Amounts,
    MissClass,
    PromptTokens,
    Rounding,
    shared_out,
)
from probes.lives.pieces import Piece, Span, add_spans
from probes.lives.stay import Stays

State = Literal["waiting", "running", "done", "retracted", "refused"]

Step = (
    RequestQueued | Match | RequestAdmitted | RequestPrefilled | RequestFirstToken | FreeWindow | Insert
    | RequestFinished | RequestRetracted | RequestRefused
)  # fmt: skip
"""A step is the record that tells of it."""

_UNLOADED, _WINDOW_GONE, _LAST_TOKEN = COLUMN["unloaded"], COLUMN["window_gone"], COLUMN["last_token"]

MOST_STEPS = 96
"""Of a request with more, the first ones and the newest are kept."""

_FIRST_STEPS = 64


class Life:
    """A request. Whoever reads it does so on the thread that ticks; the log alone writes it.

    Hit and gap are those of its first admission. Most fields of most requests stay as they are here, so they are the
    class's: a request costs what it differs by.
    """

    state: State = "waiting"
    namespace: int | None = None
    hit_label: int | None = None
    """The workload segment in which the full hit ended."""
    last_label: int | None = None
    """The workload segment in which the prompt ended."""
    admitted_at: int | None = None
    first_token_at: int | None = None
    ended_at: int | None = None
    queued_ns: int | None = None
    is_known = False
    """Whether its admission said what it found."""
    device = 0
    host = 0
    loaded = 0
    gap = 0
    below_grid = 0
    has_load_news = False
    full_boundary = 0
    """Where what the tree knew of the prompt ended."""
    covered = 0
    """Up to where it is decided what became of the prompt."""
    branching_point: int | None = None
    new_as: MissClass | None = None
    """What its tokens are from where it left what was stored, once that is known."""
    parted_at: int | None = None
    """Where it did."""
    goes_on = False
    """Whether other content went on from there."""
    gaps: tuple[Gap, ...] = ()
    """What a longer hit lacked, as far as its match tells."""
    evicted_by: Mapping[int | None, int] = MappingProxyType({})
    """What it missed of what was evicted, by the component that was short of room, None where nobody tells."""
    gap_spans: tuple[Span, ...] = ()
    """The segments of what was known and did not hit."""
    prefilled = 0
    """How many tokens its first stay computed."""
    stays: Stays | None = None
    """How far it got in each stay, once it was retracted."""
    again = 0
    """How many tokens that was."""
    output_tokens: int | None = None
    decode_steps = 0
    """How many steps of the engine had decoded when its first token came."""
    retractions = 0
    reason = 0
    counted: Amounts | None = None
    """What it was counted as, and when; what it computed again is counted when it is."""
    counted_at = 0
    is_settled = False
    steps_left_out = 0

    def __init__(self, request: int, at: int, prompt_tokens: int, rounding: Rounding) -> None:
        self.request = request
        self.arrived_at = at
        self.steps: list[Step] = []
        self.pieces: list[Piece] = []
        self.rounding = rounding
        self._lost: list[int] | None = None
        self.set_prompt(prompt_tokens)

    def set_prompt(self, tokens: int) -> None:
        """Say how long the prompt is, and with that where the longest hit can end."""
        self.prompt_tokens = tokens
        self.matchable = self.rounding.ceiling(tokens)

    @property
    def hit_boundary(self) -> int:
        """Where the hit ended: on the device, or in host memory as far as that was loaded."""
        return self.device + self.loaded

    @property
    def is_decided(self) -> bool:
        """Whether everything that the prompt missed was looked at, and it is told what was loaded."""
        return self.is_known and self.covered >= self.matchable and (not self.host or self.has_load_news)

    @property
    def ttft_ns(self) -> int | None:
        """The time from its arrival to its first token."""
        return None if self.first_token_at is None else self.first_token_at - self.arrived_at

    @property
    def prefill_ns(self) -> int | None:
        """The time from its last admission to its first token; None where both have one date, as without a clock."""
        if self.first_token_at is None or self.admitted_at is None:
            return None
        passed_ns = self.first_token_at - self.admitted_at
        return passed_ns if passed_ns > 0 else None

    @property
    def last_node(self) -> int:
        """The node where its path ends, which it locks: that of its newest match or write-back, -1 before these."""
        return next((step.node for step in reversed(self.steps) if isinstance(step, (Match, Insert))), -1)

    def lost(self, lacking: Lacking | None = None) -> Leaving | None:
        """Return how the newest left of the windows and states, or of one kind, that a longer hit lacked; None where
        nobody saw it."""
        lefts = [gap.left for gap in self.gaps if gap.left is not None and lacking in (None, gap.lacking)]
        return max(lefts, key=itemgetter(0), default=None)

    @property
    def evicted_at(self) -> int | None:
        """About when the last of those left that had been there."""
        left = self.newest("evicted")
        return None if left is None else left.at

    def newest(self, miss: MissClass) -> Leaving | None:
        """Return how the last left of what was missed for a reason, None where nobody saw it."""
        lefts = [piece.left for piece in self.pieces if piece.miss == miss and piece.left is not None]
        return max(lefts, key=itemgetter(0), default=None)

    def lose(self, miss: MissClass, start: int, end: int, spans: Sequence[Span], left: Leaving | None = None) -> None:
        """Say why tokens [start, end) of the prompt were missed."""
        if self._lost is None:
            self._lost = [0] * COLUMNS
        self._lost[COLUMN[miss]] += end - start
        if miss == "evicted":
            short = None if left is None else left.component
            self.evicted_by = {**self.evicted_by, short: self.evicted_by.get(short, 0) + end - start}
        add_spans(self.pieces, start, end, miss, spans, left)

    def decided(self, miss: MissClass) -> int:
        """Return how many tokens behind what the tree knew were missed for a reason."""
        return 0 if self._lost is None else self._lost[COLUMN[miss]]

    def gap_parts(self) -> list[Gap]:
        """Return what was known and lacked a window or a state, piece by piece."""
        start, end = self.device + self.host, self.full_boundary - self.below_grid
        parts: list[Gap] = []
        for gap in self.gaps:
            begin, until = max(start, gap.start), min(end, gap.end)
            if begin < until:
                parts.append(gap._replace(start=begin, end=until))
                start = until
        if start < end:
            parts.append(Gap(start, end, "state" if self.rounding.grid_tokens > 1 else "window"))
        return parts

    def past_grid(self, grid_tokens: int) -> int:
        """Return how many tokens would lie past the last place for a state, were places so far apart: of what is
        known, and behind it of whole pages of the prompt."""
        known = min(self.gap, self.full_boundary % grid_tokens)
        whole = max(0, self.prompt_tokens - self.rounding.last_tokens)
        whole -= whole % self.rounding.page_tokens
        return known + max(0, whole - max(self.full_boundary, whole - whole % grid_tokens))

    def rounded(self, at: int) -> MissClass:
        """Return what tokens from `at` on are that no page is whole with."""
        return "page_rounding" if at >= self.rounding.page_tokens else "below_page"

    def so_far(self) -> Amounts:
        """Return what became of the prompt, as it was counted if it was."""
        counted = self.counted or self.amounts()
        return (*counted[:RETRACTED], self.again, *counted[RETRACTED + 1 :]) if self.again else counted

    def amounts(self) -> Amounts:
        """Return what became of the prompt, all unknown before its admission."""
        claims = [0] * COLUMNS if self._lost is None else self._lost[:]
        prompt = self.prompt_tokens
        claims[RETRACTED] = self.again
        if self.is_known:
            device, known, matchable = self.device, self.full_boundary, self.matchable
            claims[DEVICE] = device
            before_last = max(0, prompt - self.rounding.last_tokens)
            claims[_LAST_TOKEN] += prompt - before_last
            if known > device:
                claims[LOADED] = self.loaded
                claims[_UNLOADED] += self.host - self.loaded
                claims[_WINDOW_GONE] += known - self.below_grid - device - self.host
            short = self.below_grid + max(0, before_last - max(matchable, known))
            if short:
                claims[COLUMN[self._short]] += short
        return shared_out(prompt, claims[DEVICE:])

    def parts(self) -> list[Piece]:
        """Return why the prompt was missed, piece by piece from its start; what is left out is not known."""
        if not self.is_known:
            return []
        parts: list[Piece] = []
        if self.full_boundary > self.device + self.loaded:
            for piece in self._gap():
                start, end, miss, _, left = piece
                add_spans(parts, start, end, miss, self.gap_spans or ((start, end, self.hit_label),), left)
        parts += self.pieces
        prompt, known = self.prompt_tokens, max(self.matchable, self.full_boundary)
        before_last = max(0, prompt - self.rounding.last_tokens)
        if known < before_last:
            parts.append(Piece(known, before_last, self._short, self.last_label))
        if before_last < prompt:
            parts.append(Piece(before_last, prompt, "last_token", self.last_label))
        return parts

    @property
    def _short(self) -> MissClass:
        return "page_rounding" if self.matchable else "below_page"

    def _gap(self) -> list[Piece]:
        """Return what was known and did not hit."""
        usable, known = self.device + self.host, self.full_boundary
        pieces = (
            Piece(self.device + self.loaded, usable, "unloaded"),
            *(Piece(start, end, "window_gone", None, left) for start, end, _, left in self.gap_parts()),
            Piece(known - self.below_grid, known, self._short),
        )
        return [piece for piece in pieces if piece.start < piece.end]

    def tokens(self) -> PromptTokens:
        """Return what became of the prompt, by name."""
        return PromptTokens(*self.amounts())

    def note(self, step: Step) -> None:
        """Add a step where there may be very many; of too many, those between the first and the newest go."""
        steps = self.steps
        steps.append(step)
        if len(steps) > MOST_STEPS:
            del steps[_FIRST_STEPS]
            self.steps_left_out += 1
