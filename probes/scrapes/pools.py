"""Pools as the gauges of a page tell them: sizes that are told in another way, and pools that are not there."""

from __future__ import annotations

from collections.abc import Mapping

_SHARED = {"swa": "tokens", "mamba": "states"}
"""Pools of some models alone. The pages of others have them too, all zeros."""


def completed(gauges: Mapping[str, float], null_pages: int) -> dict[str, float]:
    """Return the gauges of a rank, and those that can be computed from them."""
    whole = dict(gauges)
    for pool, unit in _SHARED.items():
        _drop_absent(whole, pool, unit)
    pages, page = whole.get("pages"), whole.get("page_tokens")
    if "full_total_tokens" not in whole and pages and page and pages > null_pages:
        whole["full_total_tokens"] = (pages - null_pages) * page
    total, usage = whole.get("full_total_tokens"), whole.get("full_usage")
    if "full_used_tokens" not in whole and total is not None and usage is not None and 0 <= usage <= 1:
        whole["full_used_tokens"] = usage * total
    if "usage" not in whole and usage is not None:
        whole["usage"] = usage
    host, used = whole.get("host_total_tokens"), whole.get("host_used_tokens")
    if not host and not used:  # without host memory some versions tell zeros
        whole.pop("host_total_tokens", None)
        whole.pop("host_used_tokens", None)
    return whole


def _drop_absent(gauges: dict[str, float], pool: str, unit: str) -> None:
    """Leave out a pool that has nothing: it is not there."""
    parts = [gauges.get(f"{pool}_{part}_{unit}") for part in ("used", "available", "evictable")]
    known = [part for part in parts if part is not None]
    if not any(known) and not gauges.get(f"{pool}_total_{unit}") and not gauges.get(f"{pool}_usage"):
        for name in [name for name in gauges if name.startswith(f"{pool}_")]:
            del gauges[name]
