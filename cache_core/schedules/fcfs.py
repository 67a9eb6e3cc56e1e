"""First come, first served."""

from __future__ import annotations

from cache_core.schedule import Plan, Queue, Schedule, by_arrival


class FCFS(Schedule):
    """Leaves the queue as it is; with priorities, first come, first served among equals."""

    def arrange(self, queue: Queue) -> Plan:
        """Return the order of arrival, within the priorities where they count."""
        return Plan(by_arrival(queue.waiting, self.config))
