"""Waits until descriptors can be read, whatever their numbers: `select.select` takes none above 1,023."""

from __future__ import annotations

import math
import select
from collections.abc import Iterable


def readable(descriptors: Iterable[int], seconds: float | None = None) -> list[int]:
    """Return those that can be read without waiting, or whose other end is closed, as soon as there are any.

    After so many seconds, rounded up to milliseconds, return none; unless told wait for ever.
    """
    waiting = select.poll()
    for descriptor in descriptors:
        waiting.register(descriptor, select.POLLIN)
    return [found for found, _ in waiting.poll(None if seconds is None else max(0, math.ceil(seconds * 1000)))]
