"""Blocks by the request that touched them last: a tree of runs, in which a walk costs per run and not per block.

A request touches its path from the root on, so what it touched last and nobody after it is one contiguous run of its
path, a Run. Later requests take blocks from the start of a run, as far as they share the prefix; an eviction takes
them from its end, because deeper blocks are the older ones of a request. A run hangs in a fork: the blocks that
follow one prefix, other than the one that whoever passed last went on with.

    request 9   [ a b c d e f )                      run 9 = a..f
    request 5         `-- [ x y z )   a fork at 3    run 5 = x..z, what is left of a b c x y z

Positions and lengths are in bytes of a path here, which is what comparing them costs least in.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque

ID_BYTES = 8
"""The size of an id in a path."""

Fork = dict[bytes, "Run"]
"""The runs that go on behind one prefix, by their first id."""

_SMALL = 256
"""So many bytes are compared as one number; more are halved first."""


class Run:
    """What is left of the path of one request: its ids from `start` on. Empty `ids` mean that nothing is.

    `depths` says where in (start, end] its `forks` are, ascending; `home` is the fork that it hangs in. `order` and
    `ends` belong to whoever has the tree.
    """

    __slots__ = ("depths", "ends", "forks", "home", "ids", "order", "start")

    def __init__(self, ids: bytes, order: int, home: Fork) -> None:
        self.ids = ids
        self.start = 0
        self.order = order
        self.home = home
        self.depths: list[int] = []
        self.forks: list[Fork] = []
        self.ends: tuple[int, ...] = ()

    def keep(self, size: int) -> None:
        """Give up all but the first so many bytes, behind which nothing hangs any more."""
        depths, end = self.depths, self.start + size
        while depths and depths[-1] > end:
            depths.pop()
            self.forks.pop()
        if not size:
            del self.home[self.ids[:ID_BYTES]]
        self.ids = self.ids[:size]


class RecencyTree:
    """Every path touched so far, less what was given up, as runs."""

    def __init__(self) -> None:
        self.homes: dict[str | None, Fork] = {}
        self.taken: list[tuple[Run, int]] = []
        """The runs that the last touch took bytes from, and how many, from the root on."""

    def touch(self, path: bytes, namespace: str | None, order: int) -> Run:
        """Make the whole path, which is not empty, the run of this request and return it.

        What of it was there is in `taken`. Orders grow.
        """
        home = self.homes.get(namespace)
        if home is None:
            home = self.homes[namespace] = {}
        taken = self.taken
        taken.clear()
        key = path[:ID_BYTES]
        met = home.get(key)
        home[key] = new = Run(path, order, home)
        at = 0
        while met is not None:
            ids = met.ids
            if path.startswith(ids, at):
                taken.append((met, len(ids)))
                at += len(ids)
                met.ids = b""
                fork = _hand_over(met, new, at)
                if fork is None:
                    break
            else:
                size = common_size(ids, path, at)
                taken.append((met, size))
                at += size
                fork = _cut(met, new, at, ids[size:])
            met = fork.pop(path[at : at + ID_BYTES], None)
        return new

    def make_room(self, queue: deque[Run], size: int) -> None:
        """Drop so many bytes of the oldest runs, which `queue` begins with."""
        while size:
            run = queue[0]
            held = len(run.ids)
            if held > size:
                run.keep(held - size)
                return
            if held:
                run.keep(0)
                size -= held
            queue.popleft()

    def forget_empty(self) -> None:
        """Let go of namespaces that hold nothing."""
        for namespace in [name for name, home in self.homes.items() if not home]:
            del self.homes[namespace]


def _hand_over(met: Run, new: Run, end: int) -> Fork | None:
    """Give all forks of a run that is gone to `new`; return the one at its end, if there is one."""
    forks = met.forks
    if not forks:
        return None
    if all(forks):
        new.depths += met.depths
        new.forks += forks
    else:
        _hand_over_filled(met, new, len(forks))
    return new.forks[-1] if new.depths and new.depths[-1] == end else None


def _hand_over_filled(met: Run, new: Run, count: int) -> None:
    """Give the first so many forks to `new`, without those that everything left."""
    for depth, fork in zip(met.depths[:count], met.forks[:count], strict=True):
        if fork:
            new.depths.append(depth)
            new.forks.append(fork)


def _cut(met: Run, new: Run, end: int, rest: bytes) -> Fork:
    """Leave `met` the rest of its ids, hung into a fork at `end` of `new`, which gets the forks before it."""
    depths, forks = met.depths, met.forks
    fork: Fork = {}
    if depths:
        count = bisect_left(depths, end)
        if count:
            _hand_over_filled(met, new, count)
        if count < len(depths) and depths[count] == end:
            fork = forks[count]
            count += 1
        del depths[:count], forks[:count]
    new.depths.append(end)
    new.forks.append(fork)
    fork[rest[:ID_BYTES]] = met
    met.ids, met.start, met.home = rest, end, fork
    return fork


def common_size(ids: bytes, path: bytes, at: int) -> int:
    """Return how many bytes of whole ids `ids` has in common with the path from `at` on; they are not all of it."""
    low, high = 0, min(len(ids), len(path) - at)
    while high - low > _SMALL:
        middle = (low + high) // (2 * ID_BYTES) * ID_BYTES
        if path.startswith(ids[low:middle], at + low):
            low = middle
        else:
            high = middle
    here, there = ids[low:high], path[at + low : at + high]
    differ = int.from_bytes(here, "big") ^ int.from_bytes(there, "big")
    return (high - (differ.bit_length() + 7) // 8) // ID_BYTES * ID_BYTES
