"""What a cache in a peer tells: batches of events in a file, or published by the engine's own publisher."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from probes.kv_feed.stream_file import StreamWriter


class Told(Protocol):
    """Where batches go."""

    def tell(self, events: Sequence[Any]) -> None:
        """Take the events of a batch."""

    def close(self) -> None:
        """Hand out what waits, and end."""


class ToFile:
    """Writes batches, encoded as the engine's publisher does, with its numbers."""

    def __init__(self, path: str, batch: Callable[..., Any]) -> None:
        import msgspec

        self._writer = StreamWriter(Path(path))
        self._encoder = msgspec.msgpack.Encoder()
        self._batch = batch
        self._count = 0

    def tell(self, events: Sequence[Any]) -> None:
        """Write a batch and its number."""
        payload = self._encoder.encode(self._batch(ts=time.time(), events=list(events)))
        self._writer.append(time.time(), (b"", self._count.to_bytes(8, "big"), payload))
        self._count += 1

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()


class Published:
    """Hands batches to a publisher of the engine."""

    def __init__(self, publisher: Any, batch: Callable[..., Any]) -> None:
        self._publisher = publisher
        self._batch = batch

    def tell(self, events: Sequence[Any]) -> None:
        """Publish a batch."""
        self._publisher.publish(self._batch(ts=time.time(), events=list(events)))

    def close(self) -> None:
        """End the publisher."""
        self._publisher.shutdown()
