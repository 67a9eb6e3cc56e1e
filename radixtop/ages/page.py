"""What passes between the ages of residents and the thread that owns the mirror."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from probes.log_shape import LogShape


@dataclass(frozen=True, slots=True)
class ResidentQuestion:
    """How old is what a component holds now?"""

    answerer: ClassVar[str] = "radixtop.ages.answerer:ResidentAnswerer"

    component: str = "full"


@dataclass(frozen=True, slots=True)
class ResidentPage:
    """Tokens that a component holds now, by age in ns, and by how long nobody used them.

    `unseen_tokens` are in nodes of which nobody saw the birth. `behind_ns` is how long ago this was.
    """

    component: str
    tokens: int
    age_ns: LogShape
    idle_ns: LogShape
    unseen_tokens: int
    behind_ns: int
