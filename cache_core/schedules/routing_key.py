"""Requests of the routing keys that run already go first."""

from __future__ import annotations

from collections import Counter

from cache_core.schedule import Plan, Queue, Schedule


class RoutingKey(Schedule):
    """Orders by how many running requests have the same routing key, then by key.

    Keys of which none runs come behind, by key; without a key among the running ones nothing changes.
    """

    def arrange(self, queue: Queue) -> Plan:
        """Put the key that runs most often first."""
        counts = Counter(queue.routing_keys)
        if not counts:
            return Plan(range(len(queue.waiting)))
        keys = [waiting.routing_key or "" for waiting in queue.waiting]
        return Plan(sorted(range(len(keys)), key=lambda i: (-counts[keys[i]], keys[i])))
