"""Profiles of records that are given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from cache_core.events import Record
from profiles.forest import Forest
from profiles.growth.forest_builder import grow
from profiles.profile import Profile

COMPONENTS = ("full", "swa")


class ListedProfile(Profile):
    """A profile whose records are given."""

    def __init__(
        self,
        records: Iterable[Record],
        components: tuple[str, ...] = COMPONENTS,
        config: Mapping[str, object] | None = None,
        title: str = "",
    ) -> None:
        self._records = [*records]
        self.components = components
        self.config = config or {}
        self.title = title

    @property
    def forest(self) -> Forest:
        """See Profile."""
        return grow(self._records, self.components, self.title)

    def records(self, kinds: Collection[type[Record]] | None = None) -> Iterator[Record]:
        """See Profile."""
        return (record for record in self._records if kinds is None or type(record) in kinds)

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """See Profile."""
        times = [at for each in self._records if (at := getattr(each, "at", 0))]
        return (times[0], times[-1]) if times else None
