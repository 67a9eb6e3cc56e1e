"""Highest response ratio next: long waits for little work go first."""

from __future__ import annotations

from cache_core.in_batch import put_off
from cache_core.lookup import QueueHit
from cache_core.schedule import Plan, Queue, Schedule, Waiting, matched_tokens


class HRRN(Schedule):
    """Orders by waiting over service (Brinch Hansen 1971), both in tokens.

    What a request has waited is what the engine has computed since it came; what it asks for is the part of its
    prompt that the cache lacks. A request that lacks nothing goes first.
    """

    cache_aware = True
    limited = True

    def arrange(self, queue: Queue) -> Plan:
        """Put the highest ratio first, and last those that had better wait for what others store."""
        hits = self.hits(queue)
        later = put_off(queue, hits, self.config)

        def rank(index: int) -> tuple[bool, float, int]:
            waiting = queue.waiting[index]
            return index in later, -_ratio(queue, waiting, hits[index]), waiting.request_id

        return Plan(sorted(range(len(hits)), key=rank), later)


def _ratio(queue: Queue, waiting: Waiting, hit: QueueHit) -> float:
    lacking = max(0, waiting.prompt_tokens - matched_tokens(waiting, hit))
    return (queue.processed_tokens - waiting.processed_tokens) / lacking if lacking else float("inf")
