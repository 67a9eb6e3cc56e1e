"""Is it the prompts or the capacity? In a few words, which come from evidence alone."""

from __future__ import annotations

from probes.builtin.capacity import CapacityHits, CapacitySample
from radixtop.render.lines import Line, Role, Span
from radixtop.render.units import age, share

MUCH, LITTLE = 0.05, 0.01
"""What another size hits more or less, in parts of what is asked for: from where on it matters, up to where not."""

FEW = 50
"""Fewer requests are too few to tell."""

_APART = 0.01
"""By so much figures of the cache itself are not the same, which is said."""


def sentences(sample: CapacitySample | None) -> list[Line]:
    """Return what twice and half of the room would hit, what that means, and what the cache itself hits."""
    if sample is None:
        return [(("other sizes: -  this source does not tell what requests ask for", "dim"),)]
    if sample.now_tokens is None:
        return [(("other sizes: -  the size of the pool is not told yet", "dim"),)]
    of = sample.newest
    now = sample.hit_rate(sample.now_tokens, of)
    if now is None:
        return [(("other sizes: -  no request has passed yet", "dim"),)]
    return [_sizes(sample, of, now), _own(of, now)]


def _sizes(sample: CapacitySample, of: CapacityHits, now: float) -> Line:
    assert sample.now_tokens is not None
    rates = {factor: sample.hit_rate(sample.now_tokens * factor, of) for factor in (0.5, 2, 4)}
    span = "in all: " if sample.recent is None else f"last {age(sample.recent_ns)}: "
    spans: list[Span] = [(span, "label")]
    least = "" if sample.is_whole else "at least "
    for text, factor in ((f"twice the room would hit {least}", 2), (", half of it ", 0.5)):
        rate = rates[factor]
        points = "" if rate is None else f" ({100 * (rate - now):+.1f} points)"
        spans += [(text, "text"), (share(rate), "device"), (points, "text")]
    verdict, role = _verdict(now, rates[0.5], rates[2], rates[4])
    if of.requests < FEW:
        verdict, role = "too early to tell", "dim"
    return (*spans, (": ", "text"), (verdict, role), (".", "text"))


def _verdict(now: float, half: float | None, double: float | None, most: float | None) -> tuple[str, Role]:
    if double is not None and double - now >= MUCH:
        return "more room pays", "warn"
    if half is not None and now - half <= LITTLE:
        return "half of it would do", "good"
    if double is not None and double - now <= LITTLE and (most is None or most - now <= MUCH):
        return "what misses is due to the prompts, not to the room", "good"
    return "more room would help a little", "text"


def _own(of: CapacityHits, now: float) -> Line:
    """Return how near the cache comes to that, and what of it is for want of windows."""
    found, own = of.found_rate, of.measured_rate
    spans: list[Span] = [
        ("LRU in this room: ", "label"), (share(now), "device"),
        ("; the cache found ", "text"), (share(found), "full"),
    ]  # fmt: skip
    if found is not None and own is not None and found - own >= _APART:
        spans += [(" and hit ", "text"), (share(own), "value"), (": windows were gone", "text")]
    if found is not None and now - found >= _APART:
        spans.append((", for what runs takes room, too", "text"))
    return (*spans, (".", "text"))
