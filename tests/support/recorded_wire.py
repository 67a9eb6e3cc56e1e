"""Recorded streams on a wire that does everything a wire can do, and what their engines held after each batch."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from probes.kv.wire import Cleared, Hash, Stored, decode
from probes.kv_feed.frame import Frame
from probes.kv_feed.happenings import Delivery, FeedState, Happening, Restarted
from probes.kv_feed.limits import Limits
from probes.kv_feed.outbox import Outbox
from probes.kv_feed.sequence import Step
from probes.kv_mirror.badge import Badge
from probes.kv_mirror.follower import RankFollower
from tests.support.lossy_wire import LossyWire

Held = dict[tuple[str, int], Counter[Hash]]
"""The copies of every block, by tier and group."""


def held_after(payloads: Sequence[bytes]) -> Held:
    """Return what is there after batches from the first on, counted the slow way."""
    held: Held = {}
    for payload in payloads:
        for event in decode(payload).events:
            if isinstance(event, Cleared):
                held = {}
            elif isinstance(event, Stored):
                held.setdefault((event.tier, event.group), Counter()).update(event.hashes)
            else:
                held.setdefault((event.tier, event.group), Counter()).subtract(event.hashes)
    return {place: kept for place, counts in held.items() if (kept := +counts)}


def held_by(follower: RankFollower) -> Held:
    """Return what a follower believes to be there."""
    mirror = follower.rank.blocks
    found = {(at.tier, at.group): Counter(dict(mirror.blocks(at.tier, at.group))) for at in mirror.places}
    return {place: counts for place, counts in found.items() if counts}


CLOCKS: Mapping[str, Callable[[int, int], float]] = {
    "right": lambda process, seq: 1e9 + process * 60.0 + seq * 1e-3,
    "ever earlier": lambda process, seq: 1e9 - process * 3600.0 + seq * 1e-3,
    "stands": lambda process, seq: 1e9,
    "jumps": lambda process, seq: 1e9 + (process * 7919 + seq * 104_729) % 7200 - 3600.0,
    "negative": lambda process, seq: -1e9 - process * 60.0 - seq,
    "none": lambda process, seq: math.nan,
}
"""What a server may take for the time."""


class RecordedWire(LossyWire):
    """A publisher of recorded streams, each by a process of its own, and a rank that is followed."""

    limits = Limits(most_held=40, most_held_bytes=1 << 18)

    def __init__(
        self,
        streams: Sequence[Sequence[bytes]],
        seed: int,
        kept: int,
        can_replay: bool = True,
        clock: str = "right",
    ) -> None:
        self._streams = streams
        self._clock = CLOCKS[clock]
        self._outbox = Outbox(100_000, 1 << 30)
        self._came: dict[int, tuple[int, int]] = {}
        self._known: tuple[int, int] | None = None
        self.rank = RankFollower(self, "tcp://127.0.0.1:1", clock=lambda: self.now)
        super().__init__(seed, kept, can_replay)

    # ---- the feed that the rank follows

    def take(self) -> list[Happening]:
        """Hand out what came, and note of which process it is."""
        taken = self._outbox.take(100_000, 1 << 30)
        for each in taken:
            if isinstance(each, Delivery):
                self._known = self._came[each.received_at]
            elif isinstance(each, Restarted):
                self._known = None
        return taken

    def state(self) -> FeedState:
        """Tell how it is doing, as a feed does."""
        is_contested = self.sequencer.is_contested(self.now)
        return FeedState(is_connected=True, last_seq=self.sequencer.last_seq, is_contested=is_contested)

    def close(self) -> None:
        """Close nothing."""

    # ---- the wire

    def cut(self, place: int) -> None:
        """Cut short the batch that arrives next, within its events."""
        if self._live:
            frame = self._live[0]
            self._live[0] = frame._replace(payload=frame.payload[: 11 + place % max(1, len(frame.payload) - 11)])

    def publish(self, count: int, loss: float) -> None:
        """See LossyWire: as many as there are."""
        super().publish(min(count, len(self._stream) - len(self.sent)), loss)

    @property
    def _stream(self) -> Sequence[bytes]:
        return self._streams[self.process % len(self._streams)]

    def _framed(self, seq: int) -> Frame:
        ts, payload = self._clock(self.process, seq), self._stream[seq]
        return Frame(seq, ts, payload[:2] + struct.pack(">d", ts) + payload[10:], self.process)

    def _arrived(self, frame: Frame) -> Frame:
        """See LossyWire: each has a time of its own, by which its process is known, which it held in its place."""
        at = self.now + len(self._came)
        self._came[at] = frame.received_at, frame.seq
        return frame._replace(received_at=at)

    def _told(self, steps: list[Step]) -> None:
        self._outbox.add(steps)

    # ---- what must hold

    def assert_honest(self) -> Badge:
        """Return the badge; raise AssertionError if it says more than is so of what the process held."""
        while self.rank.poll().records or self._outbox:
            pass
        self.rank.state()
        badge, found = self.rank.rank.badge, held_by(self.rank)
        if badge.word == "unsure":
            return badge
        if self._known is None:
            assert not found, f"{badge} of a process that has told nothing"
            return badge
        process, seq = self._known
        truth = held_after(self._streams[process % len(self._streams)][: seq + 1])
        if badge.word == "partial":
            found = {place: counts - truth.get(place, Counter()) for place, counts in found.items()}
            truth = {place: Counter() for place in found}
        assert found == truth, f"{badge} at batch {seq} of process {process}"
        return badge
