"""The faults that are planted: what each does to a run, at three magnitudes, and which finding names it.

A cause takes a plant and returns it spoiled, so that several can be put into one run. `alone` is the plant that it is
put into when nothing else is asked for: one that has room for everything and something to lose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from cache_core.branching import ceil_page
from radixtop.serving.run_config import RunConfig
from tests.support.faults.plant import LEAF_TOKENS, Plant

Magnitude = Literal["mild", "clear", "heavy"]
MAGNITUDES: tuple[Magnitude, ...] = ("mild", "clear", "heavy")

Spoil = Callable[[Plant, int], Plant]
"""Puts a fault into a plant, of a magnitude by its place in MAGNITUDES."""

ROOMY = Plant(RunConfig("mixed", full_slots=60_000, swa_slots=24_000, concurrency=6, requests=240))


@dataclass(frozen=True, slots=True)
class Cause:
    """One fault, the finding that names it, and what it is put into."""

    finding: str
    spoil: Spoil
    alone: Plant = ROOMY

    def put(self, plant: Plant, magnitude: Magnitude) -> Plant:
        """Return a plant with this fault."""
        return self.spoil(plant, MAGNITUDES.index(magnitude))


def _habit(name: str, value: str) -> Spoil:
    def spoil(plant: Plant, size: int) -> Plant:
        return replace(plant, habits=(*plant.habits, (name, value, (0.35, 0.65, 1.0)[size])))

    return spoil


def _slots(kind: str, amounts: Mapping[str, tuple[int, int, int]]) -> Spoil:
    """Return what shrinks a pool, to amounts that go by the workload."""

    def spoil(plant: Plant, size: int) -> Plant:
        return plant.with_run(**{kind: ceil_page(amounts[plant.run.workload][size], plant.run.page_size)})

    return spoil


_FEW_WINDOWS = {
    "mixed": (3_000, 2_500, 2_000), "agent": (2_300, 2_000, 1_800), "rag": (5_000, 3_500, 2_400),
    "chat": (2_100, 2_000, 1_900), "few_shot": (2_400, 2_000, 1_800), "shared_prompt": (6_000, 4_500, 3_000),
}  # fmt: skip
_LITTLE_ROOM = {
    "mixed": (5_500, 4_500, 3_600), "agent": (5_500, 4_600, 4_000), "rag": (7_000, 5_000, 4_000),
    "chat": (3_600, 3_200, 2_800), "few_shot": (5_200, 4_600, 3_600), "shared_prompt": (40_000, 30_000, 20_000),
}  # fmt: skip
_FEW_STATES = {
    "mixed": (48, 32, 20), "agent": (28, 24, 20), "rag": (60, 40, 20), "chat": (26, 24, 20), "few_shot": (24, 20, 18),
    "shared_prompt": (20, 18, 16),
}  # fmt: skip


def _far_states(plant: Plant, size: int) -> Plant:
    return plant.with_run(mamba_chunk=(192, 256, 512)[size])


def _no_branching(plant: Plant, size: int) -> Plant:
    return plant.with_run(branching=False, requests=(120, 240, 360)[size])


def _too_many_wait(plant: Plant, size: int) -> Plant:
    return plant.with_run(schedule="lpm", rate=(250.0, 400.0, 800.0)[size])


def _storm(plant: Plant, size: int) -> Plant:
    return plant.told(output_tokens=300).with_run(concurrency=24, full_slots=(8_000, 6_500, 5_000)[size])


def _pages(plant: Plant, size: int) -> Plant:
    page = (64, 128, 256)[size]
    full, swa = (ceil_page(slots or 0, page) for slots in (plant.run.full_slots, plant.run.swa_slots))
    return plant.with_run(page_size=page, full_slots=full, swa_slots=swa)


def _flood(plant: Plant, size: int) -> Plant:
    slots = {"chat": 7_000, "agent": 12_000}.get(plant.run.workload, 10_000)
    turns = {"chat": 3, "agent": 5}.get(plant.run.workload, 1)
    share = (0.15, 0.3, 0.5)[size]
    share = turns * share / (1 - share + turns * share)
    return replace(plant, flood=share).with_run(full_slots=slots)


def _windows_by_age(plant: Plant, size: int) -> Plant:
    slots = {"shared_prompt": (6_600, 6_000, 5_000)}.get(plant.run.workload, (4_500, 3_600, 3_000))[size]
    return plant.with_run(swa_eviction="lru", chunk_size=128, swa_slots=slots)


def _stall(plant: Plant, size: int) -> Plant:
    leaves = (2_500, 4_000, 7_000)[size]
    slots = ceil_page(leaves * LEAF_TOKENS + 3_000, plant.run.page_size)
    return replace(plant.with_run(evictor="rebuild", full_slots=slots, swa_slots=slots), leaves=leaves)


def _long_chunks(plant: Plant, size: int) -> Plant:
    told = plant.told(system_tokens=(900, 1_400, 1_900)[size], system_prompts=60)
    return told.with_run(chunk_size=4_096)


def _few_shot(tasks: int, **settings: Any) -> Plant:
    return Plant(RunConfig("few_shot", (("tasks", str(tasks)), ("arrival", "interleaved")), **settings))


def _shared(options: Mapping[str, int], **settings: Any) -> Plant:
    return ROOMY.with_run(workload="shared_prompt", **settings).told(**options)


STATES = ROOMY.with_run(components="full,mamba", mamba_slots=4_000)

CAUSES: Mapping[str, Cause] = {
    "salt": Cause("salted_requests", _habit("salt", "request")),
    "timestamp": Cause("early_divergence", _habit("timestamp", "first")),
    "swa_pool": Cause("swa_pool_small", _slots("swa_slots", _FEW_WINDOWS)),
    "branching": Cause("branching_off", _no_branching),
    "capacity": Cause("capacity_small", _slots("full_slots", _LITTLE_ROOM)),
    "fallback": Cause(
        "lpm_fallback",
        _too_many_wait,
        _few_shot(24, full_slots=9_000, swa_slots=6_000, concurrency=6, requests=400),
    ),
    "storm": Cause("retraction_storm", _storm, _shared({"system_tokens": 300, "question_tokens": 64}, requests=160)),
    "page": Cause("page_size", _pages),
    "flood": Cause("tenant_flood", _flood, ROOMY.told(tenants="1,1")),
    "windows_by_age": Cause(
        "tail_windows_lost",
        _windows_by_age,
        _shared({"system_tokens": 1_500, "system_prompts": 8}),
    ),
    "stall": Cause(
        "eviction_stall",
        _stall,
        _shared(
            {"system_tokens": 64, "question_tokens": 24, "output_tokens": 8},
            full_slots=60_000, swa_slots=60_000, requests=200,
        ),
    ),
    "chunks": Cause(
        "chunk_boundary", _long_chunks, _shared({}, full_slots=200_000, chunk_size=256, swa_slots=60_000)
    ),
    "state_pool": Cause("state_pool_small", _slots("mamba_slots", _FEW_STATES), STATES),
    "state_chunk": Cause("state_chunk_coarse", _far_states, STATES),
}  # fmt: skip
"""The faults by the names that the lab gives them."""

HEALTHY: Mapping[str, Plant] = {
    **{name: ROOMY.with_run(workload=name, swa_slots=60_000) for name in ("chat", "rag", "agent")},
    "states": STATES.with_run(workload="chat"),
    "windows and states": STATES.with_run(workload="rag", swa_slots=60_000, components="full,swa,mamba"),
}
"""Runs in which nothing is wrong."""


def plant_of(
    faults: tuple[str, ...],
    seed: int,
    magnitude: Magnitude = "clear",
    *,
    base: Plant | None = None,
    workload: str | None = None,
) -> Plant:
    """Return the plant of some faults at once, put into `base`, else into what the first of them is put into.

    The name of a healthy run is that run. A `workload` takes the place of the one that the first fault is put into.
    """
    if faults[0] in HEALTHY:
        return HEALTHY[faults[0]].with_run(seed=seed)
    plant = base or CAUSES[faults[0]].alone
    if workload is not None:
        plant = plant.with_run(workload=workload)
    for fault in faults:
        plant = CAUSES[fault].put(plant, magnitude)
    return plant.with_run(seed=seed)
