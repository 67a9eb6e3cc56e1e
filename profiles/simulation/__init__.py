"""Caches of whole blocks, run over a request trace: what a policy hits at a capacity, and the curve over capacities.

A block is a place in the tree of all paths: its id and everything before it. A hit needs every block before it, so
the hits of a request are a prefix of its path; in them every block is touched, from the root on, and then what is
missing is inserted. Blocks leave from the leaves on.
"""

from probes.curves.capacity_curve import CapacityCurve
from profiles.simulation.block_hits import BlockHits
from profiles.simulation.exact_curve import capacity_curve
from profiles.simulation.policy import BLOCK_POLICIES
from profiles.simulation.sampled_curve import SampledCurve, sampled_curve
from profiles.simulation.simulate import simulate

__all__ = [
    "BLOCK_POLICIES",
    "BlockHits",
    "CapacityCurve",
    "SampledCurve",
    "capacity_curve",
    "sampled_curve",
    "simulate",
]
