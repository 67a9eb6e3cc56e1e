"""The shape of the tree."""

from __future__ import annotations

from probes.builtin.tree_shape import TreeShapeSample
from profiles.metric import each, one, read_off

METRICS = (
    read_off(
        TreeShapeSample,
        "radixtop_tree_nodes",
        "Nodes without the root, on either tier.",
        lambda sample: one(sample.nodes),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_leaves",
        "Nodes without children.",
        lambda sample: one(sample.leaves),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_tombstones",
        "Nodes on the device whose window has left it.",
        lambda sample: one(sample.tombstones),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_depth",
        "Nodes on the longest path.",
        lambda sample: one(sample.depth),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_tokens",
        "Tokens of all nodes.",
        lambda sample: one(sample.tokens),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_live_nodes",
        "Nodes that have a component on the device.",
        lambda sample: each(sample.live_nodes),
        ("component",),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_live_tokens",
        "Tokens of those nodes.",
        lambda sample: each(sample.live_tokens),
        ("component",),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_host_nodes",
        "Nodes that are in host memory alone; absent without a host tier.",
        lambda sample: one(sample.host_nodes),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_host_tokens",
        "Tokens of those nodes.",
        lambda sample: one(sample.host_tokens),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_copied_nodes",
        "Nodes with a whole copy of a component in host memory.",
        lambda sample: each(sample.copied_nodes),
        ("component",),
    ),
    read_off(
        TreeShapeSample,
        "radixtop_tree_copied_tokens",
        "Tokens of those nodes.",
        lambda sample: each(sample.copied_tokens),
        ("component",),
    ),
)
