"""Why what the tree knew did not hit: which component lacked its data on the way there, and since when.

      usable       states reach       windows reach     full hit
|--------|--no window--|-----no state-------|----neither------|

A hit needs a window before its end, and a recurrent state at it, where a cache keeps these. What one of them alone
would have reached is for want of the other; what neither reaches is for want of whichever was lost first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from cache_core.events import NodeSplit, Recovered, Tombstoned
from probes.lives.leaving import Call, Causes, Leaving, leaving
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from probes.newest import forget_oldest

WINDOWS, STATES = "swa", "mamba"
"""The components whose data a node may lack."""

_MOST_LOST = 1 << 16
"""Of so many losses it is remembered when they were, the newest."""

Lacking = Literal["window", "state"]


def lacking_of(components: Collection[str]) -> str:
    """Return what known tokens can lack in a cache of such components: a window, a state, or data of both kinds."""
    if "mamba" not in components:
        return "window"
    return "data" if "swa" in components else "state"


class Gap(NamedTuple):
    """Tokens [start, end) that were known and computed again for want of one kind of data.

    `left` says when that left, None where nobody saw it there.
    """

    start: int
    end: int
    lacking: Lacking
    left: Leaving | None = None


class DataLosses:
    """Remembers when nodes lost data. A node that lacked it from the start has no such time.

    Nodes that are gone stay until there are too many: no other one gets their number. `window` is how many tokens in
    a row a hit needs where the cache has windows.
    """

    __slots__ = ("_causes", "_lost", "_mirror", "window")

    def __init__(self, mirror: Mirror, causes: Causes) -> None:
        self.window = 1
        self._mirror = mirror
        self._causes = causes
        self._lost: dict[tuple[int, bool], Call] = {}

    def tombstoned(self, record: Tombstoned) -> None:
        """Note that a node lost a component's data, for whom; a state that goes with its window does not count."""
        lost, call = self._lost, self._causes.call(record.at)
        key = record.node, self._is_state(record.component)
        if key[1] and lost.get((record.node, False)) is call:
            return
        lost.pop(key, None)
        lost[key] = call
        if len(lost) > _MOST_LOST:
            forget_oldest(lost)

    def recovered(self, record: Recovered) -> None:
        """Note that a node has a component's data again."""
        self._lost.pop((record.node, self._is_state(record.component)), None)

    def split(self, record: NodeSplit) -> None:
        """Note that a node was cut: both parts lost their windows, and the lower one alone had a state."""
        left = self._lost.get((record.node, False))
        if left is not None:
            self._lost[record.upper, False] = left

    def clear(self) -> None:
        """Forget everything."""
        self._lost.clear()

    def of(self, full_node: int, usable: int, known: int) -> tuple[Gap, ...]:
        """Return why [usable, known) of the path down to `full_node` did not hit, ascending, without holes."""
        path = [*self._path(full_node, usable)]
        names = self._mirror.components
        if STATES not in names:
            return (*self._no_window(path, usable, known),)
        if WINDOWS not in names:
            return (*self._no_state(path, usable, known),)
        states, windows = self._reaches(full_node, usable, known)
        start = max(usable, states, windows)
        parts: list[Gap] = []
        if start > usable:
            below = [node for node in path if node.end <= start]
            reached = self._no_window if states >= windows else self._no_state
            parts += reached(below, usable, start)
        if start < known:
            beyond = [node for node in path if node.end > start]
            parts += self._neither(beyond, start, known)
        return (*parts,)

    def _is_state(self, component: int) -> bool:
        return self._mirror.component_name(component) == STATES

    def _path(self, full_node: int, usable: int) -> Iterator[MirrorNode]:
        """Yield the nodes that end beyond `usable` on the path down to a node, from below."""
        node = self._mirror.nodes.get(full_node)
        while node is not None and node.end > usable and node.parent is not None:
            yield node
            node = node.parent

    def _no_window(self, path: list[MirrorNode], start: int, end: int) -> list[Gap]:
        """Return what lacked a window: up to where a hit would go if none had been lost, and what lies behind."""
        lost = [call for node in path if (call := self._lost.get((node.id, False))) is not None]
        reach = self._reach(path, start, end) if lost else start
        if reach <= start:
            return [Gap(start, end, "window")]
        gone = Gap(start, reach, "window", leaving(max(lost, key=lambda call: call.at)))
        return [gone, Gap(reach, end, "window")] if reach < end else [gone]

    def _reach(self, path: list[MirrorNode], start: int, end: int) -> int:
        """Return where in [start, end] a hit on a path, from below, would end if no window had been lost."""
        reach, missing = end, self.window
        for node in path:
            if self._lacks_window(node) and (node.id, False) not in self._lost:
                reach, missing = node.start, self.window
            else:
                missing -= min(node.end, end) - node.start
                if missing <= 0:
                    break
        return max(start, reach)

    def _lacks_window(self, node: MirrorNode) -> bool:
        names = self._mirror.components
        if WINDOWS not in names:
            return self._mirror.lacks_state(node)
        return not (node.live | node.copied) >> names.index(WINDOWS) & 1

    def _no_state(self, path: list[MirrorNode], start: int, end: int) -> list[Gap]:
        """Return what lacked a state: up to the deepest one that was lost, and what lies behind that."""
        for node in path:
            call = self._lost.get((node.id, True))
            if call is not None and start < node.end <= end:
                lost = Gap(start, node.end, "state", leaving(call))
                return [lost, Gap(node.end, end, "state")] if node.end < end else [lost]
        return [Gap(start, end, "state")]

    def _neither(self, path: list[MirrorNode], start: int, end: int) -> list[Gap]:
        """Return what no component reaches: for want of what was lost first, else of states: windows go by them."""
        windows, states = self._no_window(path, start, end), self._no_state(path, start, end)
        window, state = windows[0].left, states[0].left
        return windows if window is not None and (state is None or window.at <= state.at) else states

    def _reaches(self, full_node: int, usable: int, known: int) -> tuple[int, int]:
        """Return how far states alone, and windows alone, would have let a hit go."""
        names = self._mirror.components
        state, window = 1 << names.index(STATES), 1 << names.index(WINDOWS)
        states = windows = usable
        run, is_whole = 0, True
        for node in reversed([*self._path(full_node, 0)]):
            is_live = node.live & window != 0
            run, is_whole = (run + node.length if is_live else 0), is_whole and is_live
            if usable < node.end <= known:
                states = node.end if node.live & state else states
                windows = node.end if is_whole or run >= self.window else windows
        return states, windows
