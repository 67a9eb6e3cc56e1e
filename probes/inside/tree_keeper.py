"""Keeps the tree of a cache within an allowance of the engine's time: what there is no time for is settled later.

A burst is caught up with; a load that is always too dear costs the tree. A cache that is emptied has one again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import thread_time_ns

from cache_core.events import RawRecord
from probes.inside.allowance import TREE_BUDGET, TREE_SHARE, Allowance, share_from
from probes.inside.structure import Ends, Happened, Structure
from probes.inside.wrapping import clock
from probes.recorder import FlightRecorder

MOST_BLOCKS = 1 << 20
"""Blocks of a tree; one that grows beyond is let go. A block takes about 150 bytes here."""

MOST_LATE_BLOCKS = 1 << 18
MOST_LATE_NS = 60_000_000_000
"""When more waits to be settled, or for longer, the tree is let go."""

LATE_NS = 1_000_000_000
"""A tree so far behind is said to be late."""

Waiting = deque[RawRecord | Happened | Ends]


class TreeKeeper:
    """Settles what happened to a tree. `say` shows the readers a text about it."""

    def __init__(
        self,
        structure: Structure,
        recorder: FlightRecorder,
        say: Callable[[str], None],
        allowance: Allowance | None = None,
    ) -> None:
        self.structure = structure
        self.spent_ns = 0
        """What the engine's thread took for events; added to by that alone."""
        self._counted_ns = 0
        self._recorder = recorder
        self._say = say
        self._allowance = allowance or Allowance(share_from(TREE_SHARE, TREE_BUDGET), clock())
        self._late: deque[Happened | Ends] = deque()
        self._late_blocks = 0
        self._fault = ""
        self._is_dear = False
        self._said_late = False

    def let_go(self, why: str) -> None:
        """Keep no tree any more from the next time on that something is settled; say why."""
        self._fault = self._fault or why

    def may_begin_again(self) -> bool:
        """Say whether the tree was let go for its cost alone."""
        return self._is_dear and not self.structure.is_told

    def begin_again(self) -> None:
        """Keep the tree of the cache, which is empty now."""
        self._fault, self._is_dear = "", False
        self.structure.begin_again()
        self._recorder.know_tree(True)
        self._say("")

    def settle(self, waiting: Waiting, records: list[RawRecord]) -> None:
        """Hand over the records that wait, and bring the tree up to what happened as far as there is time."""
        now, began = clock(), thread_time_ns()
        spent_ns = self.spent_ns - self._counted_ns
        self._counted_ns += spent_ns
        self._judge(now)
        until = now + self._allowance.left_ns(now) - spent_ns
        structure, late = self.structure, self._late
        while late and clock() < until:
            item = late.popleft()
            self._late_blocks -= _blocks(item)
            self._settle(item)
        while waiting:
            record = waiting.popleft()
            if isinstance(record, tuple):
                records.append(structure.numbered(record))
            elif not structure.is_told:
                continue
            elif late or clock() >= until:
                self._put_off(record)
            else:
                self._settle(record)
        spent_ns += thread_time_ns() - began
        self._allowance.take(spent_ns)
        self._recorder.spent_besides(spent_ns)

    def _settle(self, item: Happened | Ends) -> None:
        """Settle one thing. An error of ours costs the tree, no more."""
        try:
            self.structure.settle(item)
        except Exception as error:  # noqa: BLE001 - whatever it was, the records go on
            self.let_go(f"{type(error).__name__}: {error}")

    def _put_off(self, item: Happened | Ends) -> None:
        self._late.append(item.bare() if isinstance(item, Happened) else item)
        self._late_blocks += _blocks(item)

    def _judge(self, now: int) -> None:
        """Let the tree go if it must go; say it when it is late, and when it is no more."""
        if not self.structure.is_told:
            return
        late_ns = now - self._late[0].at if self._late else 0
        if late_ns > MOST_LATE_NS or self._late_blocks > MOST_LATE_BLOCKS:
            share = f"{self._allowance.share:.3g}"
            self.let_go(f"it takes more than its share of the engine's thread ({TREE_SHARE}={share}: set more)")
            self._is_dear = True
        elif len(self.structure.tree) > MOST_BLOCKS:
            self.let_go(f"it has over {MOST_BLOCKS:,} blocks")
        if self._fault:
            self._late.clear()
            self._late_blocks = 0
            self.structure.let_go(now)
            self._recorder.know_tree(False)
            self._say(f"the tree is not known any more: {self._fault}")
        elif self._said_late != (late_ns > LATE_NS):
            self._said_late = not self._said_late
            self._say("the tree is behind: it gets no more of the engine's thread" if self._said_late else "")


def _blocks(item: Happened | Ends) -> int:
    return item.blocks() if isinstance(item, Happened) else 0
