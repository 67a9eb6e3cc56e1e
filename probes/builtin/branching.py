"""What became of the branching points that requests met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class BranchEvent:
    """One change of a branching point; `label` names the node it lies in, None when that is not known."""

    at: int
    kind: Literal["opened", "filled", "lost"]
    request: int
    position: int
    gap_tokens: int
    node: int
    label: str | None


@dataclass(frozen=True, slots=True)
class BranchingSample:
    """Counts since the watch began, and the newest events first.

    `recomputed_tokens` is the sum of all requests' gaps between the hit and the full hit.
    """

    opened: int
    filled: int
    lost: int
    open_now: int
    recomputed_tokens: int
    recent: tuple[BranchEvent, ...]
