"""What changed since the marked moment, in one line."""

from __future__ import annotations

from radixtop.comparison.page import Comparison
from radixtop.comparison.rows import points
from radixtop.render.lines import Line, Role, crop, width_of
from radixtop.render.units import age, rate, share

_UNTOLD = "- no rates are told: the tree is compared"
_SHORT_CELLS = 56
"""Below this width the answer has fewer words."""


def answer(comparison: Comparison, width: int) -> Line:
    """Return in one line what changed since the mark; what has no room is left out."""
    mark = comparison.mark
    if mark is None:
        unmarked = "no moment is marked yet: m marks this one, to compare what comes with it"
        return ((crop(unmarked, width), "value"),)
    if comparison.is_ahead:
        ahead = f"the mark is {age(mark.at - comparison.now.at)} later than the moment shown: nothing to compare"
        return ((crop(ahead, width), "warn"),)
    is_short = width < _SHORT_CELLS
    ago = age(comparison.now.at - mark.at)
    start: Line = ((f"{ago}: " if is_short else f"since the mark {ago} ago: ", "label"),)
    if not comparison.since.sums:
        return (*start, ("nothing is known yet" if comparison.since.ns == 0 else _UNTOLD, "dim"))
    for part in _news(comparison, is_short):
        if width_of(start) + width_of(part) <= width:
            start += part
    return start


def _news(comparison: Comparison, is_short: bool) -> list[Line]:
    before, since = comparison.before, comparison.since
    rates = before.ratio("hit", "queried"), since.ratio("hit", "queried")
    hit = f"{'hit' if is_short else 'hit rate'} {share(rates[0])} → {share(rates[1])}"
    role: Role = "value"
    if rates[0] is not None and rates[1] is not None:
        change = rates[1] - rates[0]
        hit += f" ({points(change).removesuffix(' points' * is_short)})"
        role = "good" if change > 0.005 else "bad" if change < -0.005 else "value"
    evictions = before.per_s("evict calls"), since.per_s("evict calls")
    tokens = before.per_s("queried"), since.per_s("queried")
    return [
        ((hit, role),),
        ((f", evictions {rate(evictions[0])} → {rate(evictions[1])}", "value"),),
        ((f", queried tokens {rate(tokens[0])} → {rate(tokens[1])}", "value"),),
    ]
