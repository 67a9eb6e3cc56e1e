"""One sampling from start to end: may it be done, do it, and did anything come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from profiles.cpu.facts import our_rights, target_facts
from profiles.cpu.failures import failure, nothing_sampled
from profiles.cpu.plan import CodeTarget, SamplingPlan
from profiles.cpu.pyspy import find_pyspy
from profiles.cpu.rights import refusal, refusal_of_platform, refusal_to_stop
from profiles.cpu.sampler import Sampled, Surroundings, sample
from profiles.errors import ProfilingError


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What goes on while samples are taken: `between` is called often, `tell` gets what the target says."""

    between: Callable[[], None] = lambda: None
    tell: Callable[[bytes], None] = lambda said: None


def check(plan: SamplingPlan, target: CodeTarget) -> None:
    """Raise ProfilingError when a target may not be sampled, or not in this way."""
    ours = our_rights()
    if target.pid is None or ours.platform != "linux":
        reason = refusal_of_platform(ours)
    else:
        facts = target_facts(target.pid)
        if facts is None:
            raise ProfilingError(f"there is no process {target.pid}", "look for its number with ps -ef")
        reason = refusal(ours, facts) or (refusal_to_stop(facts) if plan.is_blocking else None)
    if reason is not None:
        raise reason


def sampled(plan: SamplingPlan, target: CodeTarget, written: str, meanwhile: Meanwhile) -> Sampled:
    """Sample a target that was checked. Raises ProfilingError when that fails, or when nothing was seen."""
    found = sample(plan, target, written, Surroundings(find_pyspy(), meanwhile.between, meanwhile.tell))
    if found.ended.code != 0:
        raise failure(found.ended, target, our_rights())
    if not found.samples:
        raise nothing_sampled(target)
    return found


def remarks(found: Sampled, plan: SamplingPlan) -> Iterator[str]:
    """Yield what to know of a sampling that came to an end, one line each."""
    if found.errors:
        tried = found.samples + found.errors
        yield f"{found.errors} of {tried} samples could not be read while the process ran on, and are missing"
    if found.fell_behind:
        yield f"sampling fell behind {plan.rate_hz} Hz: counts are too low, try a lower --rate"
