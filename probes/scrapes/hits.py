"""Hit rates over windows: hit tokens by tier over queried tokens, by the best count that a page has."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from probes.scrapes.counter_windows import Increase
from probes.scrapes.metric import HitView

Grown = Callable[[Iterable[str]], Mapping[str, Increase] | None]
"""How much counters grew in some window, all since one moment; None when that is not known."""


@dataclass(frozen=True, slots=True)
class HitWindow:
    """Tokens that were looked up in one window, and those found in each tier. `view` names the way of counting."""

    view: str
    elapsed_ns: int
    queried_tokens: float
    hit_tokens: Mapping[str, float]

    @property
    def rate(self) -> float | None:
        """Share (0..1) of the queried tokens that hit in any tier; None when nothing was queried."""
        return sum(self.hit_tokens.values()) / self.queried_tokens if self.queried_tokens else None

    def rate_of(self, tier: str) -> float | None:
        """Share (0..1) of the queried tokens that hit in a tier; None when nothing was queried or it is not told."""
        hit = self.hit_tokens.get(tier)
        return None if hit is None or not self.queried_tokens else hit / self.queried_tokens


def best_view(views: Iterable[HitView], counters: Container[str]) -> HitView | None:
    """Return the first of the views that these counters make up; None when there is none."""
    for view in views:
        if all(role in counters for role in view.queried) and any(role in counters for role in view.hits.values()):
            return view
    return None


def hit_window(view: HitView, counters: Container[str], grown: Grown) -> HitWindow | None:
    """Return queried and hit tokens of one window, of the view's counters that the page has; None when unknown."""
    hits = {tier: role for tier, role in view.hits.items() if role in counters}
    increases = grown((*view.queried, *hits.values()))
    if increases is None or not hits:
        return None
    queried = sum(increases[role].amount for role in view.queried)
    found = MappingProxyType({tier: increases[role].amount for tier, role in hits.items()})
    return HitWindow(view.name, increases[view.queried[0]].elapsed_ns, queried, found)


def joined_hits(windows: Iterable[HitWindow | None]) -> HitWindow | None:
    """Return the hits of several ranks together: sums, over the longest of their times.

    None where one of them is not known, or they were not counted in one way.
    """
    known = [*windows]
    first = known[0] if known else None
    if first is None:
        return None
    hit_tokens: dict[str, float] = {}
    queried = 0.0
    elapsed_ns = 0
    for window in known:
        if window is None or window.view != first.view:
            return None
        queried += window.queried_tokens
        elapsed_ns = max(elapsed_ns, window.elapsed_ns)
        for tier, tokens in window.hit_tokens.items():
            hit_tokens[tier] = hit_tokens.get(tier, 0.0) + tokens
    return HitWindow(first.view, elapsed_ns, queried, MappingProxyType(hit_tokens))
