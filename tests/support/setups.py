"""The configurations of the random tests: every page size, windows on every side of a page, tight pools."""

from __future__ import annotations

from itertools import cycle
from math import lcm
from typing import Any

from cache_core import CacheConfig

POLICIES: tuple[dict[str, Any], ...] = (
    {"policy": "lru"},
    {"policy": "lfu"},
    {"policy": "tlru"},
    {"policy": "slru"},
    {"policy": "priority"},
    {"policy": "mru"},
    {"policy": "slru", "policy_options": {"threshold": 3}},
    {"policy": "fifo"},
    {"policy": "filo"},
)
"""Each eviction order: as many as go round beside the evictors."""

WINDOWS: dict[int, tuple[int | None, ...]] = {
    1: (None, 1, 4, 7),
    4: (None, 3, 4, 6, 8, 9),
    16: (None, 5, 16, 20, 40),
    64: (None, 40, 64, 100, 128),
}
"""Page size -> windows below, equal to, above and no multiple of it; None is a cache without windows."""

SWITCHES: tuple[dict[str, Any], ...] = (
    {},
    {"swa_free_interval_tokens": 1, "hit_rule": "insert", "split_recency": "reference"},
    {"finish_branch": "branch"},
    {"swa_free_interval_tokens": 3, "split_recency": "reference"},
    {"free_behind_window": False, "hit_rule": "insert"},
    {"swa_eviction": "tail_window_last"},
    {"swa_eviction": "tail_window_last", "split_recency": "reference", "swa_free_interval_tokens": 2},
    {"swa_free_interval_tokens": 1},
)
"""What else may differ, in sets of which each configuration has one: as many as go round beside the policies."""


def _order(policy: dict[str, Any], reach: int) -> dict[str, Any]:
    """Return the settings of an eviction order where keys are mostly up to `reach` long: some of it is tail-safe."""
    if policy["policy"] != "tlru":
        return policy
    return {**policy, "policy_options": {"threshold_tokens": reach * 3 // 4, "next_prompt_tokens": reach // 8}}


def pages_of(tokens: int, page: int) -> int:
    """Round up to whole pages."""
    return -(-tokens // page) * page


def _setups() -> list[CacheConfig]:
    """Return every page and window, with branching on and off, in roomy and tight pools; the rest takes turns."""
    policies, evictors = cycle(POLICIES), cycle(("incremental", "rebuild"))
    switches = cycle(SWITCHES)
    setups = []
    for page, windows in WINDOWS.items():
        for window in windows:
            for branching, roomy in ((True, False), (True, True), (False, False)) if window else ((True, False),):
                reach = 3 * max(page, window or 1) + 5
                full = pages_of((12 if roomy else 4) * reach, page)
                setups.append(
                    CacheConfig(
                        page_size=page,
                        components=("full", "swa") if window else ("full",),
                        window=window,
                        full_slots=full,
                        swa_slots=pages_of(full * (4 if roomy else 3) // 5, page) if window else None,
                        **_order(next(policies), reach),
                        evictor=next(evictors),
                        branching=branching,
                        **next(switches),
                    )
                )
    return setups


def _together(write_policy: str | None, first: int) -> list[CacheConfig]:
    """Return states and bigram keys beside windows and without, in tight pools, with a host tier if so told.

    The rest takes turns, from `first` on.
    """
    policies, evictors, switches = cycle(POLICIES), cycle(("rebuild", "incremental")), cycle(SWITCHES)
    for _ in range(first):
        next(policies), next(evictors), next(switches)
    setups: list[CacheConfig] = []
    for page, window in ((1, 4), (1, 7), (1, None), (4, 6), (4, 3), (4, None), (16, 20)):
        for kind in ("mamba", "bigram", "plain") if write_policy else ("mamba", "bigram"):
            chunk = max(3, page * 3 // 2)
            reach = 3 * max(page, window or 1, lcm(page, chunk) if kind == "mamba" else 1) + 5
            full = pages_of(5 * reach, page)
            roomy = len(setups) % 3 == 0
            tier = _tier(write_policy, page, full if roomy else full // 2, kind == "mamba", len(setups))
            more: dict[str, Any] = {"mamba_slots": 7, "mamba_chunk_tokens": chunk} if kind == "mamba" else {}
            setups.append(
                CacheConfig(
                    page_size=page,
                    components=("full", *(("swa",) if window else ()), *(("mamba",) if kind == "mamba" else ())),
                    window=window,
                    full_slots=full,
                    swa_slots=pages_of(full * 3 // 5, page) if window else None,
                    bigram=kind == "bigram",
                    **_order(next(policies), reach),
                    evictor=next(evictors),
                    branching=len(setups) % 5 != 4,
                    **more,
                    **{**next(switches), **tier},
                )
            )
    return setups


def _tier(write_policy: str | None, page: int, slots: int, mamba: bool, number: int) -> dict[str, Any]:
    """Return the settings of a host tier. It ranks inner nodes, where the logs' recency of splits has no meaning."""
    if write_policy is None:
        return {}
    states: dict[str, Any] = {"mamba_host_slots": 3 + number % 3} if mamba else {}
    tier = {
        "host_slots": pages_of(slots, page),
        "write_policy": write_policy,
        "load_back_tokens": (1, 10)[number % 2],
        "split_recency": "keep",
    }
    return {**tier, **states}


SETUPS = _setups()
WRITE_POLICIES = ("write_through", "write_through_selective", "write_back")
TOGETHER = [config for first, policy in enumerate((None, *WRITE_POLICIES)) for config in _together(policy, 3 * first)]
"""What combines components: states or bigram keys with windows and without, alone and with a host tier."""


def name_of(config: CacheConfig) -> str:
    """Return a short name for a configuration, for test ids and messages."""
    window = "full" if config.window is None else f"w{config.window}"
    kinds = [f"m{config.mamba_slots}"] if config.mamba_slots else ["bigram"] if config.bigram else []
    tier = [f"{config.write_policy}{config.host_slots}"] if config.host_slots else []
    switches = [] if config.branching else ["no-branching"]
    switches += ["tails"] if config.swa_eviction == "tail_window_last" else []
    name = [f"p{config.page_size}", window, *kinds, config.policy, config.evictor, str(config.full_slots)]
    return "-".join([*name, *tier, *switches])
