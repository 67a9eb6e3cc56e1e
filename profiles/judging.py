"""How severe a cost is, and how costs are made of tokens: what diagnoses share."""

from __future__ import annotations

from probes.snapshot import number_of as number_of
from profiles.evidence.evidence import Evidence
from profiles.finding import Cost, Severity

NOTE, WARN, ALARM = 0.01, 0.05, 0.15
"""Shares of all prompt tokens: less than the first is not worth a word."""

LEAST_REQUESTS = 8
"""Of fewer requests nothing is said that depends on what requests have in common."""


def severity_of(share: float, warn: float = WARN, alarm: float = ALARM) -> Severity:
    """Return how severe it is to lose a share (0..1) of all prompt tokens, or of all time."""
    return "alarm" if share >= alarm else "warn" if share >= warn else "note"


def cost_of(evidence: Evidence, tokens: int) -> Cost:
    """Return the cost of lost tokens; its time is derived from the measured time of a prefilled token."""
    return Cost(tokens, evidence.ms_of(tokens), evidence.share_of(tokens))


def cost_of_time(evidence: Evidence, ns: int) -> Cost:
    """Return the cost of measured time; its tokens are those that could have been prefilled meanwhile."""
    price = evidence.work.ns_per_token
    tokens = ns // price if price else 0
    return Cost(tokens, ns / 1e6, evidence.share_of(tokens), is_measured=True)


def never_kept(evidence: Evidence, tokens: int) -> tuple[tuple[str, int], ...]:
    """Return claims of so many tokens that no window, or no state, was ever kept for, in the shares of both."""
    windows, states = evidence.tokens("window_never"), evidence.tokens("state_never")
    of_states = tokens * states // max(1, windows + states)
    return tuple(claim for claim in (("window_never", tokens - of_states), ("state_never", of_states)) if claim[1])


def percent(share: float) -> float:
    """Return a share as percent, to a tenth."""
    return round(100 * share, 1)
