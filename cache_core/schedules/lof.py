"""Longest output first."""

from __future__ import annotations

from cache_core.schedule import Plan, Queue, Schedule, urgency


class LOF(Schedule):
    """Serves those first that asked for most output, within the priorities where they count."""

    def arrange(self, queue: Queue) -> Plan:
        """Put the longest output first, within the priorities where they count."""
        ranks = [(urgency(waiting, self.config), -waiting.output_tokens) for waiting in queue.waiting]
        return Plan(sorted(range(len(ranks)), key=ranks.__getitem__))
