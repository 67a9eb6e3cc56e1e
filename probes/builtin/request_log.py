"""The newest requests one by one: what became of their prompts, and why what they missed was missed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cache_core.events import (
    LOAD_FAILED,
    OUT_OF_SLOTS,
    EngineStep,
    Evict,
    EvictionCause,
    FreeWindow,
    Insert,
    Match,
    NodeAdded,
    NodeForked,
    NodeMarked,
    NodeRemoved,
    NodeSplit,
    NodeTokenKeys,
    Recovered,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestPrefilled,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
    Tombstoned,
)
from probes.fold import Folds
from probes.lives.decisions import decide
from probes.lives.gap_causes import ASKED_AGAIN_NS, CAUSES, EARLY, EARLY_REQUESTS, NEVER, GapCauses, cause_of
from probes.lives.gaps import DataLosses
from probes.lives.leaving import Causes
from probes.lives.miss_sums import MissSums
from probes.lives.misses import COLUMN, COLUMNS, REQUESTS, RETRACTED, Amounts, PromptTokens, Rounding
from probes.lives.pieces import spans_of
from probes.lives.request_life import Life
from probes.lives.request_log import MOST_ALIVE, RequestLog
from probes.lives.seen import SeenContent
from probes.lives.segment_kinds import SegmentKinds
from probes.lives.stay import Stays
from probes.mirror import Mirror
from probes.plausible import MOST_TOKENS
from probes.probe import Probe
from probes.snapshot import number_of, state_grid

STORES_NOTHING = "chunk"
"""The kind of cache that keeps nothing, so that nothing can be anything but new."""

_WINDOW_GONE = COLUMN["window_gone"]
_RETURNING = frozenset({0, OUT_OF_SLOTS, LOAD_FAILED})
"""The reasons of retractions that are no end."""


_QUIET: Amounts = (0,) * COLUMNS
_NOTHING = [0] * (COLUMNS + CAUSES)


@dataclass(frozen=True, slots=True)
class RequestLogSample:
    """What became of the prompts of requests, each counted once it is decided, and the log of the newest requests.

    The sums are of the last minute and since the watch began, `gaps` the causes of their `window_gone`.
    `remembers_all` is False where content may have been in the cache unseen. `seconds` are the sums of each second
    of the last minute, oldest first, the running one last. The log lives on, and so do `sums`, which has more of
    them: read both on the thread that ticks.
    """

    last_minute: PromptTokens
    total: PromptTokens
    gaps_last_minute: GapCauses
    gaps: GapCauses
    remembers_all: bool
    log: RequestLog = field(compare=False)
    seconds: tuple[Amounts, ...] = ()
    sums: MissSums = field(default_factory=MissSums, compare=False)

    @property
    def lacking(self) -> str:
        """What `window_gone` tokens lacked so far: a window, a state, or data of both kinds."""
        if not self.gaps.states:
            return "window"
        return "state" if self.gaps.states >= self.total.window_gone else "data"


class RequestLogProbe(Probe):
    """Follows requests and content.

    A request counts by its first admission, as hit rates do. What it missed behind the full hit is decided by its
    inserts: which tokens another one had put there meanwhile, and which had been there before.
    """

    needs = frozenset({Match, Insert, RequestAdmitted, RequestFinished, RequestRetracted})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._log = RequestLog()
        self._causes = Causes()
        self._seen = SeenContent(mirror, self._causes)
        self._losses = DataLosses(mirror, self._causes)
        self._rounding = Rounding()
        self._stores_nothing = False
        self._sums = MissSums(COLUMNS + CAUSES, SegmentKinds(mirror.labels).of)
        self._watched_from: int | None = -ASKED_AGAIN_NS  # without a loss, as far as one can tell

    def configured(self, config: Mapping[str, object]) -> None:
        """See Probe."""
        page = number_of(config, "page_size") or 1
        self._rounding = Rounding(page, state_grid(config), 2 if config.get("bigram") is True else 1)
        window = config.get("window")
        self._losses.window = window if type(window) is int and window > 0 else 1
        self._stores_nothing = config.get("cache") == STORES_NOTHING

    def shares(self) -> Mapping[type, object]:
        """See Probe."""
        return {MissSums: self._sums}

    def folds(self) -> Folds:
        """See Probe. New nodes wait until the insert that made them is told."""
        seen, losses = self._seen, self._losses
        return {
            RequestQueued: self._queued, Match: self._match, RequestAdmitted: self._admitted,
            RequestPrefilled: self._prefilled, RequestFirstToken: self._first_token, FreeWindow: self._freed,
            Insert: self._insert, RequestFinished: self._finished, RequestRetracted: self._retracted,
            RequestRefused: self._refused, EngineStep: self._engine_step,
            NodeAdded: seen.fresh.append, NodeMarked: seen.fresh.append, NodeForked: seen.fresh.append,
            NodeTokenKeys: seen.fresh.append, NodeSplit: self._split,
            EvictionCause: self._causes.begins, Evict: self._causes.ends,
            NodeRemoved: seen.removed, Tombstoned: losses.tombstoned, Recovered: losses.recovered,
        }  # fmt: skip

    def advance(self, records: int, since: int, until: int) -> None:
        """See Probe."""
        self._seen.tidy()
        if self._watched_from is None:
            self._watched_from = until

    def sample(self, now: int) -> RequestLogSample:
        """See Probe."""
        sums = self._sums
        rows, total = sums.seconds.history(now), sums.total
        busy = [row for row in rows if row[REQUESTS] or row[RETRACTED]]
        minute = [sum(column) for column in zip(*busy, strict=True)] or _NOTHING
        self._log.is_whole = not self._seen.forgot
        return RequestLogSample(
            PromptTokens(*minute[:COLUMNS]), PromptTokens(*total[:COLUMNS]),
            GapCauses(*minute[COLUMNS:]), GapCauses(*total[COLUMNS:]), not self._seen.forgot, self._log,
            tuple([tuple(row[:COLUMNS]) if row[REQUESTS] or row[RETRACTED] else _QUIET for row in rows]), sums,
        )  # fmt: skip

    def lost(self) -> None:
        """See Probe: whoever is alive has done something that nobody saw."""
        self._seen.lost()
        self._losses.clear()
        self._causes.ends()
        self._log.since = 0
        for life in self._log.alive.values():
            self._settle(life, life.admitted_at or life.arrived_at)
        self._log.alive.clear()
        self._watched_from = None

    # ---- a request

    def _begin(self, request: int, at: int, prompt_tokens: int) -> Life:
        alive = self._log.alive
        if len(alive) >= MOST_ALIVE:
            self._settle(alive.pop(next(iter(alive))), at)
        life = alive[request] = Life(request, at, prompt_tokens, self._rounding)
        self._log.since = self._log.since or at
        return life

    def _queued(self, record: RequestQueued) -> None:
        life = self._log.alive.get(record.request) or self._begin(record.request, record.at, record.prompt_tokens)
        life.state = "waiting"
        life.note(record)

    def _match(self, record: Match) -> None:
        request = record.request
        if request < 0:
            return
        life = self._log.alive.get(request) or self._begin(request, record.at, record.queried_tokens + 1)
        life.note(record)
        if life.is_known:
            return
        life.namespace = record.namespace
        label = self.mirror.last_label(record.full_node)
        if label is not None:
            life.hit_label = label
        if record.branching_point >= 0:
            life.branching_point = record.branching_point
        usable = record.device_hit_tokens + record.host_hit_tokens
        if record.full_hit_tokens > record.device_hit_tokens >= 0:
            columns = self.mirror.columns
            slot = columns.pages.slot_of(record.full_node)
            life.gap_spans = (*spans_of(columns, slot, record.device_hit_tokens, record.full_hit_tokens),)
        if record.full_hit_tokens > usable:
            life.gaps = self._losses.of(record.full_node, usable, record.full_hit_tokens)

    def _admitted(self, record: RequestAdmitted) -> None:
        at, request, prompt_tokens, device, host, gap, *_ = record
        life = self._log.alive.get(request) or self._begin(request, at, prompt_tokens)
        life.state = "running"
        life.admitted_at = at
        steps = life.steps
        if steps and type(steps[0]) is RequestQueued and not life.is_known:
            life.queued_ns = at - life.arrived_at
        life.note(record)
        if device < 0 or host < 0 or gap < 0 or not 0 <= prompt_tokens <= MOST_TOKENS:
            return
        if life.is_known:
            self._returned(life, record)
            return
        if prompt_tokens != life.prompt_tokens:
            life.set_prompt(prompt_tokens)
        life.is_known = True
        life.device = device
        full_boundary = life.full_boundary = life.covered = device + host + gap
        if host:
            life.host = host
        if gap:
            life.gap = gap
            life.below_grid = min(gap, full_boundary % self._rounding.grid_tokens)
        if self._stores_nothing and full_boundary < life.matchable:
            life.lose("first_seen", full_boundary, life.matchable, ((full_boundary, life.matchable, None),))
            life.covered = life.matchable

    def _returned(self, life: Life, record: RequestAdmitted) -> None:
        """Take note that a retracted request is back: of its prompt it finds what others stored meanwhile."""
        found = min(record.device_hit_tokens + record.host_hit_tokens + record.recomputed_tokens, life.matchable)
        if found > life.covered:
            life.lose("in_flight", life.covered, found, ((life.covered, found, life.last_label),))
            life.covered, life.new_as, life.parted_at, life.is_settled = found, None, None, False
        if life.stays is not None:
            life.stays.admitted(record)

    def _again(self, life: Life, at: int, tokens: int) -> None:
        """Count tokens that a request computed again."""
        if tokens > 0:
            life.again += tokens
            self._sums.again(life, tokens, at)

    def _prefilled(self, record: RequestPrefilled) -> None:
        life = self._log.alive.get(record.request)
        if life is None:
            return
        life.note(record)
        if life.stays is None:
            life.prefilled += record.new_tokens
        else:
            self._again(life, record.at, life.stays.prefilled(record))
        if life.host:
            self._loaded(life, record.host_hit_tokens)
            if life.counted is None and life.is_decided:
                self._settle(life, record.at)

    def _loaded(self, life: Life, tokens: int) -> None:
        """Take note of what a request loaded; what it did after a retraction is another matter."""
        if not life.retractions:
            loaded = min(max(0, tokens), life.host)
            life.is_settled = life.is_settled and loaded == life.loaded
            life.loaded = loaded
            life.has_load_news = True

    def _first_token(self, record: RequestFirstToken) -> None:
        life = self._log.alive.get(record.request)
        if life is not None and life.first_token_at is None:
            life.first_token_at = record.at
            life.decode_steps = self._log.decode_steps
            life.note(record)

    def _freed(self, record: FreeWindow) -> None:
        life = self._log.alive.get(record.request)
        if life is not None:
            life.note(record)

    def _finished(self, record: RequestFinished) -> None:
        life = self._log.alive.pop(record.request, None)
        if life is not None:
            life.state = "done"
            self._end(life, record)
            self._log.done.append(life)

    def _retracted(self, record: RequestRetracted) -> None:
        """Take note of it; who lacked slots or data stays among the living, for it will come back."""
        life = self._log.alive.get(record.request)
        if life is not None:
            life.state = "retracted"
            self._end(life, record)
            life.retractions += 1
            if record.reason not in _RETURNING:
                self._log.done.append(self._log.alive.pop(record.request))

    def _refused(self, record: RequestRefused) -> None:
        life = self._log.alive.pop(record.request, None) or Life(
            record.request, record.at, record.prompt_tokens, self._rounding
        )
        life.state = "refused"
        life.reason, life.ended_at = record.reason, record.at
        life.note(record)
        self._log.done.append(life)

    def _end(self, life: Life, record: RequestFinished | RequestRetracted) -> None:
        life.note(record)
        life.ended_at = record.at
        life.reason = record.reason
        life.output_tokens = record.output_tokens
        if life.stays is None and type(record) is RequestRetracted:
            usable = record.device_hit_tokens + record.host_hit_tokens
            life.stays = Stays(min(MOST_TOKENS, max(0, usable) + max(0, life.prefilled)))
        if life.stays is not None:
            self._again(life, record.at, life.stays.ended(record))
        if life.host:
            self._loaded(life, 0 if record.reason == LOAD_FAILED else record.host_hit_tokens)
        comes_back = type(record) is RequestRetracted and record.reason in _RETURNING
        if not comes_back or life.is_decided or life.counted is not None:
            self._settle(life, record.at)

    # ---- content

    def _split(self, record: NodeSplit) -> None:
        self._seen.split(record)
        self._losses.split(record)

    def _insert(self, record: Insert) -> None:
        life = self._log.alive.get(record.request) if record.request >= 0 else None
        if life is None:
            self._seen.take(record.node, is_asked=False)
            return
        is_open = life.is_known and life.covered < life.matchable
        news = self._seen.take(record.node, is_open)
        life.note(record)
        if is_open or life.last_label is None:
            label = self._label_of_end(record, life.prompt_tokens)
            if label is not None:
                life.last_label = label
        if is_open:
            decide(life, record, news, self._seen, self.mirror)
            if life.counted is None and life.is_decided:
                self._settle(life, record.at)

    def _label_of_end(self, record: Insert, prompt_tokens: int) -> int | None:
        """Return the label of the last token that an insert wrote of a prompt; behind that come outputs."""
        if record.key_tokens <= prompt_tokens:
            return self.mirror.last_label(record.node)
        columns = self.mirror.columns
        return spans_of(columns, columns.pages.slot_of(record.node), prompt_tokens - 1, prompt_tokens)[0][2]

    def _settle(self, life: Life, at: int) -> None:
        """Count what became of a prompt; what is known better by now replaces what was counted."""
        if not life.is_known or life.is_settled:
            return
        life.is_settled = True
        before, amounts = life.counted, life.amounts()
        life.counted = amounts
        if before is not None:
            self._sums.recount(life, before, amounts, life.counted_at)
            return
        life.counted_at = at
        self._sums.count(life, amounts, at)
        if amounts[_WINDOW_GONE]:
            self._count_gap(life, amounts[_WINDOW_GONE], at)

    def _count_gap(self, life: Life, tokens: int, at: int) -> None:
        """Count a gap by its causes, of as many tokens as it counted for."""
        is_early = False
        for gap in life.gap_parts():
            part = min(gap.end - gap.start, tokens)
            cause = cause_of(gap, life.admitted_at, self._watched_from)
            is_early |= cause == EARLY
            self._sums.also(cause, part, at)
            tokens -= part
        self._sums.also(NEVER, tokens, at)
        self._sums.also(EARLY_REQUESTS, int(is_early), at)

    def _engine_step(self, record: EngineStep) -> None:
        self._log.decode_steps += record.decode_tokens > 0
