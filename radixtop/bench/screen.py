"""What the dashboard costs whoever looks at it, and which of its promises hold on this machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from profiles.plain import json_text
from radixtop.bench.figures import narrate
from radixtop.bench.first_frame import FirstFrame, Help, first_frame, help_time
from radixtop.bench.promise import Promise, verdicts
from radixtop.bench.storm import Storm, storm
from radixtop.bench.tree_memory import bytes_per_node
from radixtop.bench.tree_screen import TreeScreenFigures, tree_screen
from radixtop.bench.watched import IdleCost, LiveCost, Memory, idle_cost, live_cost, memory


@dataclass(frozen=True, slots=True)
class ScreenFigures:
    """All of them."""

    first_frame: FirstFrame
    help: Help
    idle: IdleCost
    live: LiveCost
    memory: Memory
    storm: Storm
    tree: TreeScreenFigures
    bytes_per_node: float

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return {
            "first_frame": self.first_frame.describe(),
            "help": self.help.describe(),
            "idle": self.idle.describe(),
            "live": self.live.describe(),
            "memory": self.memory.describe(),
            "storm": self.storm.describe(),
            "tree": asdict(self.tree),
            "bytes_per_node": self.bytes_per_node,
        }

    def promises(self) -> Iterator[Promise]:
        """Yield what is promised."""
        frame = self.first_frame
        yield Promise("first frame, live workload", frame.ratio, 1.5, "empty Textual app")
        yield Promise("first frame, attached", frame.attached_ratio, 1.5, "empty Textual app")
        yield Promise("radixtop --help", self.help.ratio, 3.0, "python -c pass")
        yield Promise("idle at 1 Hz", 100 * self.idle.core_share, 3.0, "% of a core")
        for name, cost in self.live.views.items():
            what = f"terminal output at 1 Hz, {name}, {self.live.columns}x{self.live.rows}"
            yield Promise(what, cost.bytes_per_s / 1e3, 10.0, "kB/s")
        megabytes = self.memory.all_views_bytes / 1e6
        yield Promise(f"memory with {self.memory.nodes:,} nodes, all views seen", megabytes, 70.0, "MB")
        yield Promise("no key is heard at a stretch, in a storm", self.storm.longest_gap_ms, 200.0, "ms")
        of = f"{self.tree.nodes:,} nodes"
        yield Promise(f"scroll in a tree of {of}", self.tree.scroll.worst_ms, 50.0, "ms")
        yield Promise(f"sort a tree of {of}", self.tree.sort.worst_ms, 50.0, "ms")
        yield Promise(f"one new node in a tree of {of}", self.tree.new_node.worst_ms, 5.0, "ms")
        yield Promise(f"a node of {of} in memory", self.bytes_per_node, 250.0, "bytes")


def run(runs: int, watch_s: float, nodes: int, as_json: bool) -> None:
    """Measure all of it, the tree with so many nodes, and write the figures to stdout."""
    frame, helped, idle = first_frame(runs), help_time(3 * runs), idle_cost(watch_s)
    live, held = live_cost(min(watch_s, 6.0)), memory()
    narrate("a storm")
    weathered = storm()
    narrate(f"a tree of {nodes:,} nodes")
    tree = tree_screen("chat", nodes)
    figures = ScreenFigures(frame, helped, idle, live, held, weathered, tree, bytes_per_node(nodes))
    promises = [*figures.promises()]
    document = {**figures.describe(), "promises": [promise.describe() for promise in promises]}
    sys.stdout.write((json_text(document, indent=2) if as_json else verdicts(promises)) + "\n")
