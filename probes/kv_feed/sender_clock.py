"""What time it was here when a publisher flushed a batch: its own clock may be off by any amount."""

from __future__ import annotations

import math

from probes.kv_feed.frame import Frame
from probes.window import SECOND_NS

_LONGEST_NS = 366 * 86_400 * SECOND_NS
"""No server is that old: its clock was set meanwhile, or its times are none."""


class SenderClock:
    """Learns from the batches of one process how far its clock is from ours.

    A live batch comes as it is flushed, so that the least that one took is how far the clocks are apart, and a little
    more. An answer tells of the past: until a live batch came, its newest batch counts as flushed just now, and what
    is older may be older still. One thread learns, others may ask.
    """

    __slots__ = ("_answered_ns", "_live_ns")

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget what is known: another process publishes."""
        self._live_ns = self._answered_ns = math.inf

    @property
    def is_known(self) -> bool:
        """Whether a live batch came, so that times are right and no mere bounds."""
        return self._live_ns < math.inf

    def learn(self, frame: Frame) -> None:
        """Take the times of a batch; one that has none teaches nothing."""
        apart_ns = frame.received_at - frame.ts * SECOND_NS
        if not math.isfinite(apart_ns):
            return
        if frame.is_answer:
            self._answered_ns = min(self._answered_ns, apart_ns)
        else:
            self._live_ns = min(self._live_ns, apart_ns)

    def flushed_at(self, frame: Frame) -> int:
        """Return when a batch was flushed, in ns of our clock: not after it came, and then where nothing tells."""
        if not frame.is_answer:
            return frame.received_at
        apart_ns = self._live_ns if self.is_known else self._answered_ns
        ago_ns = frame.received_at - frame.ts * SECOND_NS - apart_ns
        if not 0 < ago_ns < _LONGEST_NS:  # false of what is no number, too
            return frame.received_at
        return max(1, frame.received_at - int(ago_ns))
