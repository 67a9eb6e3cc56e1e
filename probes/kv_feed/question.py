"""What bounds the putting in order, and what is known of a question while its answer comes."""

from __future__ import annotations

from dataclasses import dataclass

_SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How many batches wait for those before them, and how long things may take (ns).

    An answer begins within the `patience`, or the short one once a question had none at all, and has no `silence`
    before its end. After a connection is made, the end of the
    stream is asked for a second time: what was published before the subscription took effect leaves no trace.
    """

    most_held: int = 20_000
    most_held_bytes: int = 1 << 25
    patience_ns: int = 5 * _SECOND
    short_patience_ns: int = _SECOND // 2
    silence_ns: int = _SECOND
    look_again_ns: int = 2 * _SECOND
    contested_ns: int = 10 * _SECOND


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
