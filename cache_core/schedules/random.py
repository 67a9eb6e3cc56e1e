"""A shuffled queue: what an order is compared with."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from cache_core.schedule import Plan, Queue, Schedule, ScheduleConfig

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


class Random(Schedule):
    """Shuffles the queue anew in every pass; the seed of the configuration says how."""

    def __init__(self, cache: PrefixCache, config: ScheduleConfig | None = None) -> None:
        super().__init__(cache, config)
        self._dice = random.Random(self.config.seed)

    def arrange(self, queue: Queue) -> Plan:
        """Return the queue shuffled."""
        order = list(range(len(queue.waiting)))
        self._dice.shuffle(order)
        return Plan(order)
