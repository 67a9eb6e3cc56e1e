"""The recurrent states of one request: the one it works on, and checkpoints on their way into the tree.

        0        protected      kept          length
        |--tree's----|-----------|---------------|
                                 checkpoint      working state

A recurrent layer cannot go back: what it knows after `length` tokens does not say what it knew before. So while a
prefix is computed its state is stored at a position of the grid, and only up to there is the prefix written back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cache_core.branching import branching_point
from cache_core.errors import OutOfSlotsError
from cache_core.eviction import make_room

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.components.mamba import Mamba, StateNode
    from cache_core.request import Request


class States:
    """Slots of the states of a request; 0 stands for none.

    `slot` holds the state after all tokens computed so far. `source` is the state of the node that was hit: the
    first forward starts from a copy of it. `due` is where, inside the tokens just taken, the state must also be
    stored in `checkpoint_slot`; `kept` is the position of the checkpoint that is not yet in the tree. `branch` is
    where a stored prefix goes on that had no state: the next request that comes this far shall find one.
    """

    __slots__ = ("branch", "cache", "checkpoint_slot", "due", "kept", "mamba", "slot", "source")

    def __init__(self, cache: PrefixCache, mamba: Mamba, node: StateNode, full_hit: int, usable: int) -> None:
        self.cache = cache
        self.mamba = mamba
        self.slot = 0
        self.source = node.mamba_slot
        self.checkpoint_slot = 0
        self.due = 0
        self.kept = 0
        self.branch = branching_point(full_hit, usable, mamba.grid) if cache.config.branching else None

    def require_working_slot(self) -> bool:
        """Take the working slot if the request has none, and say whether it had none. Raises OutOfSlotsError."""
        if self.slot:
            return False
        self.slot = self.mamba.take_slot()
        if not self.slot:
            raise OutOfSlotsError(
                f"mamba pool: 1 slot wanted, none of {self.mamba.pool.total} free or evictable; "
                "finish something, or make mamba_slots larger"
            )
        return True

    def give_up_working_slot(self) -> None:
        """Give the working slot back: there is no room for the tokens that it was taken for."""
        self.mamba.give_slot(self.slot)
        self.slot = 0

    def plan(self, start: int, end: int, asker: Request) -> None:
        """Choose where in (start, end] of a request a checkpoint is due: at the branch, else the last of the grid."""
        branch = self.branch
        at = branch if branch is not None and start < branch <= end else end - end % self.mamba.grid
        self.due = at if at > start and self._has_checkpoint_slot(asker) else 0
        if self.due:
            self.kept = self.due

    def _has_checkpoint_slot(self, asker: Request) -> bool:
        if not self.checkpoint_slot:
            make_room(self.cache, 0, 1, asker)
            self.checkpoint_slot = self.mamba.take_slot()
        return self.checkpoint_slot != 0

    def fills_branch(self) -> bool:
        """Say whether the checkpoint that waits is at the branch, or past it."""
        return self.branch is not None and self.branch <= self.kept

    def donate(self) -> int:
        """Hand over the checkpoint's slot: the insert that takes it ends where the checkpoint is."""
        slot, self.checkpoint_slot = self.checkpoint_slot, 0
        if self.fills_branch():
            self.branch = None
        self.kept = self.due = 0
        return slot

    def forget_source(self) -> None:
        """Note that the first forward is over, if there was one: the node's state is no longer needed, nor held."""
        if self.slot:
            self.source = 0

    def end(self) -> None:
        """Free what the request still has."""
        for slot in (self.slot, self.checkpoint_slot):
            if slot:
                self.mamba.give_slot(slot)
        self.slot = self.checkpoint_slot = 0
