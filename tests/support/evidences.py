"""Evidence in which one thing is wrong, for each finding, and evidence of a run in which nothing is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from profiles.evidence.evidence import (
    Account,
    ComponentEvictions,
    Divergence,
    Evidence,
    Gaps,
    Losses,
    PageLoss,
    PoolUse,
    Recency,
    StateLosses,
    Stretch,
    Tenant,
    Tenants,
    TreeUse,
    WindowLosses,
    Work,
)
from profiles.evidence.requests import Retractions, Scheduling, Unserved, Waits

MS, S = 1_000_000, 1_000_000_000

CONFIG: Mapping[str, object] = {
    "page_size": 1, "window": 128, "full_slots": 9_000, "swa_slots": 3_000, "branching": True, "chunk_size": 512,
    "concurrency": 4, "schedule": "fcfs", "swa_eviction": "tail_window_last", "evictor": "incremental",
}  # fmt: skip

HEALTHY = Evidence(
    config=CONFIG,
    span_ns=60 * S,
    requests=200,
    prompt_tokens=100_000,
    hit_tokens=80_000,
    lost={
        "first_seen": Account(18_000, 200, 0),
        "window_never": Account(800, 10, 5),
        "in_flight": Account(500, 3, 5),
        "evicted": Account(500, 3, 5),
        "last_token": Account(200, 200, 0),
    },
    tenants=Tenants((Tenant("", 200, 100_000, 80_000, 500, 0),), 1),
    divergence=Divergence(is_named=True),
    scheduling=Scheduling(passes=400, most_waiting=6),
    work=Work(300, 30 * S, 20_000, 100_000),
    evictions=(ComponentEvictions("full", 10, 10 * MS, 0, MS, 50, 5_000, 5_000, 5),),
    pools=(PoolUse("full", 9_000, 100, 2_000, 1_000, 8_000, 0, 0, 0.3),),
    course=(Stretch(0, 60 * S, 200, 100_000, 80_000, {"first_seen": 18_000}),),
    tree=TreeUse(nodes=40, tokens=8_000, unused_tokens=1_000, nodes_seen=90, running=0, waiting=0),
)
"""A run in which nothing is wrong."""


def lost(**tokens: int) -> Evidence:
    """Return the healthy run with these tokens in accounts; what they are is taken from its hits."""
    more = {name: Account(count, 20, 7, ((5, count // 4),)) for name, count in tokens.items()}
    return replace(HEALTHY, hit_tokens=80_000 - sum(tokens.values()), lost={**HEALTHY.lost, **more})


def configured(evidence: Evidence, **settings: object) -> Evidence:
    """Return evidence of another configuration."""
    return replace(evidence, config={**evidence.config, **settings})


def changed(evidence: Evidence = HEALTHY, **parts: Any) -> Evidence:
    """Return evidence with other parts."""
    return replace(evidence, **parts)


_NOISY = Tenant("noisy", 80, 60_000, 500, 0, 9, took_tokens=8_000)
_QUIET = Tenant("quiet", 120, 40_000, 20_000, 12_000, 0, took_own_tokens=4_000)
_FLOOD = Tenants((_NOISY, _QUIET), 2)
_FALLEN = Scheduling(400, 300, 250, 128, 3, 90, {"evicted": 28_000})
_DROP = (
    Stretch(0, S, 100, 50_000, 45_000, {"first_seen": 5_000}),
    Stretch(S, 2 * S, 100, 50_000, 20_000, {"evicted": 25_000, "first_seen": 5_000}),
)

SHOWN: Mapping[str, Evidence] = {
    "salted_requests": changed(lost(first_seen=70_000), tenants=Tenants((), 180, 170, 75_000, 3, 60_000)),
    "early_divergence": changed(
        lost(first_seen=60_000), divergence=Divergence(150, 50_000, 9, "system prompt 1", "time 3", 4, is_named=True)
    ),
    "late_divergence": changed(
        lost(first_seen=40_000), divergence=Divergence(late=90, late_tokens=20_000, late_position=500, is_named=True)
    ),
    "swa_pool_small": changed(lost(window_evicted=20_000), windows=WindowLosses(80, 5_000, 6_000, 4)),
    "state_pool_small": changed(
        lost(state_evicted=15_000, evicted_for_state=3_000, retracted_for_state=900),
        states=StateLosses(60, 4, 64, 64),
        state_retractions=Retractions(6, 5, 900, 8),
        pools=(PoolUse("mamba", 40, 0, 4, 0, 10, 20, 10),),
    ),
    "state_chunk_coarse": changed(
        lost(state_grid=30_000), states=StateLosses(0, None, 512, 64, 9_000, 12_000, 150, 3)
    ),
    "branching_off": changed(
        configured(lost(window_never=30_000), branching=False), gaps=Gaps(29_000, 40, 3, ((0, 0), (1, 3)), 3)
    ),
    "capacity_small": lost(evicted=30_000),
    "policy_unfit": configured(changed(lost(evicted=9_000), recency=Recency(100_000, 71_000, 84_000)), policy="mru"),
    "lpm_fallback": changed(
        lost(evicted=30_000), scheduling=Scheduling(400, 300, 250, 128, 3, 90, {"evicted": 28_000})
    ),
    "retraction_storm": changed(
        lost(evicted=20_000, retracted=12_000),
        retractions=Retractions(60, 40, 12_000, 8),
        pools=(PoolUse("full", 9_000, 0, 50, 0, 9_000, 0, 0, 0.9),),
    ),
    "page_size": configured(changed(lost(page_inside=12_000), page=PageLoss(14_000, 120, 200, 0, 2)), page_size=128),
    "tenant_flood": changed(lost(evicted=12_000), tenants=_FLOOD),
    "tail_windows_lost": configured(
        changed(lost(window_evicted=15_000), windows=WindowLosses(80, 5_000, 6_000, 4, 0.2)), swa_eviction="lru"
    ),
    "eviction_stall": changed(
        evictions=(ComponentEvictions("full", 300, 9 * S, 8 * S, 80 * MS, 40_000, 5_000, 5_000, 5, 6),)
    ),
    "chunk_boundary": changed(
        lost(window_never=40_000), gaps=Gaps(fresh=(*[(0, 0)] * 10, (40, 40_000)), fresh_since_ns=4)
    ),
    "reuse_off": configured(
        changed(hit_tokens=0, lost={"first_seen": Account(100_000, 200, 0)}, tree=TreeUse()), cache="chunk"
    ),
    "computed_twice": lost(in_flight=20_000),
    "host_unloaded": lost(unloaded=10_000),
    "long_waits": changed(waits=Waits(40, 30, 20.0 * MS, 900.0 * MS, 3 * S, 17)),
    "slots_leak": changed(
        pools=(PoolUse("full", 9_000, 0, 50, 0, 1_000, 8_000, 0),), tree=TreeUse(locks=3, running=0, waiting=5)
    ),
    "dead_weight": changed(lost(evicted=9_000), tree=TreeUse(tokens=8_000, unused_tokens=7_000, nodes=30)),
    "hit_drop": changed(lost(first_seen=30_000), course=_DROP),
    "requests_refused": changed(
        unserved=Unserved(ended=240, refused=40, largest_tokens=9_600, largest_prompt=9_500, refused_since_ns=9)
    ),
    "requests_aborted": changed(unserved=Unserved(ended=200, aborted=50, aborted_tokens=9_000, aborted_since_ns=9)),
    "nothing_finished": Evidence(
        config=CONFIG, span_ns=60 * S, unserved=Unserved(waiting=9, running=4, oldest_ns=58 * S)
    ),
    "records_lost": changed(losses=Losses(records=900)),
}
"""By the name of a finding, evidence that shows it."""
