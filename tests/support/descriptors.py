"""Descriptors with high numbers, as a process with many open files has them."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

MOST_OF_SELECT = 1024


@contextmanager
def low_descriptors_taken() -> Iterator[None]:
    """In a `with`, whatever is opened gets a number that `select.select` does not take."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * MOST_OF_SELECT), hard))
    taken = [os.open(os.devnull, os.O_RDONLY)]
    try:
        while taken[-1] < MOST_OF_SELECT:
            taken.append(os.dup(taken[-1]))
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
