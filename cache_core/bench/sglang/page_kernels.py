"""The two GPU kernels of SGLang's page allocator, on a CPU: which slots some new tokens get.

A request's page that is not full yet is filled up first, then come the pages at the front of the free list.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def launch_extend(
    prefix_lens: Any, seq_lens: Any, last_loc: Any, free_pages: Any, out: Any, _power: int, page: int, *_: Any
) -> None:
    """Write into `out` the slots of positions [prefix, length) of each request, one request after the other."""
    arange = import_module("torch").arange
    at = taken = 0
    for start, end, last in zip(prefix_lens.tolist(), seq_lens.tolist(), last_loc.tolist(), strict=True):
        rest = min(end, -(-start // page) * page) - start
        out[at : at + rest] = arange(last + 1, last + 1 + rest)
        fresh = end - start - rest
        pages = free_pages[taken : taken + -(-fresh // page)]
        slots = (pages[:, None] * page + arange(page)).flatten()
        out[at + rest : at + rest + fresh] = slots[:fresh]
        at += rest + fresh
        taken += len(pages)


def launch_decode(seq_lens: Any, last_loc: Any, free_pages: Any, out: Any, _power: int, page: int, *_: Any) -> None:
    """Write into `out` the slot of each request's newest token."""
    taken = 0
    for row, (length, last) in enumerate(zip(seq_lens.tolist(), last_loc.tolist(), strict=True)):
        opens_page = (length - 1) % page == 0
        out[row] = free_pages[taken] * page if opens_page else last + 1
        taken += opens_page
