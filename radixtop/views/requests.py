"""Requests: how long they take and where the time goes."""

from __future__ import annotations

from typing import ClassVar

from radixtop.view import View


class Requests(View):
    """Time to first token, tokens per second, cost of the cache's operations."""

    panels: ClassVar[tuple[str, ...]] = ("requests", "throughput", "operations", "pools")
    DEFAULT_CSS = """
    #requests { layout: grid; grid-size: 2 2; grid-rows: 1fr 40%; }
    .-low #requests { grid-rows: 7; overflow-y: auto; }
    .-narrow #requests { layout: vertical; overflow-y: auto; }
    .-narrow #requests .panel { height: 9; }
    """
