"""What the screen is told of a marked moment and now."""

from __future__ import annotations

from dataclasses import dataclass

from radixtop.comparison.census import PrefixChange
from radixtop.comparison.counts import Counts, Stretch


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mark against now. `before` is the minute before the mark, or less of it; `since` is from it until now.

    Without a mark there is only `now`, and `since` is everything since the watch began. `is_ahead` says that the mark
    lies behind the moment that is shown.
    """

    mark: Counts | None
    now: Counts
    before: Stretch
    since: Stretch
    changes: tuple[PrefixChange, ...] = ()
    is_ahead: bool = False
