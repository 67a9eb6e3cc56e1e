"""Eviction orders as far as records tell them: what each does in a sentence, and what ranks nodes.

A rank is one or two columns of the mirror, the smallest goes first. The times of records stand for the ticks that the
cache itself goes by: of two leaves they say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

Columns = Callable[[str], "NDArray[Any]"]
"""Returns a column of the nodes that are looked at."""

Ranks = tuple["NDArray[Any]", ...]
"""What orders nodes: by the first, where that is the same by the next."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order: what goes first in words, and the ranks of nodes. `doubt` says why it is about right only."""

    sentence: str
    ranks: Callable[[Columns, Mapping[str, int]], Ranks]
    doubt: str = ""


def _slru(columns: Columns, options: Mapping[str, int]) -> Ranks:
    return (columns("hit_count") >= options.get("threshold", 2)) * 1, columns("touched_at")


def _tlru(columns: Columns, options: Mapping[str, int]) -> Ranks:
    spare = options.get("threshold_tokens", 2048) - options.get("next_prompt_tokens", 256)
    return (columns("length") > spare) * 1, columns("touched_at")


ORDERS: Mapping[str, Order] = {
    "lru": Order("the leaf that nobody used for longest goes first", lambda c, _: (c("touched_at"),)),
    "mru": Order("the leaf that was used last goes first", lambda c, _: (-c("touched_at"),)),
    "fifo": Order("the oldest leaf goes first, used or not", lambda c, _: (c("created_at"),)),
    "filo": Order("the newest leaf goes first", lambda c, _: (-c("created_at"),)),
    "lfu": Order(
        "the leaf with the fewest hits goes first, of these the one unused for longest",
        lambda c, _: (c("hit_count"), c("touched_at")),
    ),
    "slru": Order("leaves that were hit too seldom go first, of these the one unused for longest", _slru),
    "priority": Order(
        "the leaf of the lowest priority goes first, of these the one unused for longest",
        lambda c, _: (c("priority"), c("touched_at")),
    ),
    "tlru": Order(
        "leaves whose loss slows no next prompt go first, of these the one unused for longest", _tlru,
        "how far branches reached before is not told",
    ),
}  # fmt: skip
"""By the name of a policy."""

WINDOWS: Mapping[str, Order] = {
    "lru": Order("the window that nobody used for longest goes first", lambda c, _: (c("touched_at"),)),
    "tail_window_last": Order(
        "windows that no branch needs go first, of these the one unused for longest",
        lambda c, _: (c("is_needed"), c("touched_at")),
    ),
}
"""By the name of how windows are evicted."""

WINDOW_DOUBT = "a window ages while what lies far behind it is used, which is not told"


def options_of(config: Mapping[str, object]) -> Mapping[str, int]:
    """Return the options of a cache's policy, those that are numbers."""
    given = config.get("policy_options")
    if not isinstance(given, Mapping):
        return {}
    return {str(name): number for name, number in given.items() if isinstance(number, int)}


def order_of(config: Mapping[str, object], component: str) -> Order | None:
    """Return the order in which a component's data of nodes goes, None when that is not known."""
    if config.get("cache", "prefix") != "prefix":
        return None  # a cache to compare with has an order of its own
    if component == "swa":
        windows = WINDOWS.get(str(config.get("swa_eviction")))
        return None if windows is None else Order(windows.sentence, windows.ranks, WINDOW_DOUBT)
    return ORDERS.get(str(config.get("policy"))) if component == "full" else None
