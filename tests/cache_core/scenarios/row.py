"""What a row of the table is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

FULL: Mapping[str, Any] = {"components": ("full",), "full_slots": 256}
"""The Full component alone, page size 1."""

SWA: Mapping[str, Any] = {
    "components": ("full", "swa"), "window": 4, "full_slots": 256, "swa_slots": 256, "swa_eviction": "lru",
}  # fmt: skip
"""A sliding window of 4 tokens, page size 1; windows go by age alone, as in the reference."""

REFERENCE: Mapping[str, Any] = {
    "hit_rule": "insert", "split_recency": "reference", "finish_branch": "branch", "swa_free_interval_tokens": 1,
}  # fmt: skip
"""The switches that bring back the rules of SGLang 0.5.20 where ours are others."""

Side = Literal["both", "reference", "ours"]


def roomy(base: Mapping[str, Any], slots: int = 512) -> Mapping[str, Any]:
    """Return `base` with pools of so many slots."""
    return {name: slots if name.endswith("_slots") else value for name, value in base.items()}


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a row: the settings of the cache and the script. `side` says whose figures it has."""

    cache: Mapping[str, Any]
    script: str
    name: str = ""
    side: Side = "both"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the specification's list.

    `differs` names the rule by which our figures are not the reference's; the row then has a case of either side,
    each under the switches that give it. `unlike` names one that no switch brings back, with the reference's
    figures: a defect, or something that the cache leaves to others.
    """

    number: str
    about: str
    cases: tuple[Case, ...]
    differs: str = ""
    unlike: str = ""
