"""The batches that subscribers may ask for again, and the answers that are on their way to them."""

from __future__ import annotations

from collections.abc import Callable

MOST_REPLAYS = 64
"""How many subscribers are answered at a time; the request of another is refused."""

SLICE = 64
"""How many batches one subscriber gets before others, and what is new, have their turn."""

END = -1
"""The sequence number that ends an answer."""

Send = Callable[[bytes, int, bytes], bool | None]
"""Sends an identity a sequence number and a payload. True: sent, False: not now, None: it is gone."""


class ReplayRing:
    """The payloads of the newest batches by sequence number: at most `limit`, and `limit_bytes` in all.

    The newest is kept whatever its size.
    """

    __slots__ = ("_bytes", "_limit", "_limit_bytes", "_payloads", "next")

    def __init__(self, limit: int, limit_bytes: int) -> None:
        self._limit = limit
        self._limit_bytes = limit_bytes
        self._payloads: dict[int, bytes] = {}
        self._bytes = 0
        self.next = 0
        """The number after the newest batch."""

    @property
    def oldest(self) -> int:
        """The number of the oldest batch that is kept, or `next` when there is none."""
        return next(iter(self._payloads), self.next)

    def append(self, sequence: int, payload: bytes) -> None:
        """Keep a batch, newer than all before; the oldest go when there is no room."""
        self._payloads[sequence] = payload
        self._bytes += len(payload)
        self.next = sequence + 1
        while len(self._payloads) > self._limit or (self._bytes > self._limit_bytes and len(self._payloads) > 1):
            self._bytes -= len(self._payloads.pop(self.oldest))

    def at_or_after(self, sequence: int) -> tuple[int, bytes] | None:
        """Return the first batch from `sequence` on, or None when there is none."""
        for at in range(max(sequence, self.oldest), self.next):
            if at in self._payloads:
                return at, self._payloads[at]
        return None


class Replays:
    """Answers that are on their way. Each goes as fast as its subscriber reads; none is lost on the way."""

    __slots__ = ("_from", "_ring", "refused")

    def __init__(self, ring: ReplayRing) -> None:
        self._ring = ring
        self._from: dict[bytes, int] = {}
        self.refused = 0

    def __bool__(self) -> bool:
        return bool(self._from)

    def ask(self, identity: bytes, sequence: int) -> None:
        """Start an answer from a sequence number on, in place of one that is on its way to the same subscriber."""
        if identity in self._from or len(self._from) < MOST_REPLAYS:
            self._from[identity] = sequence
        else:
            self.refused += 1

    def serve(self, send: Send) -> None:
        """Send each subscriber its next batches, and the end of its answer once it has them all."""
        for identity in list(self._from):
            for _ in range(SLICE):
                if not self._send_next(identity, send):
                    break

    def _send_next(self, identity: bytes, send: Send) -> bool:
        """Send one message; say whether another may follow."""
        found = self._ring.at_or_after(self._from[identity])
        sent = send(identity, END, b"") if found is None else send(identity, *found)
        if sent is False:
            return False
        if sent is None or found is None:
            del self._from[identity]
            return False
        self._from[identity] = found[0] + 1
        return True
