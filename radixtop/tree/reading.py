"""Has the nodes that hold the most read for a filter: what is not in sight has not been read yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from probes.mirror import Mirror

LOOKED_THROUGH = 4_096


def look_through(mirror: Mirror) -> None:
    """Have more of the heaviest nodes read, where text is wanted; a filter that stays gets round to all of them."""
    if not mirror.texts.is_on:
        return
    columns = mirror.columns
    tokens = columns.view("subtree_tokens").copy()
    tokens[~columns.alive] = -1
    tokens[0] = -1  # the root says nothing
    count = min(LOOKED_THROUGH, len(tokens))
    heaviest = np.argpartition(tokens, -count)[-count:]
    slots = heaviest[np.argsort(-tokens[heaviest])]
    mirror.texts.search((columns.id[slot], columns.start[slot]) for slot in slots.tolist() if tokens[slot] > 0)
