"""Runs the benchmark: every side does each measurement in turn, and a figure is the median over the runs.

The result is one JSON-able document; `report.py` makes tables of it.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any

from cache_core.bench.narration import Narrate, silent
from cache_core.bench.plan import WINDOWS, Plan
from cache_core.bench.same_work import require_same
from cache_core.bench.side import Peer, Side, SideError
from cache_core.bench.workload import Setup

Json = dict[str, Any]

OWN = "radixtop"
CORES = ("rust", "python")
TREE_OPERATIONS = ("match", "lock", "insert", "unlock")
"""What a request does to the tree; their medians add up to `tree_ops`."""


class Bench:
    """A run: its sides, what it has measured so far, and who failed."""

    def __init__(self, plan: Plan, peers: Sequence[Peer], narrate: Narrate) -> None:
        self.plan = plan
        self.peers = peers
        self.failures: dict[str, str] = {}
        self._narrate = narrate
        self._sides: list[Side] = []

    def run(self) -> Json:
        """Measure everything and return the document."""
        with ExitStack() as stack:
            self._sides = [stack.enter_context(side) for side in self._start_all()]
            columns = {side.name: side.about for side in self._sides}
            measured = {"requests": self._requests(), "evict": self._evictions(), "long_match": self._long_matches()}
        return {
            "python": platform.python_version(),
            "machine": platform.processor() or platform.machine(),
            "runs": self.plan.runs,
            "columns": columns,
            **measured,
            "memory": self._memory(),
            "failures": self.failures,
        }

    def _start_all(self) -> Iterator[Side]:
        for name, subject, peer in self._subjects():
            try:
                yield Side(name, subject, peer)
            except SideError as error:
                self._fail(name, error)

    def _subjects(self) -> Iterator[tuple[str, str, Peer | None]]:
        """Yield column, subject and interpreter of every side, ours first."""
        yield OWN, OWN, None
        for peer in self.peers:
            for core in CORES:
                yield f"{peer.name} {core}", f"sglang-{core}", peer

    def _fail(self, name: str, error: SideError) -> None:
        """Go on without a side; without our own there is nothing to tell."""
        if name == OWN:
            raise error
        self.failures[name] = str(error)
        self._narrate(f"left out: {error}")

    def _each(self, do: str, **arguments: object) -> dict[str, Json]:
        """Have each side do the same and return their answers; a side that fails is left out from then on."""
        answers: dict[str, Json] = {}
        for side in list(self._sides):
            try:
                answers[side.name] = side.ask(do, **arguments)
            except SideError as error:
                self._fail(side.name, error)
                self._sides.remove(side)
        return answers

    def _in_turns(self, do: str, **arguments: object) -> Json:
        """Measure something in all runs, the sides in turns, and return the figures and ratios of each side."""
        self._narrate(" ".join([do, *(f"{name}={value}" for name, value in arguments.items())]))
        answers = [self._each(do, **arguments) for _ in range(self.plan.runs)]
        figures = {side.name: _medians([answer[side.name]["spreads"] for answer in answers]) for side in self._sides}
        first = {name: answer for name, answer in answers[0].items() if name in figures}
        for name in ("digest", "hit_tokens"):
            require_same(name, {side: answer[name] for side, answer in first.items() if name in answer})
        return {
            **{key: first[OWN][key] for key in ("hit_tokens", "nodes") if key in first[OWN]},
            **_compared(figures),
        }

    def _requests(self) -> list[Json]:
        found = []
        for workload, page in self.plan.requests:
            for window in WINDOWS:
                done = self._in_turns("requests", workload=workload, scale=self.plan.scale, page=page, window=window)
                found.append({"workload": workload, "page_size": page, "components": _components(window), **done})
        return found

    def _evictions(self) -> list[Json]:
        found = []
        for window in WINDOWS:
            for leaves, calls in self.plan.leaves:
                self._narrate(f"plant {leaves} leaves, window={window}")
                self._each("plant", count=leaves, window=window)
                for swa in (False, True) if window else (False,):
                    done = self._in_turns("evict", swa=swa, calls=calls)
                    kind = "swa" if swa else "full"
                    found.append({"leaves": leaves, "components": _components(window), "evicted": kind, **done})
        self._each("rest")
        return found

    def _long_matches(self) -> list[Json]:
        found = []
        for tokens in self.plan.prefixes:
            for page in self.plan.prefix_pages:
                for window in WINDOWS:
                    done = self._in_turns("long", tokens=tokens, page=page, window=window)
                    found.append({"tokens": tokens, "page_size": page, "components": _components(window), **done})
        return found

    def _memory(self) -> list[Json]:
        """Measure each footprint in a fresh process; nodes are ours everywhere, as the trees are the same."""
        found = []
        for window in WINDOWS if self.plan.memory_keys else ():
            figures: dict[str, Json] = {}
            for name, subject, peer in self._subjects():
                if name not in self.failures:
                    self._narrate(f"memory of {name}, window={window}")
                    try:
                        figures[name] = self._footprint(name, subject, peer, window)
                    except SideError as error:
                        self._fail(name, error)
            nodes = figures[OWN]["nodes"]
            for each in figures.values():
                each["bytes_per_node"] = each["resident_bytes"] / nodes
            ratios = {
                name: each["bytes_per_node"] / figures[OWN]["bytes_per_node"]
                for name, each in figures.items()
                if name != OWN
            }
            found.append({"components": _components(window), "nodes": nodes, "figures": figures, "ratios": ratios})
        return found

    def _footprint(self, name: str, subject: str, peer: Peer | None, window: int | None) -> Json:
        with Side(name, subject, peer) as side:
            resident = side.ask("memory", keys=self.plan.memory_keys, window=window, traced=False)
        with Side(name, subject, peer) as side:
            traced = side.ask("memory", keys=self.plan.traced_keys, window=window, traced=True)
        return {**resident, "traced_bytes_per_key": traced["traced_bytes"] / traced["keys"]}


def _components(window: int | None) -> str:
    return "+".join(Setup(window=window).components)


def _medians(runs: Sequence[Mapping[str, Sequence[float]]]) -> Json:
    """Return p50 and p99 of each operation in us: of the runs' figures, the medians."""
    figures: Json = {
        operation: {
            "p50_us": median(run[operation][0] for run in runs) / 1e3,
            "p99_us": median(run[operation][1] for run in runs) / 1e3,
        }
        for operation in runs[0]
    }
    if figures.keys() >= set(TREE_OPERATIONS):
        sums = (sum(run[operation][0] for operation in TREE_OPERATIONS) for run in runs)
        figures["tree_ops"] = {"p50_us": median(sums) / 1e3}
    return figures


def _compared(figures: Mapping[str, Json]) -> Json:
    """Return the figures with the ratio of each peer's to ours, by operation."""
    own = figures[OWN]
    ratios = {
        name: {
            operation: figure["p50_us"] / own[operation]["p50_us"]
            for operation, figure in side.items()
            if operation in own and own[operation]["p50_us"]
        }
        for name, side in figures.items()
        if name != OWN
    }
    return {"figures": dict(figures), "ratios": ratios}


def run_bench(plan: Plan, peers: Sequence[Peer] = (), narrate: Narrate = silent) -> Json:
    """Measure ours and, in turns with it, each peer; narration goes to `narrate` line by line."""
    return Bench(plan, peers, narrate).run()
