"""What a server that is seen from outside does not tell, and what would tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radixtop.render.lines import Line

if TYPE_CHECKING:
    from probes.snapshot import Snapshot

HOW = "start the server with `radixtop run -- …`"


def is_outside(snapshot: Snapshot) -> bool:
    """Say whether servers are watched by their events and metrics, which tell of no single call or request."""
    return "fleet" in snapshot.samples


def untold(what: str) -> Line:
    """Return that something is not told from outside, and what would."""
    return ((f"{what} is not told from outside: ", "text"), (HOW, "key"))
