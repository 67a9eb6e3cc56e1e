"""What LRU hits at every capacity, estimated from a few of the blocks, and how far off that may be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import stdev

from cache_core.errors import ConfigError
from probes.curves.capacity_curve import CapacityCurve
from probes.curves.one_pass import OnePass
from profiles.simulation.sample import Sample, sampled
from profiles.trace import TraceRequest

_PARTS = 8
"""The sample is split in so many parts, whose estimates say by their spread how sure the whole one is."""


@dataclass(frozen=True, slots=True)
class SampledCurve:
    """An estimate of a CapacityCurve: `exact` up to its end, further on by a share `rate` of all blocks.

    `sample` is the curve of those blocks, `parts` are those of as many parts of them.
    """

    exact: CapacityCurve
    rate: float
    sample: CapacityCurve
    parts: Sequence[CapacityCurve]

    def hit_tokens(self, capacity_blocks: int) -> int:
        """Return about what a cache of so many blocks hits, exactly as far as `exact` goes."""
        known = self.exact.largest_blocks
        if known is None or capacity_blocks <= known:
            return self.exact.hit_tokens(capacity_blocks)
        more = _scaled(self.sample, self.rate, known, capacity_blocks)
        return min(self.exact.hit_tokens(known) + round(more), self.exact.queried_tokens)

    def error_tokens(self, capacity_blocks: int) -> int:
        """Return the standard error of `hit_tokens`: one estimate in 20 is more than twice as far off."""
        known = self.exact.largest_blocks
        if known is None or capacity_blocks <= known:
            return 0
        found = [_scaled(part, self.rate / len(self.parts), known, capacity_blocks) for part in self.parts]
        return round(stdev(found) / math.sqrt(len(found)))

    def hit_rate(self, capacity_blocks: int) -> float | None:
        """Return about the share of the queried tokens that are hit; None where nothing was queried."""
        queried = self.exact.queried_tokens
        return self.hit_tokens(capacity_blocks) / queried if queried else None

    def hit_rate_error(self, capacity_blocks: int) -> float | None:
        """Return the standard error of `hit_rate`; None where nothing was queried."""
        queried = self.exact.queried_tokens
        return self.error_tokens(capacity_blocks) / queried if queried else None


def _scaled(sample: CapacityCurve, rate: float, low: int, high: int) -> float:
    """Return how much more the larger capacity hits, by a curve of a share of the blocks."""
    return (_between(sample, high * rate) - _between(sample, low * rate)) / rate


def _between(curve: CapacityCurve, capacity: float) -> float:
    whole = int(capacity)
    return curve.hit_tokens(whole) + (capacity - whole) * (curve.hit_tokens(whole + 1) - curve.hit_tokens(whole))


def sampled_curve(
    requests: Iterable[TraceRequest],
    rate: float = 0.01,
    exact_blocks: int = 20_000,
    warm_up_requests: int = 0,
    seed: int = 1,
) -> SampledCurve:
    """Return what LRU hits, exactly up to `exact_blocks`, estimated beyond; memory is those and a share of the rest.

    A cache of n blocks treats the sample as one of n times the rate would (SHARDS, Waldspurger et al. 2015). The few
    blocks that everybody asks for would decide how far off a sample is; they lie within the exact part, and only what
    more capacity adds is estimated. Raises ConfigError for a rate that is not above 0 and at most 1.
    """
    if not 0 < rate <= 1:
        raise ConfigError(f"rate is {rate}; a sample is a share of the blocks above 0 and at most 1")
    exact, passes = OnePass(exact_blocks), [OnePass(None) for _ in range(1 + _PARTS)]
    for number, (request, pieces) in enumerate(sampled(requests, Sample(rate, _PARTS, seed))):
        is_counted = number >= warm_up_requests
        exact.serve(request, is_counted)
        for one_pass, piece in zip(passes, pieces, strict=False):
            if piece is not None:
                one_pass.serve(piece, is_counted)
    whole, *parts = (one_pass.curve() for one_pass in passes)
    return SampledCurve(exact.curve(), rate, whole, tuple(parts))
