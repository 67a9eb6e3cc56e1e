"""Loading back in the naive model: what the host has of a path becomes device data again."""

from __future__ import annotations

from tests.support.naive_evict import NaiveEvicting
from tests.support.naive_results import NaiveHit
from tests.support.naive_tree import Node


class NaiveLoading(NaiveEvicting):
    """From the host to the device."""

    def load(self, found: NaiveHit) -> bool:
        """Bring the best end of a match to the device; False, with evictions only, if it is not worth it or fails.

        While it makes room it holds what it is about to read and what is on the device of the path.
        """
        best = found.best
        assert best is not None
        plan = self.load_plan(best)
        full = sum(sizes.get("full", 0) for _, sizes in plan)
        aside = any(name != "full" for _, sizes in plan for name in sizes)
        if not plan or (full < self.config.load_back_tokens and not aside):
            return False
        swa = sum(sizes.get("swa", 0) for _, sizes in plan)
        states = sum(sizes.get("mamba", 0) for _, sizes in plan)
        resident = next((node for node in best.path if node.full), best.path[-1].parent)
        assert resident is not None
        held = self.lock(resident)
        for node in best.path:
            node.host_lock += 1
        self.make_room(full, states, swa)
        taken = self.take(full, states, swa, states_last=True)
        for node in best.path:
            node.host_lock -= 1
        if taken:
            self.commit(plan)
        self.unlock(held)
        self.seen["no room to load"] += not taken
        return taken

    def load_plan(self, best: Node) -> list[tuple[Node, dict[str, int]]]:
        """What is missing on the device for a match to end on `best`, root first."""
        plan = {node: dict[str, int]() for node in reversed(best.path)}
        covered = 0
        for node in best.path:
            if not node.full:
                plan[node]["full"] = len(node)
            if self.window is not None and covered < self.window and not node.live:
                plan[node]["swa"] = len(node)
            covered += len(node)
        if self.mamba and not best.state:
            plan[best]["mamba"] = 1
        return [(node, sizes) for node, sizes in plan.items() if sizes]

    def commit(self, plan: list[tuple[Node, dict[str, int]]]) -> None:
        """Make device data of what is loaded, from now on, and queue the transfer."""
        for node, sizes in plan:
            node.full = True
            if "swa" in sizes:
                self.add_window(node)
            if "mamba" in sizes:
                self.add_state(node)
        self.send(plan, "load")
