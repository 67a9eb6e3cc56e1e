"""What became of branching points."""

from __future__ import annotations

from probes.builtin.branching import BranchingSample
from profiles.metric import each, one, read_off

METRICS = (
    read_off(
        BranchingSample,
        "radixtop_branching_points_total",
        "Branching points by what became of them: opened by a match, filled by an insert, lost.",
        lambda sample: each({"opened": sample.opened, "filled": sample.filled, "lost": sample.lost}),
        ("event",),
    ),
    read_off(
        BranchingSample,
        "radixtop_branching_points_open",
        "Branching points that running requests have met and not filled yet.",
        lambda sample: one(sample.open_now),
    ),
    read_off(
        BranchingSample,
        "radixtop_recomputed_tokens_total",
        "Tokens that the tree knew and that were computed again, for a component had lost them.",
        lambda sample: one(sample.recomputed_tokens),
    ),
    read_off(
        BranchingSample,
        "radixtop_below_grid_tokens_total",
        "Recomputed tokens past the last place where a recurrent state is kept: no branching point saves them.",
        lambda sample: one(sample.below_grid_tokens),
    ),
)
