"""How much may be held and how long an answer may take, and what is known of a question while its answer comes."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(slots=True)
class Question:
    """A question for all batches from a number on.

    `had_hole` says that some were known to be missing when it was asked, `is_catching_up` that the connection had
    been lost. `has_helped`: since then batches were delivered. `came` counts batches that were missed and came.
    """

    heard_at: int
    had_joined: bool
    had_hole: bool
    is_catching_up: bool
    is_answered: bool = False
    has_helped: bool = False
    came: int = 0
