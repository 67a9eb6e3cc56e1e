"""An adapter: where records come from. And the table of all adapters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from cache_core.events import Record
from cache_core.registry import Registry
from probes.snapshot import SourceState


@dataclass(frozen=True, slots=True)
class Batch:
    """Records in stream order, each with its sequence number.

    `resync` says that the tree known so far is void: the batch begins to state it anew.
    """

    records: list[tuple[int, Record]]
    resync: bool = False


class Adapter(ABC):
    """Delivers the records of one source. One thread uses it."""

    provides: ClassVar[frozenset[type]]
    """The record classes that the source can deliver. What is not among them is not known, which is not zero."""

    @abstractmethod
    def poll(self) -> Batch:
        """Return what has come since the last call, at once. Losses are counted in `state`, not raised."""

    @abstractmethod
    def state(self) -> SourceState:
        """Return how the source is, as of the last poll."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the source. Closing twice is allowed."""


ADAPTERS: Registry[type[Adapter]] = Registry(
    "adapter",
    {
        "embedded": "probes.adapters.embedded:EmbeddedAdapter",
        "shm": "probes.adapters.shm:ShmAdapter",
        "recording": "probes.adapters.recording:RecordingAdapter",
    },
)
