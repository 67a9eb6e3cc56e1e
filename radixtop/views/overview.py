"""The overview: how the cache does, in one look."""

from __future__ import annotations

from typing import ClassVar

from radixtop.view import View


class Overview(View):
    """Panels in one, two or three columns, as many as fit."""

    panels: ClassVar[tuple[str, ...]] = (
        "hit_rate", "pools", "nodes", "requests", "throughput", "branching", "evictions", "operations",
    )  # fmt: skip
    DEFAULT_CSS = """
    #overview { layout: grid; grid-size: 2 3; grid-rows: 1fr 1fr 1fr; }
    #overview-hit_rate { column-span: 2; }
    #overview-branching, #overview-evictions, #overview-operations { display: none; }

    .-narrow #overview { layout: vertical; overflow-y: auto; }
    .-narrow #overview .panel { height: 9; display: block; }

    .-normal.-tall #overview, .-normal.-towering #overview { grid-size: 2 4; grid-rows: 1fr 1fr 1fr 1fr; }
    .-normal.-tall #overview .panel, .-normal.-towering #overview .panel { display: block; }
    .-normal #overview #overview-operations { display: none; }

    .-wide #overview, .-huge #overview { grid-size: 3 3; grid-rows: 1fr 1fr 1fr; }
    .-wide #overview-hit_rate { column-span: 3; }
    .-wide #overview .panel, .-huge #overview .panel { display: block; }
    .-wide #overview #overview-operations { display: none; }

    .-low #overview { grid-rows: 7; overflow-y: auto; }
    """
