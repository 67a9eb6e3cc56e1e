"""What those who run inference servers ask of a prefix cache; a finding says by number which of it it answers."""

from __future__ import annotations

from collections.abc import Mapping

QUESTIONS: Mapping[int, str] = {
    1: "why did the hit rate drop?",
    2: "is it the prompts or the capacity?",
    3: "what would another size or policy hit?",
    4: "which prefixes fill it, and which earn it?",
    5: "which tenant evicts which?",
    6: "is the pool of sliding windows too small?",
    7: "why was the hit of this request so short?",
    8: "does eviction stall the scheduler?",
    9: "memory is full and nothing runs: a leak?",
    10: "how long does an entry live?",
    11: "why do some requests wait so long?",
    12: "which of several figures is right?",
    13: "does the view of a router match the engine's?",
    14: "is the second tier worth it?",
    15: "which change to the prompts would pay most?",
}
"""In the order in which findings number them."""
