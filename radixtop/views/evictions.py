"""Evictions: figures above, calls below."""

from __future__ import annotations

from typing import ClassVar

from radixtop.view import View


class Evictions(View):
    """What was evicted and what a call costs."""

    panels: ClassVar[tuple[str, ...]] = ("evictions", "eviction_feed")
    DEFAULT_CSS = """
    #evictions { overflow-y: auto; }
    #evictions-evictions { height: 40%; min-height: 7; }
    #evictions-eviction_feed { height: 1fr; min-height: 6; overflow-y: auto; scrollbar-gutter: stable; }
    """
