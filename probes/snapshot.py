"""What one tick hands out: the samples of every probe, and the state of the source they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from types import MappingProxyType
from typing import Literal, TypeVar

from cache_core.events import MAX_COMPONENTS
from probes.recordings.missing import WHOLE, Missing

S = TypeVar("S")

LinkState = Literal["starting", "live", "stale", "ended", "lost", "replay"]
"""starting: nothing whole yet; live: records flow; stale: no heartbeat for long; ended: the writer said goodbye;
lost: the writer is gone without a word; replay: a recording."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """Where records come from and how that goes. `message` says it in words; losses are counted, never hidden.

    `tree_known` is False where the records so far do not tell what is in the tree. `is_waiting` says that its first
    answer is awaited, and nothing has failed; `has_more` that more has come than was taken in, so that the next tick
    is due at once. `missing` is what is missing of a recording as far as it was read.
    """

    name: str
    state: LinkState
    message: str = ""
    dropped_records: int = 0
    torn_blocks: int = 0
    heartbeat_age_ns: int | None = None
    config: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    tree_known: bool = True
    is_waiting: bool = False
    has_more: bool = False
    missing: Missing = WHOLE


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Every sample as of one tick.

    `seq` and `at` are those of the newest record applied (-1 and 0 before the first one), `now` is the time that
    the rolling windows end at. `since` is the time of the first record: what adds up counts from there. `samples` is
    keyed by the probes' names; a probe that cannot know its sample, or
    does not know it yet, has no entry. `faults` says which probes failed and are left out from then on, and why.
    """

    seq: int
    at: int
    now: int
    source: SourceState
    samples: Mapping[str, object]
    since: int = 0
    faults: tuple[str, ...] = ()

    def get(self, sample_class: type[S]) -> S | None:
        """Return the sample of that class, or None when it is not provided or not known."""
        for sample in self.samples.values():
            if isinstance(sample, sample_class):
                return sample
        return None


def number_of(config: Mapping[str, object], name: str) -> int | None:
    """Return a setting that is a whole number above 0; None where the source does not say."""
    value = config.get(name)
    return value if type(value) is int and value > 0 else None


def component_names(config: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of a cache's components by their numbers, as its configuration states them; else nothing.

    The configuration is another's word: what cannot be printed is left out of the names.
    """
    names = config.get("components")
    if not isinstance(names, list | tuple):
        return ()
    return tuple("".join(filter(str.isprintable, str(name))) for name in names[:MAX_COMPONENTS])


def component_name(components: Sequence[str], number: int) -> str:
    """Return the name of a component by its number, or the number where nobody told a name."""
    return components[number] if 0 <= number < len(components) else f"component {number}"


def state_grid(config: Mapping[str, object]) -> int:
    """Return the distance of the positions at which a cache keeps recurrent states; 1 for one that keeps none."""
    chunk, page = config.get("mamba_chunk_tokens"), config.get("page_size")
    if "mamba" not in component_names(config) or not isinstance(chunk, int) or not isinstance(page, int):
        return 1
    return max(1, lcm(chunk, page))
