"""Goes to any moment of footage and plays on from there, a bounded piece of the work at a time.

On the way to a moment the figures of the last one stay. What answers first is what is read soonest: from the start
if that is near, else from a snapshot, and from a far one the tree alone; then what windows and sums lack is read from
further back, while one looks at the tree. A passage that has more takes the place of the one that is shown once it
has come as far.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from probes.mirror import Mirror
from probes.recordings.tally import SnapshotPlace
from probes.snapshot import Snapshot
from probes.travel.footage import Footage
from probes.travel.passage import Passage

TURN_NS = 30_000_000
"""How long a tick reads at most, so that whoever ticks can answer in between."""

QUICK_BYTES = 12_000_000
"""So much is read in about half a second: what is this near is not left for later."""

WINDOWS_NS = 62_000_000_000
"""From so long before a moment on, everything in its windows was seen."""

MOST_NODES = 200_000
"""With more nodes in the tree no second one is made beside it: sums then count from where the passage began."""

_TREE, _NEAR, _WINDOWED, _WHOLE = range(4)
"""What a passage knows: the tree; samples from some time on; all that is in the windows; all that is in the sums."""


@dataclass(frozen=True, slots=True)
class _Route:
    """A way to a moment: what one knows there, how much is to be read, and from where on or who has begun."""

    knows: int
    cost_bytes: int
    place: SnapshotPlace | None = None
    begun: Passage | None = None

    def start(self, footage: Footage) -> Passage:
        """Return who goes there."""
        return self.begun or Passage(footage, self.place, tree_only=self.knows == _TREE)


class Travel:
    """Where one is in footage. `tick` moves on; the rest says where to. All of it belongs to one thread."""

    def __init__(
        self, footage: Footage, shown: Passage | None = None, clock: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self.speed = 1.0
        self.is_paused = False
        self._footage = footage
        self._clock = clock
        self._shown = shown or Passage(footage)
        self._at = self._shown.reached
        self._shown_at = self._at
        self._heading: Passage | None = None
        self._heading_from = 0
        self._better: list[_Route] = []
        self._refining: Passage | None = None
        self._ticked = clock()

    @property
    def at(self) -> int:
        """The moment that is shown."""
        if self._heading is self._shown:
            return min(self._at, self._shown.reached)
        return self._at if self._heading is None else self._shown_at

    @property
    def heading_for(self) -> int | None:
        """The moment that one is on the way to, if any."""
        return None if self._heading is None else self._at

    @property
    def progress(self) -> float:
        """How much of the way there is done (0..1)."""
        if self._heading is None:
            return 1.0
        way = max(1, self._at - self._heading_from)
        return min(1.0, max(0.0, (self._heading.reached - self._heading_from) / way))

    @property
    def is_at_end(self) -> bool:
        """Whether everything there is was shown."""
        return self._heading is None and self._shown.next_at is None

    @property
    def is_busy(self) -> bool:
        """Whether there is something to read although time stands still."""
        return self._heading is not None or self._refining is not None or bool(self._better)

    @property
    def is_tree_only(self) -> bool:
        """Whether the tree is known and the samples are still to come."""
        return self._shown.tree_only

    @property
    def counted_from(self) -> int | None:
        """From when on the sums that are shown count; None for the start."""
        return self._shown.counted_from

    @property
    def mirror(self) -> Mirror:
        """The tree of the moment that is shown."""
        return self._shown.mirror

    def play(self) -> None:
        """Let time pass."""
        self._pass_time()
        self.is_paused = False

    def pause(self) -> None:
        """Let time stand still."""
        self._pass_time()
        self.is_paused = True

    def set_speed(self, speed: float) -> None:
        """Let time pass so many times as fast."""
        self._pass_time()
        self.speed = speed

    def step(self) -> None:
        """Stand still at the next block."""
        self.pause()
        at = self._shown.next_at
        if self._heading is None and at is not None:
            self._at = max(self._at, at)

    def step_back(self) -> None:
        """Stand still at the block before the one that is shown."""
        self.pause()
        if self._heading is None:
            self.seek(min(self._at, self._shown.before))

    def skip(self, by_ns: int) -> None:
        """Go so much further, or back."""
        self._pass_time()
        self.seek(self._at + by_ns)

    def seek(self, at: int) -> None:
        """Go to a moment, or to the nearest one that is kept; stay where nothing is."""
        self._pass_time()
        footage = self._footage
        at = max(footage.kept_from, min(at, max(footage.end, self._shown.reached)))
        ways = self._ways(at)
        if not ways:
            return
        first, self._better = self._choose(ways)
        self._shown_at = self.at
        self._heading = first.start(footage)
        self._heading_from = self._heading.reached
        self._refining = None
        self._at = at

    def tick(self) -> Snapshot:
        """Go on for a turn, and return every sample of the moment that is shown."""
        self._pass_time()
        deadline = self._clock() + TURN_NS

        def may_go_on() -> bool:
            return self._clock() < deadline

        if self._heading is not None:
            self._head_on(self._heading, may_go_on)
        elif not self._shown.is_kept and self._shown.reached < self._footage.kept_from <= self._at:
            self.seek(self._at)  # what comes next is not kept any more: go on from where something is
        elif not self._shown.wind(self._at, may_go_on):
            self._at = max(self._shown.reached, min(self._at, self._shown.next_at or self._at))
        self._stop_at_end()
        if self._heading is None:
            self._refine(may_go_on)
        return self._shown.snapshot(self.at)

    def _pass_time(self) -> None:
        now = self._clock()
        elapsed, self._ticked = now - self._ticked, now
        if self.is_paused or self._heading is not None:
            return
        self._at += int(elapsed * self.speed)
        self._stop_at_end()

    def _stop_at_end(self) -> None:
        if self._heading is None and self._shown.next_at is None:
            self._at = min(self._at, max(self._footage.end, self._shown.reached))

    def _head_on(self, passage: Passage, may_go_on: Callable[[], bool]) -> None:
        if not passage.is_kept:
            self._heading = None
            self.seek(self._at)
        elif passage.wind(self._at, may_go_on):
            self._shown, self._heading = passage, None

    def _refine(self, may_go_on: Callable[[], bool]) -> None:
        """Let who knows more come as far as what is shown, and show that."""
        if self._refining is None and self._better:
            self._refining = self._better.pop(0).start(self._footage)
        passage = self._refining
        if passage is None:
            return
        if not passage.is_kept:
            self._refining = None
        elif passage.wind(self._at, may_go_on):
            self._shown, self._refining = passage, None

    def _choose(self, ways: list[_Route]) -> tuple[_Route, list[_Route]]:
        """Return the way that answers soon, and those that bring more, in that order."""
        routes = sorted(ways, key=lambda route: route.cost_bytes)
        near = [route for route in routes if route.cost_bytes <= QUICK_BYTES]
        first = max(near, key=lambda route: route.knows) if near else routes[0]
        if not near and first.begun is None:
            first = replace(first, knows=_TREE)
        if len(self._shown.mirror.nodes) > MOST_NODES:
            return first if first.knows != _TREE else routes[0], []
        more = (_NEAR, _WINDOWED, _WHOLE)
        found = (next((route for route in routes if route.knows == knows > first.knows), None) for knows in more)
        return first, [route for route in found if route is not None]

    def _ways(self, at: int) -> list[_Route]:
        footage, offset = self._footage, self._footage.offset_of(at)
        begun = {self._shown, self._refining or self._shown, self._heading or self._shown}
        ways = [
            _Route(_worth(passage.counted_from, at), offset - passage.offset, begun=passage)
            for passage in begun
            if passage.reached <= at and passage.is_kept and not passage.tree_only
        ]
        if footage.has_start:
            ways.append(_Route(_WHOLE, offset - footage.extent()[0][1]))
        places = (footage.place_before(at), footage.place_before(at - WINDOWS_NS))
        ways += [_Route(_worth(place.began_at, at), offset - place.offset, place) for place in places if place]
        return ways


def _worth(counted_from: int | None, at: int) -> int:
    if counted_from is None:
        return _WHOLE
    return _WINDOWED if counted_from <= at - WINDOWS_NS else _NEAR
