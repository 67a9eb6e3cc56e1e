"""Flat lists of the nodes that stand out: which belong to a mode, the first of them, and what they amount to."""

from __future__ import annotations

import numpy as np

from radixtop.tree.openness import Mask
from radixtop.tree.order import Columns, Whole, figures_of, sort_keys
from radixtop.tree.request import QUIET_NS, Mode, Order
from radixtop.tree.rows import Standing

TOP = 200
"""The most rows of a list."""


def members(columns: Columns, mode: Mode, now: int) -> Mask:
    """Return which nodes belong to a list: all, the reused ones, those long unused, or branches never reused.

    Whoever uses a node uses what leads to it, so below a node that nobody reused, and that was not used for long, no
    other was: of a dead branch its first node stands for all of it.
    """
    belongs: Mask = columns.view("parent") >= 0
    if mode == "hot":
        belongs &= columns.view("hits") > 0
    if mode in ("cold", "dead"):
        belongs &= columns.view("touched_at") <= now - QUIET_NS
    if mode == "cold":
        belongs &= columns.view("locks") == 0
    if mode == "dead":
        belongs &= (columns.view("hits") == 0) & (columns.view("locks") == 0)
        belongs &= ~belongs[columns.view("parent")]
    return belongs


def top(columns: Columns, slots: Whole, order: Order, is_reversed: bool) -> Whole:
    """Return the first `TOP` of some nodes in an order; of equals the one with the lower id comes first."""
    keys = sort_keys(figures_of(columns, order)[slots], order, is_reversed)
    if len(slots) > TOP:
        border = np.partition(keys, TOP - 1)[TOP - 1]
        first, equal = np.flatnonzero(keys < border), np.flatnonzero(keys == border)
        numbers = columns.view("id")[slots[equal]]
        wanted = TOP - len(first)
        if len(equal) > wanted:
            equal = equal[np.argpartition(numbers, wanted - 1)[:wanted]]
        chosen = np.concatenate([first, equal])
        slots, keys = slots[chosen], keys[chosen]
    return slots[np.lexsort((columns.view("id")[slots], keys))]


def standing(columns: Columns, slots: Whole, mode: Mode, nodes: int, tokens: int) -> Standing:
    """Return what the nodes in `slots`, all those of a mode, amount to."""
    figures = columns.view({"hot": "hit_tokens", "dead": "subtree_tokens"}.get(mode, "length"))[slots]
    amount = int(figures.sum())
    whole = int(columns.view("hit_tokens").sum()) if mode == "hot" else tokens
    largest = -np.partition(-figures, TOP - 1)[:TOP] if len(figures) > TOP else figures
    sums = np.cumsum(np.sort(largest)[::-1])
    leading = min(len(sums), int(np.searchsorted(sums, whole / 2)) + 1)
    led = int(sums[leading - 1]) if leading else 0
    return Standing(mode, nodes, tokens, None, len(slots), amount, whole, leading, led)
