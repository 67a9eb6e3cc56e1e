"""Branching points: figures above, what happened to them below."""

from __future__ import annotations

from typing import ClassVar

from radixtop.view import View


class Branching(View):
    """Where a window of KV was missing at a prefix that the tree knew, and what became of it."""

    panels: ClassVar[tuple[str, ...]] = ("branching", "branch_feed")
    DEFAULT_CSS = """
    #branching { overflow-y: auto; }
    #branching-branching { height: 9; }
    .-low #branching-branching { height: 8; }
    #branching-branch_feed { height: 1fr; min-height: 6; overflow-y: auto; scrollbar-gutter: stable; }
    """
