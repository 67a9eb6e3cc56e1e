"""The mirror's costs must not grow with the tree; asserted as ratios inside one run."""

from __future__ import annotations

from probes.bench.mirror import measure


def test_neither_a_record_nor_a_sample_costs_more_in_a_larger_tree() -> None:
    small = measure(nodes=1_000, requests=3_000)
    large = measure(nodes=20_000, requests=3_000)
    assert large.nodes > 15 * small.nodes
    assert large.ns_per_record < 4 * small.ns_per_record
    assert large.sample_ns < 4 * small.sample_ns
    assert large.bytes_per_node < 1_000
