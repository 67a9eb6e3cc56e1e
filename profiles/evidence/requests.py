"""How requests fared beside what they hit: put in order, kept waiting, thrown out, left without an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Scheduling:
    """How waiting requests were put in order. `lost` are accounts of requests admitted while a schedule fell back."""

    passes: int | None = None
    fallbacks: int = 0
    most_waiting: int = 0
    limit: int | None = None
    since_ns: int | None = None
    requests: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Retractions:
    """Requests that were thrown out for want of slots and came back: how often, how many, what they compute again.

    Those for want of recurrent states are counted apart (`Evidence.state_retractions`).
    """

    retractions: int = 0
    requests: int = 0
    tokens: int = 0
    since_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Unserved:
    """Requests that got no answer, or none yet. `ended` are all that ended, in whatever way.

    The `refused` ones fit no pool: `largest_tokens` is what the largest of them would have held at its end, of which
    `largest_prompt` are its prompt. The `aborted` ones were given up, with `aborted_tokens` computed and not kept.
    `waiting` and `running` did not end so far; the oldest of them came `oldest_ns` ago.
    """

    ended: int = 0
    refused: int = 0
    largest_tokens: int = 0
    largest_prompt: int = 0
    refused_since_ns: int | None = None
    aborted: int = 0
    aborted_tokens: int = 0
    aborted_since_ns: int | None = None
    waiting: int = 0
    running: int = 0
    oldest_ns: int = 0


@dataclass(frozen=True, slots=True)
class Waits:
    """How long requests waited for their first admission, in ns: those with a long match, those with hardly any."""

    warm: int = 0
    cold: int = 0
    warm_p50_ns: float | None = None
    cold_p50_ns: float | None = None
    most_ns: int = 0
    most_request: int = -1
