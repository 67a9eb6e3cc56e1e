"""Counts a fleet once a second: how each rank is doing, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from probes.fleet.figures import FleetFigures, Prefix, RankName, RankState
from probes.fleet.link import Link, Member
from probes.fleet.naming import naming
from probes.fleet.rank_blocks import RankBlocks
from probes.fleet.shared import SharedBlocks
from probes.kv.wire import DEVICE, HOST
from probes.kv_mirror.places import full_of
from probes.scrapes.figures import SERVER
from probes.window import SECOND_NS

_SPARING = 50
"""Prefixes are looked through again after so many times what that took: two per cent of the time at most."""

_MOST_NAMED = 2


class Census:
    """What `links` and their members tell."""

    def __init__(self, links: Sequence[Link], clock: Callable[[], int]) -> None:
        self._links = links
        self._clock = clock
        self._shared = SharedBlocks()
        self._compared = 0
        self._models: dict[str | None, int] = {}
        self._states: tuple[RankState, ...] = ()
        self._prefixes: tuple[Prefix, ...] = ()
        self._due = self._prefixes_due = 0

    def enlist(self, members: Iterable[Member]) -> None:
        """Count the blocks of some ranks with those of the others; nothing of them may have been read yet."""
        for member in members:
            follower, facts = member.follower, member.follower.facts
            model = self._models.setdefault(_text(facts.get("model")), len(self._models))
            names = naming(str(facts.get("engine")), _text(facts.get("version")), model)
            follower.listen(RankBlocks(self._shared, member.name, follower.rank.blocks, names))
            self._compared += 1

    def due(self, now: int, followed: RankName | None) -> list[FleetFigures]:
        """Return the figures of this second, if they were not returned before."""
        if now < self._due:
            return []
        self._due = now + SECOND_NS
        self._states = (*self._counted(),)
        overlap = None
        if self._compared > 1:  # they were found in any order
            overlap = self._shared.overlap(self._heaviest(now)).ordered(state.name for state in self._states)
        return [FleetFigures(now, self._states, followed, overlap)]

    def hurry(self) -> None:
        """Let the next figures be of now, not of the next second."""
        self._due = 0

    def _heaviest(self, now: int) -> tuple[Prefix, ...]:
        """Return the heaviest prefixes as they were when it was last time to look through all."""
        if now >= self._prefixes_due:
            began = self._clock()
            self._prefixes = self._shared.heaviest_prefixes()
            self._prefixes_due = now + _SPARING * (self._clock() - began)
        return self._prefixes

    def away(self, but: RankName | None = None) -> str:
        """Return which ranks are not there, besides one, and in a few words why; "" when all are."""
        away = [state for state in self._states if not state.is_up and state.name != but]
        if not away:
            return ""
        more = f" and {len(away) - _MOST_NAMED} more" if len(away) > _MOST_NAMED else ""
        return f"away: {', '.join(map(_named, away[:_MOST_NAMED]))}{more}"

    def _counted(self) -> Iterator[RankState]:
        for link in self._links:
            if not link.members:
                state = link.state()
                name = RankName(link.name, SERVER)
                yield RankState(name, link.engine, state.state, state.message, is_waiting=state.is_waiting)
            for member in link.members:
                yield _state(member, link, self._clock())


def _state(member: Member, link: Link, now: int) -> RankState:
    follower, facts = member.follower, member.follower.facts
    standing, places = follower.standing(), follower.rank.blocks.places
    on_device = full_of(places, DEVICE)
    return RankState(
        name=member.name,
        engine=link.engine,
        state=standing.state,
        message=standing.message,
        remark=link.remark(),
        badge=follower.badge,
        model=_text(facts.get("model")),
        version=_text(facts.get("version")),
        capacity_tokens=capacity if isinstance(capacity := facts.get("full_slots"), int) else None,
        device_blocks=on_device.blocks,
        device_tokens=on_device.tokens,
        host_tokens=full_of(places, HOST).tokens,
        stored_tokens=on_device.came_tokens,
        removed_tokens=on_device.went_tokens,
        told_at=follower.told_at,
        feed=follower.feed_state(),
        is_waiting=standing.is_waiting,
        is_read=follower.is_read,
        turnover=follower.turnover(now),
    )


def _named(state: RankState) -> str:
    """Return where a rank is and, in brackets, why it is not there: of its message what comes before the advice."""
    server, rank = state.name
    place = server.partition("://")[2] or server
    said = state.message.partition("; ")[0].partition(": ")[0]
    words = (word for word in said.split() if place not in word)
    why = " ".join(words).removesuffix(" at") or state.state
    return f"{place if rank == SERVER else f'{place} rank {rank}'} ({why})"


def _text(fact: object) -> str | None:
    return fact if isinstance(fact, str) else None
