"""Runs that chance puts together, healthy or with one or two faults in them, and what removing each fault gains.

A run is a workload with a window, a page, chunks, components and a policy that chance picks, and pools that hold
everything. What is wrong with it is what it gains in hit rate without a fault; the default chunks are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from cache_core.branching import ceil_page
from radixtop.serving.run_config import RunConfig
from tests.support.faults.judge import Verdict, verdict_of
from tests.support.faults.plant import Plant
from tests.support.faults.serving import hit_rate_of, write

WORKLOADS = ("mixed", "agent", "rag", "chat", "few_shot", "shared_prompt")
CLEAR = 1.6
"""Where one fault gains so many times what the other does, it has to come first."""
LEAST = 0.03
"""What gains less hit rate need not be named."""

Settings = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Fault:
    """Settings that spoil a run, or a habit of a share of its prompts, and the findings that may name it."""

    name: str
    findings: tuple[str, ...]
    settings: tuple[tuple[str, object], ...] = ()
    habit: tuple[str, str, float] | None = None

    def put(self, plant: Plant) -> Plant:
        """Return a plant with this fault."""
        habits = plant.habits if self.habit is None else (*plant.habits, self.habit)
        spoiled = replace(plant, habits=habits).with_run(**dict(self.settings))
        page = spoiled.run.page_size
        slots = {name: ceil_page(getattr(spoiled.run, name), page) for name in ("full_slots", "swa_slots")}
        return spoiled.with_run(**slots)


@dataclass(frozen=True, slots=True)
class Chance:
    """A run without faults, and those that are to be put into it."""

    plant: Plant
    faults: tuple[Fault, ...]

    def without(self, *left_out: Fault) -> Plant:
        """Return the run with its faults except some."""
        plant = self.plant
        for fault in self.faults:
            plant = plant if fault in left_out else fault.put(plant)
        return plant

    def __str__(self) -> str:
        run = self.plant.run
        said = (f"{each.name}{dict(each.settings) or (each.habit or ('',))[-1]}" for each in self.faults)
        where = f"window {run.window} page {run.page_size} {run.components} {run.policy} {run.concurrency} at once"
        return f"{run.workload} {where}: {' + '.join(said) or 'healthy'}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was said of a run, what removing each fault gains (0..1), and what is wrong with what was said."""

    chance: Chance
    verdict: Verdict
    gains: tuple[float, ...]
    complaint: str


def thrown(seed: int, faults: int) -> Chance:
    """Throw the dice for a run with so many faults."""
    dice = Random(f"run {seed} {faults}")
    components = dice.choice(("full,swa", "full,swa", "full,swa", "full", "full,swa,mamba"))
    run = RunConfig(
        dice.choice(WORKLOADS),
        seed=dice.randrange(1_000),
        requests=dice.choice((120, 240)),
        concurrency=dice.choice((2, 4, 6)),
        window=dice.choice((64, 128, 128, 256)),
        page_size=dice.choice((1, 1, 1, 16)),
        chunk_size=512,
        components=components,
        mamba_slots=4_000 if "mamba" in components else None,
        policy=dice.choice(("lru", "lru", "slru")),
        full_slots=80_000,
        swa_slots=80_000,
    )
    offered = list(_offered(dice, run))
    return Chance(Plant(run), tuple(dice.sample(offered, min(faults, len(offered)))))


def _offered(dice: Random, run: RunConfig) -> Iterator[Fault]:
    """Yield a fault of each kind that means something in a run."""
    yield Fault("salt", ("salted_requests",), habit=("salt", "request", dice.choice((0.2, 0.5, 1.0))))
    yield Fault("timestamp", ("early_divergence",), habit=("timestamp", "first", dice.choice((0.2, 0.5, 1.0))))
    yield Fault("capacity", ("capacity_small",), (("full_slots", dice.choice((3_000, 4_500, 6_000))),))
    if run.page_size == 1 and "mamba" not in run.components:
        yield Fault("page", ("page_size",), (("page_size", dice.choice((64, 128, 256))),))
    if run.components == "full,swa":
        few = dice.choice((1_800, 2_400, 3_200))
        yield Fault("swa_pool", ("swa_pool_small",), (("swa_slots", few),))
        yield Fault("old windows", _WINDOWS, (("swa_slots", few), ("swa_eviction", "lru")))
        yield Fault("branching", ("branching_off",), (("branching", False),))
        yield Fault("chunks", ("chunk_boundary",), (("chunk_size", dice.choice((2_048, 4_096))),))


_WINDOWS = ("swa_pool_small", "tail_windows_lost")


def outcome_of(chance: Chance, folder: Path) -> Outcome:
    """Serve a run with its faults and without each, and judge what is said of it."""
    verdict = verdict_of(write(chance.without(), folder / "chance.rtrec"))
    gains = tuple(
        hit_rate_of(write(chance.without(fault), folder / "chance.rtrec")) - verdict.hit_rate
        for fault in chance.faults
    )
    return Outcome(chance, verdict, gains, complaint_of(chance.faults, gains, verdict))


def complaint_of(faults: Sequence[Fault], gains: Sequence[float], verdict: Verdict) -> str:
    """Return what is wrong with what was said; "" if nothing is."""
    if not faults:
        return "alarm" if any(each.severity == "alarm" for each in verdict.findings) else ""
    worst = max(zip(gains, faults, strict=True), key=lambda each: each[0])
    if worst[0] < LEAST:
        return ""
    right = {name for fault in faults for name in fault.findings}
    others = [gain for gain, fault in zip(gains, faults, strict=True) if fault is not worst[1]]
    if all(worst[0] >= CLEAR * gain for gain in others):
        right = set(worst[1].findings)
    first = verdict.causes[:1]
    return "" if set(first) & right else f"{' or '.join(sorted(right))} should be first"
