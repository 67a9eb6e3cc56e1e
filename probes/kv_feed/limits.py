"""How much may be held, how long an answer may take, and what bounds a feed."""

from __future__ import annotations

from dataclasses import dataclass, field

from probes.window import SECOND_NS


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds.

    An answer must begin within `patience_ns` (`short_patience_ns` once one never came) and go on every `silence_ns`.
    `look_again_ns` after connecting the newest batch is asked for again: what was published before the subscription
    took effect leaves no trace. `contested_ns`: how long two servers at one address are remembered.
    """

    most_held: int = 20_000
    most_held_bytes: int = 1 << 25
    patience_ns: int = 5 * SECOND_NS
    short_patience_ns: int = SECOND_NS // 2
    silence_ns: int = SECOND_NS
    look_again_ns: int = 2 * SECOND_NS
    contested_ns: int = 10 * SECOND_NS


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """What bounds a feed: what waits to be taken, what one call takes, how large a message may be."""

    limits: Limits = field(default_factory=Limits)
    waiting_batches: int = 100_000
    waiting_bytes: int = 1 << 25
    take_batches: int = 512
    take_bytes: int = 1 << 22
    largest_message_bytes: int = 1 << 26
    live_hwm: int = 100_000
