"""The jobs of a sweep, and the rows that their outcomes amount to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from profiles.plain import json_text
from radixtop.compare.combinations import Combination
from radixtop.compare.engine import Outcome
from radixtop.compare.row import Figures, Reference, Row
from radixtop.compare.source import Lengths
from radixtop.replay.settings import ReplaySettings

AS_IT_IS = "as it is"
"""What the row is called that varies nothing."""
BOUNDS = {"optimal": "optimal", "lru": "lru", "block_hash": "block hash"}
"""Policies of block caches that are run at every size of the full pool, and what they are called."""
UNBOUNDED = {"infinite": "ceiling", "chunk": "chunk"}
"""Those to which the size makes no difference."""


_CURVE_STEPS = 140


@dataclass(frozen=True, slots=True)
class Task:
    """The trace that all jobs read, the settings that are not varied, and what slots take, by pool."""

    path: Path
    format: str | None
    base: ReplaySettings
    lengths: Lengths
    slot_bytes: Mapping[str, float]

    def job(self, kind: str, **terms: object) -> str:
        """Return a job of a kind."""
        base = self.base
        common = {"kind": kind, "path": str(self.path), "format": self.format}
        return json_text({**common, "limit": base.limit, "warm_up": base.warm_up, **terms})


def replays(task: Task, combinations: Sequence[Combination]) -> list[str]:
    """Return a job for each combination."""
    return [task.job("replay", settings=each.settings.document()) for each in combinations]


def wanted_references(task: Task, combinations: Sequence[Combination]) -> tuple[list[Reference], list[str]]:
    """Return the references of a sweep, without figures, and a job for each."""
    sizes = sorted({each.settings.config.full_slots for each in combinations})
    wanted = [(policy, name, size) for size in sizes for policy, name in BOUNDS.items()]
    references = [Reference(name, "blocks", size, None) for _, name, size in wanted]
    jobs = [
        task.job("simulate", policy=policy, capacity_blocks=task.lengths.blocks_of(size))
        for policy, _, size in wanted
    ]
    for policy, name in UNBOUNDED.items():
        references.append(Reference(name, "blocks", None, None))
        jobs.append(task.job("simulate", policy=policy, capacity_blocks=task.lengths.blocks))
    return references, jobs


def wanted_curve(task: Task, combinations: Sequence[Combination]) -> list[str]:
    """Return the job that tells what LRU hits at every size between those of a sweep; none of a single size."""
    sizes = sorted({each.settings.config.full_slots for each in combinations})
    low, high = sizes[0], sizes[-1]
    if low == high:
        return []
    between = (round(low * (high / low) ** (step / _CURVE_STEPS)) for step in range(_CURVE_STEPS + 1))
    return [task.job("curve", slots=sorted({*sizes, *between}), corners=False)]


def row_of(task: Task, combination: Combination, outcome: Outcome) -> Row:
    """Return the row of a combination."""
    settings = combination.settings
    figures = None if outcome.result is None else replayed_figures(json.loads(outcome.result))
    config = settings.config
    pools = {
        "full": config.full_slots,
        "swa": config.swa_slots,
        "mamba": config.mamba_slots,
        "host": config.host_slots,
    }
    held = {name: slots for name, slots in pools.items() if slots and (name in config.components or name == "host")}
    return Row(
        name=combination.name or AS_IT_IS,
        varied=combination.varied,
        settings=flat(settings),
        figures=figures,
        failure=outcome.failure,
        slots=held,
        memory_bytes=_memory(held, task.slot_bytes),
    )


def replayed_figures(result: Mapping[str, object]) -> Figures:
    """Return the figures in the document of a replay."""
    numbers = {
        name: int(str(result[name]))
        for name in (
            "measured", "prompt_tokens", "hit_tokens", "evicted_tokens", "refused_measured", "refused_tokens",
        )
    }  # fmt: skip
    refused_tokens = numbers["refused_tokens"]
    misses, ttft = result["misses"], result["ttft_ns"]
    assert isinstance(ttft, dict) and isinstance(misses, dict | None), f"{result=}"
    return Figures(
        numbers["measured"] + numbers["refused_measured"], numbers["prompt_tokens"] + refused_tokens,
        numbers["hit_tokens"], numbers["evicted_tokens"],
        None if misses is None else {**_missed(misses), "refused": refused_tokens},
        {name: None if ttft[name] is None else ttft[name] / 1e6 for name in ("mean", "p50", "p90", "p99")},
        numbers["refused_measured"],
    )  # fmt: skip


def simulated_figures(result: Mapping[str, object]) -> Figures:
    """Return the figures in the document of a simulation."""
    requests, queried, hit = (int(str(result[name])) for name in ("requests", "queried_tokens", "hit_tokens"))
    return Figures(requests, queried, hit)


def _missed(misses: Mapping[str, int]) -> dict[str, int]:
    """Return the missed tokens by their class."""
    return {name: tokens for name, tokens in misses.items() if name not in ("requests", "prompt", "device", "loaded")}


def flat(settings: ReplaySettings) -> dict[str, object]:
    """Return settings by name, those of the cache among them."""
    document = settings.document()
    config = document.pop("config")
    assert isinstance(config, dict), f"{config=}"
    return {**config, **document}


def _memory(slots: Mapping[str, int], slot_bytes: Mapping[str, float]) -> int | None:
    """Return what pools on the device take; None where the size of a slot is not known."""
    on_device = {name: count for name, count in slots.items() if name != "host"}
    if not on_device.keys() <= slot_bytes.keys():
        return None
    return round(sum(count * slot_bytes[name] for name, count in on_device.items()))
