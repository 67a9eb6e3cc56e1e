"""Where the figures come from, how that goes, and what was missed."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import get_args

from probes.snapshot import LinkState, Snapshot
from profiles.metric import Metric, Seen, Values, each, one, seconds

MOST_AGE_NS = 10_000_000_000
"""An older snapshot says that nobody looks at the source any more: then it is not up."""

_UP = ("live", "replay")
_SETTINGS = ("target", "cache", "model", "components", "page_size", "window", "policy", "evictor", "branching")


def _build(seen: Seen) -> Values:
    return {(seen.version, platform.python_version()): 1}


def _up(seen: Seen) -> Values:
    snapshot = seen.snapshot
    return one(int(snapshot is not None and snapshot.source.state in _UP and seen.age_ns <= MOST_AGE_NS))


def _state(seen: Seen) -> Values:
    current = seen.snapshot.source.state if seen.snapshot else "starting"
    return each({state: int(state == current) for state in get_args(LinkState)})


def _heartbeat_age(seen: Seen) -> Values:
    age_ns = seen.snapshot.source.heartbeat_age_ns if seen.snapshot else None
    return one(None if age_ns is None else seconds(age_ns + seen.age_ns))


def _snapshot_age(seen: Seen) -> Values:
    return one(seconds(seen.age_ns) if seen.snapshot else None)


def _dropped(seen: Seen) -> Values:
    return one(seen.snapshot.source.dropped_records if seen.snapshot else None)


def _torn(seen: Seen) -> Values:
    return one(seen.snapshot.source.torn_blocks if seen.snapshot else None)


def _started(seen: Seen) -> Values:
    return one(seconds(_number(_config(seen.snapshot).get("started"))))


def _cache(seen: Seen) -> Values:
    config = _config(seen.snapshot)
    return {tuple(_word(config.get(name)) for name in _SETTINGS): 1} if config else {}


def _token_bytes(seen: Seen) -> Values:
    sizes = _config(seen.snapshot).get("slot_bytes")
    if not isinstance(sizes, Mapping):
        return {}
    return each({str(name): _number(size) for name, size in sizes.items()})


def _config(snapshot: Snapshot | None) -> Mapping[str, object]:
    return snapshot.source.config if snapshot else {}


def _number(setting: object) -> int | None:
    """Return a setting that is a number; the configuration is another's word."""
    return setting if type(setting) is int and 0 <= setting < 1 << 63 else None


def _word(setting: object) -> str:
    """Return a setting as a label's value; what is not set is empty, which says that the label is not there."""
    if isinstance(setting, list | tuple):
        return "+".join(str(part) for part in setting)
    return "" if setting is None else str(setting).lower() if isinstance(setting, bool) else str(setting)


METRICS = (
    Metric("radixtop_build_info", "What answers: always 1.", _build, ("version", "python")),
    Metric(
        "radixtop_up", "1 while the cache is watched and says so itself, 0 when it is silent, gone or ended.", _up
    ),
    Metric("radixtop_source_state", "1 for the state that the source is in, 0 for every other.", _state, ("state",)),
    Metric("radixtop_heartbeat_age_seconds", "Time since the last sign of life of the cache.", _heartbeat_age),
    Metric("radixtop_snapshot_age_seconds", "Time since the figures of this page were taken.", _snapshot_age),
    Metric("radixtop_dropped_records_total", "Records of the cache that were lost before they were read.", _dropped),
    Metric("radixtop_torn_blocks_total", "Blocks of records that could not be read.", _torn),
    Metric("radixtop_cache_info", "Settings of the cache: always 1.", _cache, _SETTINGS),
    Metric("radixtop_cache_start_time_seconds", "When the cache was published, in seconds since 1970.", _started),
    Metric("radixtop_kv_token_bytes", "Size of one token in a component's pool.", _token_bytes, ("component",)),
)
