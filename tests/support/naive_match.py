"""Matching and locking in the naive model: what can be reused, and what holds it in place."""

from __future__ import annotations

from tests.support.naive_results import NaiveHit, NaiveLock
from tests.support.naive_state import NaiveState
from tests.support.naive_tree import Namespace, Node, Tokens, Units


class NaiveMatching(NaiveState):
    """The walk that reads the tree, and locks."""

    def match(self, tokens: Tokens, ns: Namespace = None) -> NaiveHit:
        """Find how much of `tokens` can be reused, and refresh it."""
        return self.match_units(self.units(tokens), ns)

    def match_units(self, units: Units, ns: Namespace) -> NaiveHit:
        """Walk as far as Full data goes, on either tier; a usable end has what every component needs.

        With Full data alone whatever is there is usable, and it is stamped on the way.
        """
        units = units[: self.down(len(units))]
        node, walked, was_cut = self.root_of(ns), 0, False
        if not units:
            return NaiveHit(0, 0, None, node, 0, node)
        on_device = best = node
        stamp = self.now() if self.full_alone else None
        while not was_cut and (entered := self.step(node, units[walked:], stamp)):
            node, was_cut = entered
            walked += len(node)
            if self.is_usable(node, with_host=False):
                on_device = node
            if self.is_usable(node, with_host=True):
                best = node
        self.refresh(best)
        if stamp is None:
            stamp = self.now()
            for on_path in best.path:
                on_path.access = stamp
        return self.found(walked, on_device, best)

    def found(self, full: int, on_device: Node, best: Node) -> NaiveHit:
        """Put a match together: a branching point lies where Full data goes on beyond what both tiers can serve."""
        usable, grid = best.end, self.config.grid
        branch = full if full > usable else None
        state_branch = full // grid * grid if self.mamba and full // grid * grid > usable else None
        if not self.config.branching:
            branch = state_branch = None
        self.seen["host hit"] += usable > on_device.end
        self.seen["host hit and a branch"] += usable > on_device.end and branch is not None
        return NaiveHit(on_device.end, full, branch, on_device, usable - on_device.end, best, state_branch)

    def is_usable(self, node: Node, with_host: bool) -> bool:
        """Say whether a match may end on `node`: Full data, a state, and a window before its end or no gap at all."""
        if not (node.full or (with_host and node.host_full)):
            return False
        if self.mamba and not (node.state or (with_host and node.host_state)):
            return False
        covered = 0
        for on_path in node.path if self.window is not None else ():
            if covered >= (self.window or 0):
                break
            if not (on_path.live or (with_host and on_path.host_live)):
                return False
            covered += len(on_path)
        return True

    # ---- locks

    def lock(self, node: Node) -> NaiveLock:
        """Hold `node` and everything above it; of the SWA data only the last window, of the states its own."""
        self.count_path(node, 1)
        if self.mamba and node.parent is not None:
            node.state_lock += 1
        if self.window is None:
            return NaiveLock(node, None)
        covered = 0
        for on_path in node.path:
            on_path.swa_lock += 1
            covered += len(on_path)
            if covered >= self.window:
                on_path.mark = on_path.mark or object()
                return NaiveLock(node, on_path.mark)
        return NaiveLock(node, None)

    def count_path(self, node: Node, by: int) -> None:
        """Add to the Full locks of `node` and everything above it."""
        for on_path in node.path:
            on_path.full_lock += by
            assert on_path.full_lock >= 0

    def unlock(self, held: NaiveLock) -> None:
        """Undo a lock, less the part that was given back early."""
        if not held.swa_released:
            self.unlock_aside(held)
        self.count_path(held.node, -1)

    def unlock_aside(self, held: NaiveLock) -> None:
        """Undo all but the Full part of a lock: SWA up to and with the marked node, or to the root."""
        if self.mamba and held.node.parent is not None:
            held.node.state_lock -= 1
            assert held.node.state_lock >= 0
        if self.window is None:
            return
        for on_path in held.node.path:
            on_path.swa_lock -= 1
            assert on_path.swa_lock >= 0
            if held.mark is not None and on_path.mark is held.mark:
                return
        assert held.mark is None, "the marked node is gone"

    def release_swa(self, held: NaiveLock) -> bool:
        """Give the SWA half back early, and the state's with it; False when there is nothing to give back."""
        if held.mark is None or held.swa_released:
            return False
        self.unlock_aside(held)
        held.swa_released = True
        return True
