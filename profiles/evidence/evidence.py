"""The evidence of a run: everything that diagnoses look at, in frozen values.

Times count from the first record of what was looked at. Tokens of prompts are those of first admissions, as hit rates
have them; what a retracted request computes again is an account of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from profiles.evidence.requests import Retractions, Scheduling, Unserved, Waits

ACCOUNTS = (
    "first_seen", "other_namespace", "evicted", "evicted_for_window", "evicted_for_state", "window_evicted",
    "window_never", "state_evicted", "state_never", "state_grid", "in_flight", "unloaded", "page_inside",
    "page_rounding", "below_page", "last_token", "retracted", "retracted_for_state", "unknown",
)  # fmt: skip
"""Where computed tokens go.

`evicted` left because the base pool was full, `evicted_for_window` and `evicted_for_state` went as leaves when that
of windows, or of recurrent states, was. `window_evicted` were known, and the window that a hit needs was evicted;
`window_never`: nobody saw it there. `state_evicted` and `state_never` are the same of states, `state_grid` is what
lies past the last place for one. `page_inside` is there, but inside a page of which the rest differs; `page_rounding`
lies behind a prompt's last page. `retracted` is what requests computed again after a retraction,
`retracted_for_state` where that was for want of states. The others are as in `probes.lives.misses`.
"""

AGAIN = ("retracted", "retracted_for_state")
"""The accounts that come on top of prompts."""

GONE = ("evicted", "evicted_for_window", "evicted_for_state", "window_evicted", "state_evicted")
"""The accounts of what had been there and was evicted, or lacked what was."""


@dataclass(frozen=True, slots=True)
class Account:
    """Tokens that were computed for one reason, by how many requests, the first of them when, and the worst ones."""

    tokens: int = 0
    requests: int = 0
    since_ns: int | None = None
    worst: tuple[tuple[int, int], ...] = ()
    """Requests by number with their tokens, the most first."""


@dataclass(frozen=True, slots=True)
class Tenant:
    """A namespace: its requests and what became of their prompts; `lost_tokens` had been there and were evicted.

    `took_tokens` of others, and `took_own_tokens` of its own, made room for its requests and were computed again.
    """

    name: str
    requests: int
    prompt_tokens: int
    hit_tokens: int
    lost_tokens: int
    since_ns: int
    took_tokens: int = 0
    took_own_tokens: int = 0

    @property
    def computed_tokens(self) -> int:
        """Tokens that were not hit."""
        return self.prompt_tokens - self.hit_tokens

    @property
    def hit_rate(self) -> float:
        """The share (0..1) of its prompt tokens that was hit."""
        return self.hit_tokens / self.prompt_tokens if self.prompt_tokens else 0.0


@dataclass(frozen=True, slots=True)
class Tenants:
    """The namespaces, those that computed most first and at most some; `count` are all.

    `single` are those of one request only, with `single_tokens` computed by these. Where two requests of different
    namespaces computed text of the same name and length, the second one's tokens are `repeated_tokens`.
    """

    largest: tuple[Tenant, ...] = ()
    count: int = 0
    single: int = 0
    single_tokens: int = 0
    single_since_ns: int | None = None
    repeated_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Divergence:
    """Text that was computed again behind tokens that differ: named the same, as long, in the same namespace.

    `tokens` of that came behind what `requests` left within their first tokens, most of them at `position`: `label`
    is most of it, `before` what stands where they part. `late_tokens` of `late` requests came behind more than that.
    `is_named` says whether the source names its text at all. Of prompts of at least LONG_TOKENS but the first of each
    namespace, `long` in all with `long_tokens`, `early` left what was known within their first tokens and computed
    `early_tokens`; `early_shared` of these had something in common, and computed `early_shared_tokens`.
    """

    requests: int = 0
    tokens: int = 0
    position: int = 0
    label: str = ""
    before: str = ""
    since_ns: int | None = None
    late: int = 0
    late_tokens: int = 0
    late_position: int = 0
    late_label: str = ""
    late_since_ns: int | None = None
    is_named: bool = False
    long: int = 0
    long_tokens: int = 0
    early: int = 0
    early_tokens: int = 0
    early_shared: int = 0
    early_shared_tokens: int = 0
    early_since_ns: int | None = None


@dataclass(frozen=True, slots=True)
class PageLoss:
    """What whole pages cost: tokens between the last whole page that was known and where the text that follows it
    begins, in requests whose text has names; and how many requests left what was known inside a prompt. `tail_tokens`
    are half of what lies behind the last whole page of prompts that were known up to there."""

    told_tokens: int = 0
    told_requests: int = 0
    forks: int = 0
    below_page: int = 0
    tail_tokens: int = 0
    since_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Recency:
    """What plain recency (LRU) would hit in a pool of this size, on whole blocks, each prompt at once, against what
    was found of the same prompts; a pool of windows or states is not in it."""

    queried_tokens: int
    found_tokens: int
    lru_tokens: int


@dataclass(frozen=True, slots=True)
class Work:
    """The steps of the engine. `ns_per_token` is what a prefilled token took, `decode_step_ns` the middle one of
    the steps that only decoded; both are None where no step says so.
    """

    steps: int = 0
    step_ns: int = 0
    prefill_tokens: int = 0
    ns_per_token: int | None = None
    decode_step_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ComponentEvictions:
    """What was evicted because one component was short: calls, tokens of the base, the time to build queues."""

    component: str
    calls: int = 0
    ns: int = 0
    build_ns: int = 0
    most_ns: int = 0
    most_leaves: int = 0
    freed_tokens: int = 0
    freed_base_tokens: int = 0
    since_ns: int | None = None
    build_since_ns: int | None = None


@dataclass(frozen=True, slots=True)
class WindowLosses:
    """Windows that were evicted from nodes that stayed: tokens at ends of branches and forks, and elsewhere.

    `kept_in_vain` is the share (0..1) of the pool, on average while it was short, that windows before no end held;
    None where nobody looked.
    """

    nodes: int = 0
    end_tokens: int = 0
    other_tokens: int = 0
    since_ns: int | None = None
    kept_in_vain: float | None = None


@dataclass(frozen=True, slots=True)
class Gaps:
    """Known tokens behind a hit that no window, or no state, was ever kept for.

    `again_tokens` lie before a place where an earlier prompt had left what is stored: a branching point there would
    have had one. `fresh` are the others by how long they are, as (requests, tokens) for lengths of 1, 2-3, 4-7
    and so on.
    """

    again_tokens: int = 0
    again_requests: int = 0
    again_since_ns: int | None = None
    fresh: tuple[tuple[int, int], ...] = ()
    fresh_since_ns: int | None = None

    @property
    def fresh_tokens(self) -> int:
        """The tokens before no such place."""
        return sum(tokens for _, tokens in self.fresh)

    def beyond(self, rest: int) -> int:
        """Return what of these is gained if `rest` tokens of each gap are left."""
        return sum(max(0, tokens - requests * rest) for requests, tokens in self.fresh)


@dataclass(frozen=True, slots=True)
class StateLosses:
    """Recurrent states that were evicted from `nodes` that stayed, and what their places cost: `grid_tokens` apart.

    `known_tokens` of so many `requests` were known past the last place, `tail_tokens` are half of what lay there of
    prompts that were known up to it: what places `fine_tokens` apart would not have cost.
    """

    nodes: int = 0
    since_ns: int | None = None
    grid_tokens: int = 1
    fine_tokens: int = 1
    known_tokens: int = 0
    tail_tokens: int = 0
    requests: int = 0
    grid_since_ns: int | None = None


@dataclass(frozen=True, slots=True)
class PoolUse:
    """A pool: its tokens, the least room it ever had (free and evictable), and how it was at the end."""

    name: str
    total: int
    least_free: int
    least_room: int
    free: int
    evictable: int
    protected: int
    held: int
    mean_busy: float = 0.0
    """The share (0..1) of it that running requests held and protected, on average."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the run: what was asked for and hit in it, and what was computed, by account."""

    from_ns: int
    to_ns: int
    requests: int
    prompt_tokens: int
    hit_tokens: int
    lost: Mapping[str, int]

    @property
    def hit_rate(self) -> float:
        """The share (0..1) of the prompt tokens that was hit."""
        return self.hit_tokens / self.prompt_tokens if self.prompt_tokens else 0.0


@dataclass(frozen=True, slots=True)
class TreeUse:
    """The tree at the end: its nodes and tokens, of these never reused ones, locks while nothing runs.

    `nodes_seen` is how many nodes ever were; `running` and `waiting` are requests at the end, None if unknown.
    """

    nodes: int = 0
    tokens: int = 0
    unused_tokens: int = 0
    nodes_seen: int = 0
    locks: int = 0
    oldest_lock: str = ""
    running: int | None = None
    waiting: int | None = None
    tells_use: bool = True


@dataclass(frozen=True, slots=True)
class Losses:
    """What is missing of the records."""

    records: int = 0
    torn_blocks: int = 0
    tree_known: bool = True
    remembers_all: bool = True
    undecided_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """A run, or a part of one. `before` is the part before what was looked at, where there is one to compare with."""

    config: Mapping[str, object] = field(default_factory=dict)
    span_ns: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    hit_tokens: int = 0
    lost: Mapping[str, Account] = field(default_factory=dict)
    tenants: Tenants = Tenants()
    divergence: Divergence = Divergence()
    page: PageLoss = PageLoss()
    scheduling: Scheduling = field(default_factory=Scheduling)
    retractions: Retractions = field(default_factory=Retractions)
    state_retractions: Retractions = field(default_factory=Retractions)
    unserved: Unserved = field(default_factory=Unserved)
    recency: Recency | None = None
    work: Work = Work()
    evictions: tuple[ComponentEvictions, ...] = ()
    windows: WindowLosses = WindowLosses()
    states: StateLosses = StateLosses()
    gaps: Gaps = Gaps()
    pools: tuple[PoolUse, ...] = ()
    waits: Waits = field(default_factory=Waits)
    course: tuple[Stretch, ...] = ()
    before: Stretch | None = None
    tree: TreeUse = TreeUse()
    losses: Losses = Losses()

    @property
    def hit_rate(self) -> float | None:
        """The share (0..1) of the prompt tokens that was hit; None when nothing was asked for."""
        return self.hit_tokens / self.prompt_tokens if self.prompt_tokens else None

    def account(self, name: str) -> Account:
        """Return what was computed for one reason; an empty account where there is none."""
        assert name in ACCOUNTS, f"{name=}"
        return self.lost.get(name, Account())

    def tokens(self, *names: str) -> int:
        """Return the tokens of some accounts."""
        return sum(self.account(name).tokens for name in names)

    def share_of(self, tokens: int) -> float:
        """Return tokens as a share (0..1) of all prompt tokens."""
        return tokens / self.prompt_tokens if self.prompt_tokens else 0.0

    def ms_of(self, tokens: int) -> float | None:
        """Return how long tokens take to prefill, as measured in this run; None where no step says so."""
        price = self.work.ns_per_token
        return None if price is None else tokens * price / 1e6

    def pool(self, name: str) -> PoolUse | None:
        """Return how a pool was used, None where nobody told."""
        return next((pool for pool in self.pools if pool.name == name), None)

    def evictions_of(self, component: str) -> ComponentEvictions | None:
        """Return what was evicted for want of one component's slots."""
        return next((each for each in self.evictions if each.component == component), None)
