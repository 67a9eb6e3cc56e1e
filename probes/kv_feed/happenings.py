"""What a feed hands out, in the order in which it is to be applied, and how the feed is doing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from probes.kv.wire import WireBatch


class Joined(NamedTuple):
    """What follows begins with the batch `first_seq`. What was before is unknown, unless that is 0.

    It comes before the first batch, and after every `Restarted`. `replayed` says that older batches were asked for.
    """

    first_seq: int
    replayed: bool


class Delivery(NamedTuple):
    """The next batch, which came at `received_at` (ns on the clock of the feed).

    `flushed_at` is when it was published, as far as that is known: long before, where it was asked for (`is_past`).
    """

    batch: WireBatch
    seq: int
    received_at: int
    flushed_at: int | None = None
    is_past: bool = False

    @property
    def at(self) -> int:
        """When what it tells happened, as far as that is known."""
        return self.received_at if self.flushed_at is None else self.flushed_at


class Restarted(NamedTuple):
    """Another process publishes now, first seen with its batch `seq`: whatever is known of its rank is void."""

    seq: int


class Gap(NamedTuple):
    """The batches from `first` to `last`, both included, will never come, or came (`has_come`) and made no sense."""

    first: int
    last: int
    has_come: bool = False


class Repaired(NamedTuple):
    """So many of the batches before this were missed at first, and came when they were asked for."""

    batches: int


class Cut(NamedTuple):
    """Nothing more can be read of what was saved, and there was more."""

    why: str


Happening = Joined | Delivery | Restarted | Gap | Repaired | Cut


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedState:
    """How a feed is doing. `message` says what is wrong and what to do; it is empty while nothing is.

    `received` counts messages, `bytes` those of their payloads, answers to questions included; `gaps` and `missing`
    count holes and the batches in them; `repaired` those that came on demand. `duplicates` came twice or too late.
    `behind_s` is how long the oldest batch has waited to be taken, `waiting` how many do. `is_saved` says that what
    comes was saved before and is on its way to its end, `ended` that nothing will come any more.
    `is_contested` says that more than one process seems to publish here, so that their batches may be mixed.
    `is_catching_up` says that what comes is, or may be, of the past; `is_dated` that it is known when that was;
    `is_silent` that its past was asked for and that there was none.
    """

    is_connected: bool
    last_seq: int | None = None
    received: int = 0
    bytes: int = 0
    gaps: int = 0
    missing: int = 0
    repaired: int = 0
    duplicates: int = 0
    malformed: int = 0
    restarts: int = 0
    message: str = ""
    behind_s: float = 0.0
    waiting: int = 0
    ended: bool = False
    is_saved: bool = False
    is_contested: bool = False
    is_catching_up: bool = False
    is_dated: bool = True
    is_silent: bool = False
