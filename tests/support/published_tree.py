"""A toy tree whose records go through a recorder."""

from __future__ import annotations

import random
from collections.abc import Iterator

from cache_core.events import RawRecord
from probes.recorder import FlightRecorder
from tests.support.raw import raw
from tests.support.toy_tree import ToyTree


class PublishedTree:
    """A toy tree that publishes each of its steps as a block of its own."""

    def __init__(self, recorder: FlightRecorder, seed: int) -> None:
        self.recorder = recorder
        self.tree = ToyTree(random.Random(seed))
        recorder.bind(snapshot=self.walk)

    def walk(self) -> Iterator[RawRecord]:
        """State the tree as it is."""
        return map(raw, self.tree.walk())

    def step(self, times: int = 1) -> None:
        """Change the tree and publish that."""
        for _ in range(times):
            self.tree.step()
            self.recorder.records += map(raw, self.tree.stream)
            self.tree.stream.clear()
            self.recorder.flush()
