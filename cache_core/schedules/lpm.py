"""Longest prefix match first."""

from __future__ import annotations

from cache_core.in_batch import put_off
from cache_core.schedule import Plan, Queue, Schedule, matched_tokens


class LPM(Schedule):
    """Serves those first of which the cache has most (Zheng et al. 2024, arXiv 2312.07104).

    A request that is asked for now and then starves behind prefixes that are asked for all the time; aging lets a
    pass of waiting count as so many tokens matched.
    """

    cache_aware = True
    limited = True

    def arrange(self, queue: Queue) -> Plan:
        """Put the longest match first, and last those that had better wait for what others store."""
        hits = self.hits(queue)
        later = put_off(queue, hits, self.config)
        scores = [
            matched_tokens(waiting, hit) + self.config.aging_tokens * (queue.number - waiting.queued_pass)
            for waiting, hit in zip(queue.waiting, hits, strict=True)
        ]
        return Plan(sorted(range(len(scores)), key=lambda i: (i in later, -scores[i])), later)
