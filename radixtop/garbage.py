"""What is built to stay is no garbage: collections need not go through it again and again while a key waits."""

from __future__ import annotations

import gc
import sys


def set_aside() -> None:
    """Collect what a view left behind when it was built, and let later collections pass by all the rest.

    Of a process that does nothing else: what is alive now is never looked at again by the collector.
    """
    gc.collect()
    gc.freeze()
    _give_back()


def _give_back() -> None:
    """Let the C library give back pages that it keeps for later, if the way to ask it is imported already."""
    ctypes = sys.modules.get("ctypes")
    trim = None if ctypes is None else getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
