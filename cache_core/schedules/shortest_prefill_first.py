"""Shortest prefill first: the least left to compute."""

from __future__ import annotations

from cache_core.schedule import Plan, Queue, Schedule, matched_tokens


class ShortestPrefillFirst(Schedule):
    """Orders by the tokens that the cache lacks."""

    cache_aware = True

    def arrange(self, queue: Queue) -> Plan:
        """Put the fewest missing tokens first."""
        hits = self.hits(queue)
        left = [
            len(waiting.key) - matched_tokens(waiting, hit) for waiting, hit in zip(queue.waiting, hits, strict=True)
        ]
        return Plan(sorted(range(len(left)), key=left.__getitem__))
