"""Contract and table of the adapters: where records come from.

An adapter turns one source into batches of records in stream order. It never raises while it polls: what went
wrong is in its state, and what was lost is counted there.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, get_args

from cache_core.events import Record
from cache_core.registry import Registry
from probes.node_texts.node_texts import NO_TEXTS, NodeTexts
from probes.snapshot import SourceState

if TYPE_CHECKING:  # who watches a cache of this machine has no use for them
    from probes.fleet.figures import FleetFigures
    from probes.scrapes.figures import EngineFigures

Told: TypeAlias = "Record | EngineFigures | FleetFigures"
"""What an adapter delivers: records of a cache, what a server tells of itself, and how all ranks are doing."""

ALL_RECORDS: frozenset[type] = frozenset(get_args(Record))
"""Every class of record: what our own cache delivers."""


def is_record(told: Told) -> TypeGuard[Record]:
    """Say whether something is what a cache tells, and not what servers do."""
    return type(told) in ALL_RECORDS


def provided_by(config: Mapping[str, object]) -> frozenset[type]:
    """Return the classes of record that a configuration says its source can tell; all, where it says nothing."""
    names = config.get("provides")
    if not isinstance(names, list | tuple):
        return ALL_RECORDS
    return frozenset(record for record in ALL_RECORDS if record.__name__ in names)


@dataclass(frozen=True, slots=True)
class Batch:
    """The records of one poll, each with its sequence number.

    Records of a snapshot share the number they are true at. With `resync` what was known of the tree is void:
    clear it before the first record of this batch; the records that state it again follow in this and later batches.
    """

    records: Sequence[tuple[int, Told]] = field(default_factory=list)
    resync: bool = False


class Adapter(ABC):
    """One source of records, followed by one reader."""

    provides: frozenset[type] = ALL_RECORDS
    """The classes of record that this source can deliver at all."""
    texts: NodeTexts = NO_TEXTS
    """What its nodes say, by the numbers that its records have for them; nothing, unless that was asked for."""

    @abstractmethod
    def poll(self) -> Batch:
        """Return what is new. Bounded work: when much waits, the rest comes with the next calls."""

    @abstractmethod
    def state(self) -> SourceState:
        """Return how the source is doing now."""

    def now(self) -> int:
        """Return the source's present on the clock of its records: the end of rolling windows."""
        return time.perf_counter_ns()

    def close(self) -> None:
        """Let go of the source."""


ADAPTERS: Registry[type[Adapter]] = Registry(
    "adapter",
    {
        "embedded": "probes.adapters.embedded:EmbeddedAdapter",
        "shm": "probes.adapters.shm:ShmAdapter",
        "recording": "probes.adapters.recording:RecordingAdapter",
        "zmq": "probes.adapters.zmq:ZmqAdapter",
        "sglang": "probes.adapters.sglang:SGLangAdapter",
        "vllm": "probes.adapters.vllm:VllmAdapter",
    },
)
