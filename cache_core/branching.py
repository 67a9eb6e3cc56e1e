"""Pure arithmetic of pages, windows and branching points.

Coordinates are absolute token positions in the key, ranges are half-open. The rules and their names follow the
sliding-window branching-point caching of SGLang (PR 34565): full-attention KV stays valid for ever, while KV of
the sliding window is given back behind the window, so a match can land short of the longest stored prefix.
"""

from __future__ import annotations


def floor_page(tokens: int, page: int) -> int:
    """Return the largest multiple of `page` that is at most `tokens`."""
    return tokens - tokens % page


def ceil_page(tokens: int, page: int) -> int:
    """Return the smallest multiple of `page` that is at least `tokens`."""
    return tokens + -tokens % page


def window_span(window: int, page: int) -> int:
    """Return how many tokens stay behind an insert's last token: whole pages that cover a window.

    Rounding up matters when the window is larger than a page and no multiple of it: with the larger of the two the
    live tail can end up shorter than the window, and the next match rejects the caller's own insert.
    """
    return ceil_page(window, page)


def window_frontier(*, evicted: int, protected: int, reach: int, page: int) -> int:
    """Return up to where window slots may be given back when nothing needs those below `reach`.

        0        protected     evicted      new frontier     reach
        |--tree-----|--freed------|--to free-----|--< page-----|

    Never below `protected`, since what the tree owns is not the request's to give, and never backwards.
    """
    return floor_page(max(evicted, protected, reach), page)


def branching_point(full_hit: int, usable: int, page: int) -> int | None:
    """Return where a request leaves a stored prefix that it cannot use, or None if it can use all of it."""
    aligned = floor_page(full_hit, page)
    return aligned if aligned > usable else None


def insert_length(length: int, protected: int, branch: int | None) -> int:
    """Return how many tokens to write back: up to the branching point if it lies ahead and within reach."""
    return branch if branch is not None and protected < branch <= length else length


def leaf_cuts(start: int, end: int, evicted: int, cap: int) -> tuple[int, ...]:
    """Return where a new leaf [start, end) is cut, given that its window slots below `evicted` are gone.

        start          evicted             end - cap          end
        |---tombstone-----|------live---------|-----live--------|

    The last `cap` tokens form a node of their own, so that locking the end pins one window and not the prompt.
    """
    live = max(start, evicted)
    if live >= end:
        return ()
    cuts = (live,) if live > start else ()
    return (*cuts, end - cap) if end - live > cap else cuts
