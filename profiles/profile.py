"""A profile: one run as exports and reports read it, from a recording or from a cache that still runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from math import inf
from pathlib import Path
from types import MappingProxyType, TracebackType

from cache_core.events import Record
from probes.errors import RecordingError
from probes.mirror import Mirror
from probes.recordings.missing import WHOLE, Missing
from profiles.forest import Forest
from profiles.prices import prices_of
from profiles.recording import Recording

_NOTHING: Mapping[str, object] = MappingProxyType({})


class Profile(ABC):
    """What was recorded (`title`, `config`, `components`), its `records`, and the `forest` they amount to."""

    title: str = ""
    config: Mapping[str, object] = _NOTHING
    components: tuple[str, ...] = ()

    @property
    @abstractmethod
    def forest(self) -> Forest:
        """The forest of the whole run, grown when it is first asked for."""

    @abstractmethod
    def records(self, kinds: Collection[type[Record]] | None = None) -> Iterator[Record]:
        """Yield every record from the first one on, or those of some kinds; each call starts again.

        Raises RecordingError without any.
        """

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """When the part read so far began and ended, on the clock of the records; None before any was read."""
        return None

    @property
    def missing(self) -> Missing:
        """What is missing of the part read so far."""
        return WHOLE

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is wrong with the part read so far, in one line; nothing where it is whole."""
        return ()


class RecordedProfile(Profile):
    """The profile of a recording up to a time, to be used in a `with`.

    Raises RecordingError when the file cannot be read.
    """

    def __init__(self, path: Path | str, until: float = inf) -> None:
        self._recording = Recording(path, until)
        self.title = self._recording.title
        self.config = self._recording.config
        self.components = self._recording.components

    def __enter__(self) -> RecordedProfile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._recording.close()

    @cached_property
    def forest(self) -> Forest:
        """See Profile."""
        from profiles.growth.forest_builder import grow

        return grow(self.records(), self.components, self.title, prices_of(self.config))

    def records(self, kinds: Collection[type[Record]] | None = None) -> Iterator[Record]:
        """See Profile."""
        return self._recording.records(kinds)

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """See Profile."""
        return self._recording.span_ns

    @property
    def missing(self) -> Missing:
        """See Profile."""
        return self._recording.missing

    @property
    def remarks(self) -> tuple[str, ...]:
        """See Profile."""
        return self._recording.remarks


class ForestProfile(Profile):
    """A forest by itself: its records are gone or were never kept."""

    def __init__(self, forest: Forest, config: Mapping[str, object] = _NOTHING) -> None:
        self._forest = forest
        self.title = forest.title
        self.config = config

    @property
    def forest(self) -> Forest:
        """See Profile."""
        return self._forest

    def records(self, kinds: Collection[type[Record]] | None = None) -> Iterator[Record]:
        """See Profile."""
        raise RecordingError("only the tree is here, not what happened to it", "record the run: radixtop record")


def of_mirror(mirror: Mirror, config: Mapping[str, object] = _NOTHING, title: str = "") -> ForestProfile:
    """Return the profile of a cache as its mirror knows it now; call it on the thread that ticks."""
    from profiles.growth.live_forest import from_mirror

    return ForestProfile(from_mirror(mirror, title, prices_of(config)), config)
