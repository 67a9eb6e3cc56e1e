"""What waits to be taken: filled by the thread of a feed, emptied by whoever reads it, bounded."""

from __future__ import annotations

from collections import deque
from threading import Lock

from probes.errors import WireError
from probes.kv.wire import decode
from probes.kv_feed.frame import Frame
from probes.kv_feed.happenings import Delivery, Gap, Happening, Restarted
from probes.kv_feed.sender_clock import SenderClock
from probes.kv_feed.sequence import Step


def delivered(step: Step, clock: SenderClock | None = None) -> Happening:
    """Return a step with its batch decoded and dated. Raises WireError when that is none."""
    if isinstance(step, Frame):
        flushed_at = None if clock is None else clock.flushed_at(step)
        return Delivery(decode(step.payload), step.seq, step.received_at, flushed_at, step.is_answer)
    return step


class Outbox:
    """Steps in their order. Batches stay as they came until they are taken, which takes a tenth of the memory.

    It refuses nothing: whoever fills it drops live batches while it `is_full`, and answers, which can be asked for
    again, while it `is_crowded`.
    """

    def __init__(self, most_batches: int, most_bytes: int, clock: SenderClock | None = None) -> None:
        self.unreadable = 0
        """How many batches could not be decoded; each was handed out as a gap."""
        self.last_error = ""
        self._most_batches = most_batches
        self._most_bytes = most_bytes
        self._clock = clock
        self._steps: deque[Step] = deque()
        self._bytes = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def is_full(self) -> bool:
        """Whether nothing more should come."""
        return len(self._steps) >= self._most_batches or self._bytes >= self._most_bytes

    @property
    def is_crowded(self) -> bool:
        """Whether half of the room is taken."""
        return 2 * len(self._steps) >= self._most_batches or 2 * self._bytes >= self._most_bytes

    @property
    def waiting_since(self) -> int | None:
        """When the batch came that waits first, or None."""
        with self._lock:
            return next((step.received_at for step in self._steps if isinstance(step, Frame)), None)

    def add(self, steps: list[Step]) -> None:
        """Let steps wait. Restarts in a row are one, and so are gaps: they take no room, however many come."""
        with self._lock:
            for step in steps:
                self._add(step)

    def take(self, most_batches: int, most_bytes: int) -> list[Happening]:
        """Return what waits, as far as the bounds allow, at least one step. Blocks for nothing but the lock."""
        taken: list[Step] = []
        took_bytes = 0
        with self._lock:
            while self._steps and len(taken) < most_batches and took_bytes < most_bytes:
                step = self._steps.popleft()
                taken.append(step)
                took_bytes += _size(step)
            self._bytes -= took_bytes
        return [self._delivered(step) for step in taken]

    def _add(self, step: Step) -> None:
        last = self._steps[-1] if self._steps else None
        if isinstance(step, Restarted) and isinstance(last, Restarted):
            self._steps[-1] = step
        elif isinstance(step, Gap) and isinstance(last, Gap) and step.first == last.last + 1:
            self._steps[-1] = Gap(last.first, step.last)
        else:
            self._steps.append(step)
            self._bytes += _size(step)

    def _delivered(self, step: Step) -> Happening:
        try:
            return delivered(step, self._clock)
        except WireError as error:
            assert isinstance(step, Frame)
            self.unreadable += 1
            self.last_error = error.message
            return Gap(step.seq, step.seq, has_come=True)


def _size(step: Step) -> int:
    return len(step.payload) if isinstance(step, Frame) else 0
