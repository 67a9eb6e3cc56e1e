"""The twin's operations of callers without requests: slots and states in their hands, inserts, evictions."""

from __future__ import annotations

from array import array

import pytest

from cache_core import DoubleFreeError, OutOfSlotsError
from tests.support.naive_results import NaiveEviction
from tests.support.naive_tree import Namespace, Tokens
from tests.support.twin_base import NAMESPACES, Lent, TwinBase


class TwinSlots(TwinBase):
    """Allocate, insert, free, evict."""

    def allocate(self, count: int) -> None:
        need = self.naive.up(count % self.reach + 1)
        full_evictable, _, swa_evictable, _ = self.naive.pool_tokens()
        possible = need <= self.naive.full_free + full_evictable
        if self.window is not None:
            possible = possible and need <= self.naive.swa_free + swa_evictable
        if possible:
            self.naive.make_room(need)
            possible = self.naive.take(need)
        if not possible:
            with pytest.raises(OutOfSlotsError):
                self.real.allocate(need)
            self.seen["out of slots"] += 1
            return
        slots = self.real.allocate(need)
        assert len(slots) == need
        self.lent.append(Lent(slots))

    def free(self, which: int) -> None:
        if self.lent:
            lent = self.lent.pop(which % len(self.lent))
            self.real.free(lent.slots)
            self.naive.give_back(0, len(lent.slots), lent.windowless)
            with pytest.raises(DoubleFreeError):
                self.real.free(lent.slots)

    def free_window(self, which: int, pages: int) -> None:
        if self.window is not None and self.lent:
            lent = self.lent[which % len(self.lent)]
            until = min(len(lent.slots), lent.windowless + pages % 3 * self.page)
            self.real.free_window(lent.slots[lent.windowless : until])
            self.naive.swa_free += until - lent.windowless
            lent.windowless = until

    def allocate_state(self) -> None:
        if not self.mamba or len(self.states) > 2:
            return
        self.naive.make_room(0, states=1, window_tokens=0)
        if not self.naive.take(0, states=1, window_tokens=0):
            with pytest.raises(OutOfSlotsError):
                self.real.allocate_state()
            self.seen["out of slots"] += 1
            return
        self.states.append(self.real.allocate_state())

    def free_state(self, which: int) -> None:
        if self.states:
            slot = self.states.pop(which % len(self.states))
            self.real.free_state(slot)
            self.naive.state_free += 1
            with pytest.raises(DoubleFreeError):
                self.real.free_state(slot)

    def fail(self, which: int) -> None:
        """Make the next allocation of a pool fail, whoever makes it."""
        names = list(self.pools)
        self.naive.failing = names[which % len(names)]
        for name, pool in self.pools.items():
            pool.fail_next(name == self.naive.failing)

    # ---- inserts

    def insert(self, which: int, doc: int, length: int, tail: int, tail_length: int, ns: int) -> None:
        """Insert slots that were allocated before, under a key of no more units than they are."""
        if not self.lent:
            return
        lent = self.lent.pop(which % len(self.lent))
        space = NAMESPACES[ns % 5]
        tokens = self.tokens(doc, length, tail, tail_length)[: len(lent.slots) + self.config.bigram]
        whole = self.whole(tokens)
        self.compute(lent.slots[:whole], tokens, space)
        state = self.state_for(tokens[:whole], space)
        real = self.real.insert(
            self.key(tokens, space), lent.slots, swa_from=lent.windowless, priority=doc, state_slot=state
        )
        present, _ = self.naive.insert(tokens, space, 0, lent.windowless, doc, state=state > 0)
        assert real.present_tokens == present
        assert (real.node.end, real.branch_inserted) == (whole, None)
        if whole < len(lent.slots):
            self.lent.append(Lent(lent.slots[whole:], max(0, lent.windowless - whole)))

    def state_for(self, tokens: Tokens, space: Namespace) -> int:
        """Store the state after all of `tokens` in a slot in our hands, if there is one; return the slot or 0."""
        if not self.states or not tokens:
            return 0
        slot = self.states.pop()
        self.shadow.write_state(slot, tokens, space)
        return slot

    def compute(self, slots: array[int], tokens: Tokens, space: Namespace, start: int = 0) -> None:
        """Compute positions from `start` on into slots of `allocate`, and into their window peers."""
        self.before_writing()
        peers = dict(self.real.loans.pairs())
        self.shadow.write("full", slots, tokens, space, start)
        self.shadow.write("swa", [peers[slot] for slot in slots], tokens, space, start)

    def before_writing(self) -> None:
        """Do what must be done before slots are written to."""

    def insert_behind_hit(self, doc: int, length: int, tail: int, tail_length: int, ns: int) -> None:
        """Match, lock, allocate what is missing, insert, unlock: what a user without requests does."""
        tokens, space = self.tokens(doc, length, tail, tail_length), NAMESPACES[ns % 5]
        self.match(doc, length, tail, tail_length, ns)
        real, naive = self.found.pop()
        missing = self.whole(tokens) - naive.hit
        receipt, held = self.real.lock(real.node), self.naive.lock(naive.node)
        before = len(self.lent)
        if missing:
            self.lent_exactly(missing)
        if len(self.lent) > before or not missing:
            slots = real.slots() + (self.lent.pop().slots if missing else array("i"))
            self.compute(slots[naive.hit :], tokens, space, naive.hit)
            state = self.state_for(tokens[: self.whole(tokens)], space)
            done = self.real.insert(self.key(tokens, space), slots, owned_tokens=naive.hit, state_slot=state)
            present, _ = self.naive.insert(tokens, space, naive.hit, state=state > 0)
            assert done.present_tokens == present
        self.real.unlock(receipt)
        self.naive.unlock(held)

    def lent_exactly(self, need: int) -> None:
        """Allocate a number of slots that may be larger than `allocate` would choose."""
        reach, self.reach = self.reach, need
        self.allocate(need - 1)
        self.reach = reach

    # ---- evictions

    def evict(self, full: int, swa: int, states: int) -> None:
        """Evict some of each kind; three in four ask for no states."""
        full, swa = full % (self.reach // 2), swa % (self.reach // 2) if self.window is not None else 0
        states = states // 4 % 3 if self.mamba and not states % 4 else 0
        real = self.real.evict(full_tokens=full, swa_tokens=swa, mamba_states=states)
        gone = self.naive.evict(full, swa, states)
        took = NaiveEviction(real.full_tokens, real.swa_tokens, real.victims, real.cascades, real.mamba_states)
        assert took == gone
