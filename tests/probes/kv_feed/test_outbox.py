"""What waits to be taken, and how much of it."""

from __future__ import annotations

import msgspec

from probes.kv_feed.frame import Frame
from probes.kv_feed.happenings import Delivery, Gap, Joined, Restarted
from probes.kv_feed.outbox import Outbox

PAYLOAD = msgspec.msgpack.encode([1.5, [], 0])


def frame(seq: int) -> Frame:
    """Return a batch without events."""
    return Frame(seq, 1.5, PAYLOAD, 10 + seq)


def test_steps_are_taken_in_order_and_decoded() -> None:
    outbox = Outbox(10, 1000)
    outbox.add([Joined(0, False), frame(0), Gap(1, 2)])
    joined, delivery, gap = outbox.take(10, 1000)
    assert (joined, gap) == (Joined(0, False), Gap(1, 2))
    assert isinstance(delivery, Delivery)
    assert (delivery.seq, delivery.received_at, delivery.batch.ts) == (0, 10, 1.5)
    assert len(outbox) == 0


def test_so_many_are_taken_at_once_and_one_at_least() -> None:
    outbox = Outbox(10, 1000)
    outbox.add([frame(seq) for seq in range(5)])
    assert len(outbox.take(2, 1000)) == 2
    assert len(outbox.take(10, 1)) == 1
    assert len(outbox.take(10, len(PAYLOAD) + 1)) == 2


def test_it_is_crowded_at_half_and_full_at_all_of_its_room() -> None:
    for outbox in (Outbox(4, 1000), Outbox(100, 4 * len(PAYLOAD))):
        looks = []
        for seq in range(4):
            outbox.add([frame(seq)])
            looks.append((outbox.is_crowded, outbox.is_full))
        assert looks == [(False, False), (True, False), (True, False), (True, True)]
        outbox.take(3, 1000)
        assert (outbox.is_crowded, outbox.is_full) == (False, False)


def test_restarts_and_gaps_in_a_row_take_no_room() -> None:
    outbox = Outbox(10, 1000)
    for number in range(100):
        outbox.add([Restarted(number)])
    for number in range(100):
        outbox.add([Gap(2 * number, 2 * number + 1)])
    outbox.add([Gap(300, 301)])
    assert outbox.take(10, 1000) == [Restarted(99), Gap(0, 199), Gap(300, 301)]


def test_the_oldest_batch_says_since_when_it_waits() -> None:
    outbox = Outbox(10, 1000)
    assert outbox.waiting_since is None
    outbox.add([Joined(3, True), frame(3), frame(4)])
    assert outbox.waiting_since == 13
    outbox.take(2, 1000)
    assert outbox.waiting_since == 14


def test_what_cannot_be_decoded_is_a_gap() -> None:
    outbox = Outbox(10, 1000)
    outbox.add([Frame(5, 1.0, b"\xc1", 0)])
    assert outbox.take(10, 1000) == [Gap(5, 5, has_come=True)]
    assert outbox.unreadable == 1
    assert "no msgpack" in outbox.last_error
