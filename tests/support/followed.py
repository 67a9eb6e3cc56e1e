"""Feeds and publishers for tests: publishers at known places that stop and start again, and what a feed hands out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from probes.kv.publisher import KVPublisher, PublisherOptions
from probes.kv_feed.feed import Feed
from probes.kv_feed.happenings import Delivery, Gap, Happening, Joined, Repaired, Restarted

ANY_PORT = "tcp://127.0.0.1:0"
TIMEOUT_S = 20


def as_it_is(event: object) -> object:
    """Return an event that is plain already."""
    return event


def publisher_at(endpoint: str = ANY_PORT, replay: str = ANY_PORT, **more: object) -> KVPublisher[object]:
    """Return a publisher at an address, at free ports unless told."""
    options = {"endpoint": endpoint, "replay_endpoint": replay, "linger_ms": 0, **more}
    return KVPublisher(as_it_is, PublisherOptions(**options))  # type: ignore[arg-type]


def stored(block: int) -> dict[str, object]:
    """Return an event that stores one block."""
    return {
        "type": "BlockStored", "block_hashes": [block], "parent_block_hash": None, "token_ids": [block],
        "block_size": 1,
    }  # fmt: skip


def publish(publisher: KVPublisher[object], count: int = 1) -> None:
    """Publish batches of one block each, whose hash is the number of the batch."""
    for _ in range(count):
        publisher.publish([stored(publisher.published_batches)])


class Told:
    """What a feed has handed out so far."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.happenings: list[Happening] = []

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Take until a condition holds; raise TimeoutError when it does not in time."""
        deadline = time.monotonic() + TIMEOUT_S
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what} did not come; {self.feed.state()}, {self.happenings[-5:]}")
            if taken := self.feed.take():
                self.happenings += taken
            else:
                time.sleep(0.005)

    def until_batch(self, seq: int) -> None:
        """Take until the last batch that was handed out is that of a number."""
        self.until(lambda: self.batches[-1:] == [seq], f"batch {seq}")

    def until_live(self) -> None:
        """Take until no older batch is asked for: whatever is missed from here on, is missed of what is live."""
        self.until(lambda: self.batches and not self.feed.state().is_catching_up, "the end of the past")

    @property
    def batches(self) -> list[int]:
        """The numbers of the batches."""
        return [each.seq for each in self.happenings if isinstance(each, Delivery)]

    @property
    def blocks(self) -> list[object]:
        """The hashes of the blocks that were stored."""
        events = [event for each in self.happenings if isinstance(each, Delivery) for event in each.batch.events]
        return [block for event in events for block in getattr(event, "hashes", ())]

    @property
    def others(self) -> list[Joined | Restarted | Gap]:
        """All but batches and repairs."""
        return [each for each in self.happenings if not isinstance(each, Delivery | Repaired)]


@contextmanager
def following(*where: str, **options: object) -> Iterator[Told]:
    """Yield what a feed tells, and close it."""
    feed = Feed(*where, **options)  # type: ignore[arg-type]
    try:
        yield Told(feed)
    finally:
        feed.close()


@contextmanager
def published(**options: object) -> Iterator[KVPublisher[object]]:
    """Yield a publisher, and close it."""
    publisher = publisher_at(**options)  # type: ignore[arg-type]
    try:
        yield publisher
    finally:
        publisher.close()
