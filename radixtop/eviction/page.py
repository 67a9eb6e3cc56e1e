"""What passes between the list of what goes next and the thread that owns the mirror."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple


@dataclass(frozen=True, slots=True)
class NextQuestion:
    """Which `count` nodes of a component go next?"""

    answerer: ClassVar[str] = "radixtop.eviction.answerer:NextAnswerer"

    component: str = "full"
    count: int = 50


class NextRow(NamedTuple):
    """One node that may go: its tokens, when it was made and used last, its hits, and how the cache counts them."""

    node: int
    label: str
    tokens: int
    touched_at: int
    created_at: int
    hits: int
    hit_count: int
    priority: int


@dataclass(frozen=True, slots=True)
class NextPage:
    """The nodes that go next, first the first. `sentence` says what the order is, empty when it is not known.

    `doubt` is why the order may be another one, empty where it is certain. `evictable` nodes might go at all; None
    while they are counted. `behind_ns` is how long ago all nodes were looked at, None before that.
    """

    component: str
    policy: str
    sentence: str
    doubt: str
    rows: tuple[NextRow, ...]
    evictable: int | None
    behind_ns: int | None
