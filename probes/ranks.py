"""How many data-parallel ranks of a server are followed: one number, wherever ranks are counted."""

from __future__ import annotations

MOST_RANKS = 1_024
"""What goes beyond is left out, and said to be."""
