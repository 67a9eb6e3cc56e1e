"""What is known of every rank that is watched, as of one moment: the record that a fleet makes of itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from probes.kv_mirror.turnover import NO_TURNOVER, Turnover
from probes.snapshot import LinkState

if TYPE_CHECKING:
    from probes.kv_feed.happenings import FeedState
    from probes.kv_mirror.badge import Badge


class RankName(NamedTuple):
    """A rank by the name of its server, as it was asked for, and its data-parallel number.

    That is SERVER for a server that has told of none yet: its line says why.
    """

    server: str
    rank: int


@dataclass(frozen=True, slots=True)
class RankState:
    """One rank. What its server does not say is None; `message` says what is wrong and what to do, `remark` what is
    with its server as a whole.

    `is_waiting` says that its first answer is awaited, and nothing has failed. `badge` is how far the blocks can be
    believed, None before any were told. Tokens are of its KV events: those that are on the device or on the host now,
    and those that came to the device and went from it since they are counted. `told_at` (ns of the reader's clock) is
    when the newest batch was published, as far as that is known. Until it `is_read`, what it told before is on its
    way and its tokens are of a moment long ago.
    """

    name: RankName
    engine: str
    state: LinkState
    message: str = ""
    badge: Badge | None = None
    model: str | None = None
    version: str | None = None
    capacity_tokens: int | None = None
    device_blocks: int = 0
    device_tokens: int = 0
    host_tokens: int = 0
    stored_tokens: int = 0
    removed_tokens: int = 0
    told_at: int | None = None
    feed: FeedState | None = None
    is_waiting: bool = False
    remark: str = ""
    is_read: bool = True
    turnover: Turnover = NO_TURNOVER

    @property
    def is_up(self) -> bool:
        """Whether it is followed, or was read to its end."""
        return self.state in ("live", "ended")

    @property
    def is_away(self) -> bool:
        """Whether it cannot be reached, or is gone."""
        return not self.is_up and not self.is_waiting


@dataclass(frozen=True, slots=True)
class Prefix:
    """Prompts that begin alike: `name` stands for their beginning, `tokens` are those that each rank has of them."""

    name: int
    tokens: tuple[int, ...]

    @property
    def holders(self) -> int:
        """How many ranks have any of it."""
        return sum(map(bool, self.tokens))


@dataclass(frozen=True, slots=True)
class Overlap:
    """What ranks have in common, in tokens on the device. All of it is in the order of `names`.

    `shared[a][b]` have both, `shared[a][a]` has a; `alone` has nobody else. `distinct` counts each token once,
    however many ranks have it. `prefixes` are the heaviest. It is exact as far as the badges are "complete".
    """

    names: tuple[RankName, ...]
    shared: tuple[tuple[int, ...], ...]
    alone: tuple[int, ...]
    distinct: int
    prefixes: tuple[Prefix, ...] = ()

    def ordered(self, names: Iterable[RankName]) -> Overlap:
        """Return the same in the order of `names`, which has all of its ranks."""
        places = {name: place for place, name in enumerate(self.names)}
        order = [places[name] for name in names if name in places]
        return Overlap(
            tuple(self.names[place] for place in order),
            tuple(tuple(self.shared[row][place] for place in order) for row in order),
            tuple(self.alone[place] for place in order),
            self.distinct,
            tuple(Prefix(one.name, tuple(one.tokens[place] for place in order)) for one in self.prefixes),
        )

    @property
    def held(self) -> int:
        """Tokens on all ranks together, a copy on each of two counted twice."""
        return sum(row[place] for place, row in enumerate(self.shared))

    @property
    def duplicates(self) -> int:
        """Tokens held in copies beyond the first: `held` minus `distinct`."""
        return self.held - self.distinct


class FleetFigures(NamedTuple):
    """Every rank as of `at` (ns of the reader's clock); `followed` is the one whose tree is told in records."""

    at: int
    ranks: tuple[RankState, ...]
    followed: RankName | None
    overlap: Overlap | None = None
