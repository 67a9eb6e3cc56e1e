"""`python -m tests.support.modelless_worker`: the worker of a live run, with an engine that has no model.

It is up without torch, so it starts in a third of the time; all the rest of it is the real one.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

from cache_core import PrefixCache
from radixtop.serving import embedded, worker
from tests.support.modelless_engine import ModellessEngine

DEVICE = "no device"


class LivingEngine(ModellessEngine):
    """A modelless engine with what a worker asks of its engine besides."""

    def __init__(self, cache: PrefixCache) -> None:
        super().__init__(cache)
        self.model = SimpleNamespace(weights=SimpleNamespace(embedding=SimpleNamespace(device=DEVICE)))

    def close(self) -> None:
        """There are no copies to wait for."""


def main() -> int:
    """Serve one run and return the exit code of a failure."""
    worker._Worker._start_engine = lambda self: LivingEngine(self._cache)  # type: ignore
    embedded.to_request = lambda prompt: prompt  # type: ignore
    return worker.main()


if __name__ == "__main__":
    sys.exit(main())
