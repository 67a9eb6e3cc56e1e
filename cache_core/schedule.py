"""The contract of schedules: who of those that wait is admitted next. And the table of their names.

A schedule looks at the queue and at the cache and says in which order admission should try. It admits nobody and
keeps no request: the engine builds frozen views, asks for a plan once per pass, and carries it out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cache_core.errors import ConfigError
from cache_core.lookup import QueueHit, match_each
from cache_core.registry import Registry

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.key import RadixKey

MOST_TOUCHED = 128
"""Of how many waiting requests, from the head of the queue on, the prefixes are kept fresh."""


@dataclass(frozen=True, slots=True)
class ScheduleConfig:
    """The switches of a schedule; those that its kind has no use for change nothing. Raises ConfigError.

    `limit` is how many may wait before lpm and hrrn fall back to first come, first served; None lifts it. A request
    of which the cache has at most `check_tokens` is put off when it shares its first `defer_tokens` with one that
    goes before it; `check_tokens` -1 turns that off. With `by_priority` fcfs and lof serve higher priorities first,
    or lower ones with `low_priority_first`. Each pass of waiting is worth `aging_tokens` matched ones to lpm. Every
    `touch_passes` passes the prefixes of those that wait are kept from aging; 0 never. `seed` is for random. With
    `batched` the queue is looked up at once and no node is touched or split; without, every request is matched, as
    the reference does.
    """

    limit: int | None = 128
    check_tokens: int = 32
    defer_tokens: int = 32
    by_priority: bool = False
    low_priority_first: bool = False
    aging_tokens: int = 0
    touch_passes: int = 32
    batched: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        least = {"check_tokens": -1, "defer_tokens": 1, "aging_tokens": 0, "touch_passes": 0}
        if self.limit is not None:
            least["limit"] = 0
        for name, lowest in least.items():
            if getattr(self, name) < lowest:
                raise ConfigError(f"{name} is {getattr(self, name)}, at least {lowest} is needed")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request that waits, as a schedule sees it.

    `key` is all that it would compute; of that `prompt_tokens` are its prompt, the rest outputs of before a
    retraction. `output_tokens` is how many it asked for in all. `queued_at` is when it came and `queued_pass` the
    first pass it took part in. `processed_tokens` is what the engine had computed in all when it came.
    """

    request_id: int
    key: RadixKey
    prompt_tokens: int
    output_tokens: int
    priority: int = 0
    queued_at: int = 0
    queued_pass: int = 0
    processed_tokens: int = 0
    routing_key: str | None = None


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A request in prefill: the cache has the first `stored_tokens` of its key from it, the rest is to come."""

    key: RadixKey
    stored_tokens: int


@dataclass(frozen=True, slots=True)
class Queue:
    """What a pass looks at: those that wait, in the order they came, and what runs.

    `number` counts passes from 0, `processed_tokens` what the engine has computed so far. `routing_keys` are those
    of the running requests that have one.
    """

    waiting: Sequence[Waiting]
    under_way: Sequence[UnderWay] = ()
    routing_keys: Sequence[str] = ()
    number: int = 0
    processed_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """In which order to try: `order` has every index into `Queue.waiting` once.

    `deprioritised` are the indices of those at its end that had better wait for what others are about to store.
    `fell_back` says that too many waited for the schedule to be followed.
    """

    order: Sequence[int]
    deprioritised: frozenset[int] = frozenset()
    fell_back: bool = False


class Schedule(ABC):
    """Orders the waiting requests of one engine, over one cache. Equal ones stay in the order they came."""

    cache_aware: ClassVar[bool] = False
    """Whether it orders by what the cache has. Over a cache that reuses nothing it is then fcfs."""

    limited: ClassVar[bool] = False
    """Whether more than `config.limit` waiting requests make it fall back to fcfs."""

    by_node: ClassVar[bool] = False
    """Whether it needs the very node that a request's hit ends on, for which an edge may have to be split."""

    def __init__(self, cache: PrefixCache, config: ScheduleConfig | None = None) -> None:
        self.cache = cache
        self.config = config or ScheduleConfig()

    @abstractmethod
    def arrange(self, queue: Queue) -> Plan:
        """Return the plan of a queue that is within the limit."""

    def plan(self, queue: Queue) -> Plan:
        """Return the order of a pass. May touch nodes of the cache and split one, as every match may."""
        limit = self.config.limit
        fell_back = self.limited and limit is not None and len(queue.waiting) > limit
        if fell_back or (self.cache_aware and not self.cache.reuses):
            self._touch(queue)
            return Plan(by_arrival(queue.waiting, self.config), fell_back=fell_back)
        if not self.cache_aware or self._peeks:
            self._touch(queue)
        return self.arrange(queue)

    def hits(self, queue: Queue) -> list[QueueHit]:
        """Return what the cache has of each waiting request."""
        keys = [waiting.key for waiting in queue.waiting]
        return self.cache.match_queue(keys) if self._peeks else match_each(self.cache, keys)

    @property
    def _peeks(self) -> bool:
        return self.config.batched and not self.by_node

    def _touch(self, queue: Queue) -> None:
        """Now and then keep what the next ones will hit from being evicted while they wait, the head's most of all.

        A schedule that matches each of the queue does that anyway, and other eviction orders go by more than last
        access.
        """
        every = self.config.touch_passes
        if every and queue.number % every == every - 1 and self.cache.config.policy == "lru" and self.cache.reuses:
            for waiting in reversed(queue.waiting[:MOST_TOUCHED]):
                self.cache.match(waiting.key)


def by_arrival(waiting: Sequence[Waiting], config: ScheduleConfig) -> Sequence[int]:
    """Return the order of first come, first served, within the priorities where they count."""
    if not config.by_priority:
        return range(len(waiting))
    return sorted(range(len(waiting)), key=lambda i: (urgency(waiting[i], config), waiting[i].queued_at))


def urgency(waiting: Waiting, config: ScheduleConfig) -> int:
    """Return what priority counts for: the smallest goes first, 0 for everybody where it does not count."""
    if not config.by_priority:
        return 0
    return waiting.priority if config.low_priority_first else -waiting.priority


def matched_tokens(waiting: Waiting, hit: QueueHit) -> int:
    """Return how much of a request need not be computed: all but one token at most, from device and host."""
    return min(hit.device_hit_tokens + hit.host_hit_tokens, len(waiting.key) - 1)


SCHEDULES: Registry[type[Schedule]] = Registry(
    "schedule",
    {
        "fcfs": "cache_core.schedules.fcfs:FCFS",
        "lpm": "cache_core.schedules.lpm:LPM",
        "dfs_weight": "cache_core.schedules.dfs_weight:DFSWeight",
        "lof": "cache_core.schedules.lof:LOF",
        "random": "cache_core.schedules.random:Random",
        "routing_key": "cache_core.schedules.routing_key:RoutingKey",
        "hrrn": "cache_core.schedules.hrrn:HRRN",
        "shortest_prefill_first": "cache_core.schedules.shortest_prefill_first:ShortestPrefillFirst",
    },
)
