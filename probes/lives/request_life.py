"""One request, as far as records tell: where it is in its life, what became of its prompt, and what it did."""

from __future__ import annotations

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
from probes.lives.misses import Amounts, PromptTokens, shared_out

State = Literal["waiting", "running", "done", "retracted", "refused"]

Step = (
    RequestQueued | Match | RequestAdmitted | RequestPrefilled | RequestFirstToken | FreeWindow | Insert
    | RequestFinished | RequestRetracted | RequestRefused
)  # fmt: skip
"""A step is the record that tells of it."""

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
    first_seen = 0
    evicted = 0
    evicted_at: int | None = None
    """About when those left that had been there."""
    in_flight = 0
    window_lost_at: int | None = None
    """When the state was lost that a longer hit lacked; None if nobody saw it."""
    output_tokens: int | None = None
    decode_steps = 0
    """How many steps of the engine had decoded when its first token came."""
    retractions = 0
    reason = 0
    counted: Amounts | None = None
    counted_at = 0
    is_settled = False
    steps_left_out = 0

    def __init__(self, request: int, at: int, prompt_tokens: int, page_tokens: int) -> None:
        self.request = request
        self.arrived_at = at
        self.steps: list[Step] = []
        self.set_prompt(prompt_tokens, page_tokens)

    def set_prompt(self, tokens: int, page_tokens: int) -> None:
        """Say how long the prompt is, and with that where the last hit can end: at whole pages before its last
        token."""
        self.prompt_tokens = tokens
        self.matchable = (tokens - 1) // page_tokens * page_tokens if tokens > 0 else 0

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
        """The time from its last admission to its first token."""
        if self.first_token_at is None or self.admitted_at is None:
            return None
        return max(0, self.first_token_at - self.admitted_at)

    @property
    def last_node(self) -> int:
        """The node where its path ends, which it locks: that of its newest match or write-back, -1 before these."""
        return next((step.node for step in reversed(self.steps) if isinstance(step, (Match, Insert))), -1)

    def amounts(self) -> Amounts:
        """Return what became of the prompt, all unknown before its admission."""
        if not self.is_known:
            return shared_out(self.prompt_tokens, (0, 0), (0, 0, 0, 0, 0, 0))
        below_grid = self.below_grid
        rounding = below_grid + self.prompt_tokens - self.matchable
        missed = (
            self.first_seen,
            self.evicted,
            self.gap - below_grid,
            self.in_flight,
            self.host - self.loaded,
            rounding,
        )
        return shared_out(self.prompt_tokens, (self.device, self.loaded), missed)

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
