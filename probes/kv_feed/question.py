"""What is known of a question while its answer comes."""

from __future__ import annotations

from dataclasses import dataclass


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
