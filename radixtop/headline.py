"""One line of each view that answers a question: what the overview begins with.

A headline is a pure function from a frame to a line: an answer stands in the overview in the words that its view
begins with, or in fewer where room is short. It is loaded when it is first shown.
"""

from __future__ import annotations

from collections.abc import Callable

from cache_core.registry import Registry
from radixtop.messages import Frame
from radixtop.render.lines import Line

Headline = Callable[[Frame, int], Line | None]
"""Returns the answer in at most so many cells; None where the view has nothing to say."""

HEADLINES: Registry[Headline] = Registry(
    "headline",
    {
        "fleet": "radixtop.words.fleet:headline",
        "why": "radixtop.words.why:headline",
        "requests": "radixtop.words.requests:headline",
        "swa": "radixtop.words.swa:headline",
        "evictions": "radixtop.words.evictions:headline",
        "tree": "radixtop.words.tree:headline",
        "time": "radixtop.words.time:headline",
    },
)
"""By the names of their views, in the order of the overview; `time` is told by the timeline (`t`)."""
