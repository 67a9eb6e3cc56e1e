"""A publisher over real sockets that drops, doubles, exchanges and cuts its messages, and parts of its answers."""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.support.hostile_kv import ANY_PORT, Publisher

END = (b"", b"", b"\xff" * 8, b"")


@dataclass(frozen=True)
class Faults:
    """How often what goes wrong (0..1), and how many batches can be sent again.

    Of an answer the first two batches meet an empty queue: the last one that is known, and the first that is missing.
    """

    drop: float = 0.0
    double: float = 0.0
    swap: float = 0.0
    cut: float = 0.0
    lose_answers: float = 0.0
    kept: int = 100_000


class FaultyPublisher:
    """One process that publishes a recorded stream. Its last batch always goes out whole. A context manager."""

    def __init__(
        self, payloads: Sequence[bytes], faults: Faults, random: Random, at: Sequence[str] = (ANY_PORT, ANY_PORT)
    ) -> None:
        began = time.time()
        self._frames = [
            (seq.to_bytes(8, "big"), payload[:2] + struct.pack(">d", began + seq * 1e-6) + payload[10:])
            for seq, payload in enumerate(payloads)
        ]
        self._faults = faults
        self._random = random
        self._sent = 0
        self._server = Publisher(room=100_000, at=at)
        self.at = self._server.endpoint, self._server.replay_endpoint

    def __enter__(self) -> FaultyPublisher:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__()

    @property
    def sent(self) -> int:
        """How many batches were published, dropped ones among them."""
        return self._sent

    @property
    def is_done(self) -> bool:
        """Whether all was published."""
        return self._sent == len(self._frames)

    def subscribed(self) -> None:
        """Return once somebody follows."""
        self._server.subscribed()

    def serve(self, most: int) -> None:
        """Publish some batches, and answer whoever asks."""
        if self._server.replay.poll(0):
            self._answer()
        block = self._frames[self._sent : self._sent + most]
        self._sent += len(block)
        live = [frames for frames in block if not self._happens(self._faults.drop)]
        if self.is_done and block and live[-1:] != block[-1:]:
            live.append(block[-1])
        for place in range(len(live) - 2):
            if self._happens(self._faults.swap):
                live[place : place + 2] = live[place + 1], live[place]
        for seq, payload in live:
            whole = (seq, payload)
            if self._happens(self._faults.cut) and whole != self._frames[-1]:
                payload = payload[: self._random.randrange(len(payload))]
            self._server.send(*([[b"", seq, payload]] * (1 + self._happens(self._faults.double))))

    def _answer(self) -> None:
        identity, first = self._server.asked()
        oldest = max(first, self._sent - self._faults.kept)
        found = [
            frames
            for place, frames in enumerate(self._frames[oldest : self._sent])
            if place < 2 or not self._happens(self._faults.lose_answers)
        ]
        self._server.answer(identity, *([b"", b"", *frames] for frames in found), END)

    def _happens(self, how_often: float) -> bool:
        return self._random.random() < how_often
