"""A short run in which everything happens once: what timelines and tables are made of."""

from __future__ import annotations

from collections.abc import Mapping

from cache_core import events as ev
from cache_core.events import Record
from profiles.profile import Profile
from tests.support.exporting import exported
from tests.support.listed_profile import ListedProfile
from tests.support.records import record

CONFIG = {"anchor": [1_000_000, 1_700_000_000_000_000_000], "pid": 42, "components": ["full", "swa"]}
SPACE = 77


def timed_profile(records: list[Record], config: Mapping[str, object] = CONFIG) -> Profile:
    """Return the profile of a run whose records are given."""
    return ListedProfile(records, config=config, title="a timed run")


def exported_records(records: list[Record], format: str, config: Mapping[str, object] = CONFIG) -> bytes:
    """Return the profile of records in a format."""
    return exported(timed_profile(records, config), format)


def timed_run() -> list[Record]:
    """Request 1 computes and stores all it has; 2 hits it, evicts for room and is retracted; 3 is refused."""
    return [
        record(ev.Namespace, id=SPACE, text="adapter; =1"),
        record(ev.Pool, at=1_001_000, component=0, free=64),
        record(ev.RequestQueued, at=1_002_000, request=1, prompt_tokens=48),
        record(ev.SchedulePass, at=1_011_000, duration_ns=900, waiting=1, limit=-1),
        record(ev.Match, at=1_014_000, duration_ns=2_500, namespace=SPACE, queried_tokens=47, request=1),
        record(ev.RequestAdmitted, at=1_014_500, request=1, prompt_tokens=48, new_tokens=48),
        record(ev.RequestPrefilled, at=1_015_000, request=1, prompt_tokens=48, new_tokens=48),
        record(ev.RequestFirstToken, at=1_100_000, request=1, prompt_tokens=48, output_tokens=1),
        record(ev.NodeAdded, at=1_105_000, node=1, length=48, content_key=11, namespace=SPACE, live=3),
        record(
            ev.Insert, at=1_105_000, duration_ns=3_250, namespace=SPACE, key_tokens=48, new_tokens=48, node=1,
            request=1,
        ),
        record(ev.Lock, at=1_105_100, node=1, moved_tokens=(48, 48)),
        record(ev.EngineStep, at=1_110_000, duration_ns=100_500, prefill_tokens=48, running=1),
        record(ev.Timing, at=1_110_100, operation=ev.LOCK, phase=ev.WHOLE, calls=1, duration_ns=250),
        record(ev.RequestFinished, at=1_120_000, request=1, prompt_tokens=48, new_tokens=48, output_tokens=3),
        record(ev.Pool, at=1_121_000, component=0, free=16, evictable=48),
        record(ev.RequestQueued, at=1_130_000, request=2, prompt_tokens=60),
        record(
            ev.Match, at=1_140_000, duration_ns=1_500, namespace=SPACE, queried_tokens=59, device_hit_tokens=32,
            full_hit_tokens=48, branching_point=48, nodes_walked=1, node=1, full_node=1, request=2,
        ),
        record(
            ev.RequestAdmitted, at=1_141_000, request=2, prompt_tokens=60, device_hit_tokens=32, recomputed_tokens=16,
            new_tokens=12,
        ),
        record(ev.Tombstoned, at=1_150_000, node=1, component=1),
        record(
            ev.Evict, at=1_150_000, duration_ns=4_000, component=1, asked_tokens=30, leaves_considered=2,
            queue_build_ns=1_750, pops=2, stale_pops=1, victims=1, freed_tokens=(0, 48),
        ),
        record(ev.NodeRemoved, at=1_160_000, node=1),
        record(ev.Evict, at=1_160_000, component=0, asked_tokens=20, victims=1, cascades=1, freed_tokens=(48, 0)),
        record(ev.FreeWindow, at=1_165_000, request=2, start=0, end=16),
        record(
            ev.RequestRetracted, at=1_170_000, request=2, prompt_tokens=60, device_hit_tokens=32,
            recomputed_tokens=28, reason=ev.OUT_OF_SLOTS,
        ),
        record(ev.RequestRefused, at=1_180_000, request=3, prompt_tokens=900, reason=ev.TOO_LONG),
        record(ev.ProbeCost, at=1_190_000, spent_ns=950, elapsed_ns=190_000),
        record(ev.CacheReset, at=1_200_000),
    ]  # fmt: skip
