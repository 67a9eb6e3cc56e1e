"""One load twice in one process, branching-point caching off and on: what it brings, and that it changes no token."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import mean

from cache_core import PrefixCache
from cache_core.engine import Engine
from cache_core.engine.bench import Agreement, LoadFigures, compare_outputs, run_load
from radixtop.bench.figures import narrate
from radixtop.serving import embedded
from radixtop.serving.run_config import RunConfig


@dataclass(frozen=True, slots=True)
class BranchingFigures:
    """Both runs of a load, and whether they said the same."""

    off: LoadFigures
    on: LoadFigures
    agreement: Agreement

    @property
    def hit_rate_gain_points(self) -> float:
        """By how many percentage points branching raises the token hit rate."""
        return 100 * (_hit_rate(self.on) - _hit_rate(self.off))

    @property
    def ttft_ratio(self) -> float:
        """The mean time to the first token with branching, as a share of that without."""
        return mean(self.on.ttft_ns) / mean(self.off.ttft_ns)

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return {
            "requests": len(self.on.ends),
            "off": _describe(self.off),
            "on": _describe(self.on),
            "hit_rate_gain_points": self.hit_rate_gain_points,
            "ttft_ratio": self.ttft_ratio,
            "tokens_equal": self.agreement.equal,
            "compared_tokens": self.agreement.compared_tokens,
            "near_ties": self.agreement.ties,
            "differing_requests": [*self.agreement.differing],
        }


def off_and_on(run: RunConfig) -> BranchingFigures:
    """Serve the first `run.requests` prompts of a workload, in order and greedily, without and with branching."""
    off, on = (_serve(replace(run, branching=branching)) for branching in (False, True))
    return BranchingFigures(off, on, compare_outputs(off.ends, on.ends))


def _serve(run: RunConfig) -> LoadFigures:
    narrate(f"branching {'on' if run.branching else 'off'}: {run.requests:,} requests of {run.workload}")
    engine = Engine(PrefixCache(embedded.cache_config(run)), embedded.engine_config(run))
    return run_load(engine, embedded.first_requests(run), run.concurrency)


def _hit_rate(load: LoadFigures) -> float:
    assert load.hit_rate is not None, "a load has prompts"
    return load.hit_rate


def _describe(load: LoadFigures) -> dict[str, float]:
    return {
        "hit_rate": _hit_rate(load),
        "ttft_mean_ms": mean(load.ttft_ns) / 1e6,
        "tokens_per_s": (load.prompt_tokens + load.output_tokens) / load.duration_ns * 1e9,
    }
