"""Whether the pool of windows is too small, in words and with the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from probes.builtin.occupancy import OccupancySample, PoolState
from probes.builtin.request_log import RequestLogSample
from probes.builtin.windows import WindowsSample
from probes.snapshot import Snapshot
from profiles.cost_model import DERIVED
from radixtop.render.lines import Line, Span, clean, first_that_fits
from radixtop.render.units import count, duration, grouped, share

if TYPE_CHECKING:
    from radixtop.messages import Frame

Verdict = Literal["too small", "large enough", "not the pool", "unseen", "-"]

ENOUGH = 0.01
"""From this share of prompt tokens on, what is computed again for want of windows is worth a word of advice."""

FEW = 2
"""So many requests prove something."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the pool of windows; None is not known."""

    windows: WindowsSample | None
    log: RequestLogSample | None
    pool: PoolState | None

    @property
    def has_windows(self) -> bool:
        """Whether the cache has sliding windows."""
        return self.windows is not None and self.windows.component is not None

    @property
    def verdict(self) -> Verdict:
        """The answer: too small when requests needed windows that were evicted within the minute before."""
        log = self.log
        if not self.has_windows or log is None or not log.last_minute.prompt:
            return "-"
        gaps, prompt = log.gaps_last_minute, log.last_minute.prompt
        if gaps.early >= ENOUGH * prompt and gaps.requests >= FEW:
            return "too small"
        if gaps.early + gaps.unknown >= ENOUGH * prompt and gaps.unknown:
            return "unseen"
        return "not the pool" if gaps.never + gaps.late >= ENOUGH * prompt else "large enough"


def evidence_of(snapshot: Snapshot) -> Evidence:
    """Return what a snapshot says of the pool of windows."""
    windows = snapshot.get(WindowsSample)
    return Evidence(windows, snapshot.get(RequestLogSample), _pool(snapshot.get(OccupancySample), windows))


def _pool(occupancy: OccupancySample | None, windows: WindowsSample | None) -> PoolState | None:
    if occupancy is None or windows is None:
        return None
    return next((pool for pool in occupancy.pools if pool.name == windows.component), None)


_SHORT_BELOW, _LONG_FROM = 60, 100


def headline(frame: Frame, width: int) -> Line | None:
    """Return the answer in one line, None of a cache without windows."""
    evidence = evidence_of(frame.snapshot) if frame.snapshot is not None else Evidence(None, None, None)
    return first_that_fits((_judged(evidence), _short(evidence)), width) if evidence.has_windows else None


def answer(evidence: Evidence, width: int) -> list[Line]:
    """Return the answer, and what the missing windows cost; each line a sentence, short ones on narrow screens."""
    if evidence.windows is None:
        return [(("pool of windows: -  this source does not tell of evictions and matches", "dim"),)]
    if not evidence.has_windows:
        return [(("no sliding window in this cache: there is no pool of windows to judge", "label"),)]
    if width < _SHORT_BELOW:
        return [_short(evidence)]
    return [_judged(evidence), _price(evidence.windows, width >= _LONG_FROM)]


def _full(pool: PoolState | None) -> str:
    return share((pool.total - pool.free) / pool.total if pool is not None and pool.total else None)


def _short(evidence: Evidence) -> Line:
    verdict, log = evidence.verdict, evidence.log
    head: Span = (f"{_named(evidence)} {_full(evidence.pool)} full: ", "text")
    if verdict == "-" or log is None:
        return (head, ("-  no request in 60 s", "dim"))
    gaps, prompt = log.gaps_last_minute, log.last_minute.prompt
    if verdict == "unseen":
        return (head, (f"-  {_tokens(gaps.unknown, prompt)} lacked a window, why is not known", "dim"))
    if verdict == "not the pool":
        never = gaps.never + gaps.late
        return (head, ("not too small", "good"), (f"; {_tokens(never, prompt)} had no window kept", "text"))
    word: Span = (verdict, "bad" if verdict == "too small" else "good")
    return (head, word, (f"; {_tokens(gaps.early, prompt)} lost their window", "text"))


def _named(evidence: Evidence) -> str:
    """Return what the pool of windows is called, as in the panel of all pools."""
    name = evidence.windows.component if evidence.windows is not None else None
    return f"{clean(name)} pool" if name else "pool"


def _tokens(tokens: int, prompt: int) -> str:
    return f"{count(tokens)} token{'' if tokens == 1 else 's'} ({share(tokens / prompt)})"


def _judged(evidence: Evidence) -> Line:
    log, pool = evidence.log, evidence.pool
    head: Span = (f"{_named(evidence)} {_full(pool)} full", "text")
    verdict = evidence.verdict
    if verdict == "-" or log is None:
        return (head, (": -  no request in the last 60 s, nothing to judge by", "dim"))
    gaps, prompt = log.gaps_last_minute, log.last_minute.prompt
    if verdict == "too small":
        slots = f"; try --swa-slots {2 * pool.total} and compare" if pool is not None and pool.total else ""
        return (
            head, (": ", "text"), ("too small", "bad"),
            (f"; {grouped(gaps.requests)} requests in 60 s needed windows evicted less than 60 s before: ", "text"),
            (f"{count(gaps.early)} tokens", "value"),
            (f" computed again, {share(gaps.early / prompt)} of all prompts{slots}", "text"),
        )  # fmt: skip
    again = gaps.never + gaps.late
    if verdict == "unseen":
        said = (
            f"{count(gaps.unknown)} tokens were computed again ({share(gaps.unknown / prompt)}) for want of windows"
        )
        return (head, (f": -  {said}; why is not known, records are missing or the watch is young", "dim"))
    if verdict == "not the pool":
        return (
            head, (": ", "text"), ("not too small", "good"),
            ("; ", "text"), (f"{count(again)} tokens", "value"),
            (f" were computed again ({share(again / prompt)}) where no window had been kept: see branching", "text"),
        )  # fmt: skip
    return (
        head, (": ", "text"), ("large enough", "good"),
        (f"; in 60 s only {count(gaps.early)} of {count(prompt)} prompt tokens missed a window ", "text"),
        ("evicted less than 60 s before", "text"),
    )  # fmt: skip


def _price(windows: WindowsSample, is_long: bool) -> Line:
    tokens, rate = windows.recomputed_tokens, windows.ns_per_token
    cost = (
        ", what that took is not known: no step of the engine only prefilled"
        if rate is None or tokens is None
        else f", about {duration(tokens * rate)} of prefill ({DERIVED}: {duration(rate)} a token)"
    )
    return (
        ("recomputed in 60 s: ", "label"), (f"{count(tokens)} tokens", "value"),
        (f" by {grouped(windows.gaps)} requests{cost if tokens else ''}", "text"),
        (f"; {count(windows.evicted_tokens)} tokens of windows evicted" if is_long else "", "text"),
    )  # fmt: skip
