"""A cache to watch that is made up by hand: samples, a small tree, and a source that serves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import sin

from cache_core.events import Label, Lock, Match, NodeAdded, NodeLabelled, Tombstoned
from probes.builtin.ages import AgesSample, ComponentAges
from probes.builtin.branching import BranchEvent, BranchingSample, Kind
from probes.builtin.capacity import CapacityHits, CapacitySample
from probes.builtin.event_log import Event, EventLogSample
from probes.builtin.evictions import EvictionEvent, EvictionMinute, EvictionSample
from probes.builtin.ghosts import ComponentGhosts, GhostHit, GhostSample, GhostTokens
from probes.builtin.hit_rate import HitRateSample, HitTotals
from probes.builtin.occupancy import OccupancySample, PoolState
from probes.builtin.operations import OperationsSample
from probes.builtin.requests import RequestsSample
from probes.builtin.throughput import ThroughputSample
from probes.builtin.tree_shape import TreeShapeSample
from probes.histogram import Quantiles
from probes.log_shape import LogShape, overlap, shape_of_bins
from probes.mirror import Mirror
from probes.snapshot import LinkState, Snapshot, SourceState
from radixtop.messages import Frame
from radixtop.playing.transport import Transport
from radixtop.poller import Poller
from radixtop.question import Question
from radixtop.source import Source
from tests.support.happenings import happenings, log_of
from tests.support.records import record
from tests.support.request_logs import request_log, windows
from tests.support.tenants import tenants_and_kinds

SECOND = 1_000_000_000
NOW = 1_000 * SECOND
CONFIG: Mapping[str, object] = {
    "components": ["full", "swa"],
    "page_size": 1,
    "window": 128,
    "policy": "lru",
    "anchor": [NOW - 83 * SECOND, 1_700_000_000 * SECOND],
    "started": 1_700_000_000 * SECOND,
}


def wave(level: float, swing: float, *, known: int = 60, phase: float = 0.0) -> tuple[float | None, ...]:
    """Return 60 samples around `level`, only the last `known` of them known."""
    return tuple(level + swing * sin(i / 6 + phase) if i >= 60 - known else None for i in range(60))


def samples() -> dict[str, object]:
    """Return one sample of every probe, as a busy cache has them. The log of events may be added to."""
    return {**_samples(), "event_log": event_log()}


@cache
def _samples() -> Mapping[str, object]:
    """Make the samples, once in a process: nobody changes one."""
    return {
        "hit_rate": HitRateSample(
            HitTotals(41, 88_191, 75_600, 83_900),
            HitTotals(262, 563_562, 462_120, 531_440),
            HitTotals(1_234, 2_654_334, 1_990_750, 2_441_987),
            wave(0.80, 0.15),
            wave(0.93, 0.05),
        ),
        "occupancy": OccupancySample(
            (
                PoolState("full", 31_200, 41_800, 22_500, 4_500, 100_000),
                PoolState("swa", 12_020, 3_200, 2_780, 2_000, 20_000),
            ),
            {"full": wave(0.62, 0.2), "swa": wave(0.4, 0.1, known=30)},
        ),
        "tree_shape": TreeShapeSample(
            1_893, 1_204, 141, 9, 64_300, {"full": 1_893, "swa": 1_752}, {"full": 64_300, "swa": 5_980},
            wave(1_700, 180),
        ),
        "requests": RequestsSample(
            12, 4, 1_250, 1_234, 3, 0, Quantiles(1_234, 19.4e6, 12.6e6, 91.0e6), wave(17e6, 9e6), 1_301, 214, 0
        ),
        "throughput": ThroughputSample(
            1_830.0, 412.5, Quantiles(8_120, 9.6e6, 8.9e6, 31.0e6), wave(1_900, 900), wave(400, 60, phase=2)
        ),
        "branching": BranchingSample(61, 44, 9, 8, 212_347, branch_events(40)),
        "evictions": EvictionSample(
            812, 3_410, 96, {"full": 91_200, "swa": 14_400}, 3_511, 0, 3_506, 96, Quantiles(812, 9.8e3, 6.1e3, 48e3),
            eviction_events(40), wave(9e3, 4e3, known=45),
            last_minute=EvictionMinute(60 * SECOND, 440, 1_848, 1_900, 1_950, 102, 440, 1_848, 186_000_000, 0),
            middle_history=wave(9e3, 4e3, known=45), most_history=wave(9e4, 8e4, known=45, phase=1),
            leaves_history=wave(1.2, 0.2, known=45), calls_history=wave(7, 3, known=45),
            freed_rates={"full": wave(780, 300, known=45), "swa": wave(120, 90, known=45, phase=2)},
        ),
        "request_log": request_log(NOW),
        **tenants_and_kinds(NOW),
        "windows": windows(wave(590, 300, known=50), wave(1_460, 500, known=50, phase=1)),
        "ghosts": ghosts(),
        "ages": ages(),
        "capacity": capacity(),
        "event_log": event_log(),
        "operations": OperationsSample(
            {
                "match": Quantiles(1_250, 21.0e3, 14.2e3, 88.0e3),
                "insert": Quantiles(2_480, 30.5e3, 19.0e3, 132e3),
                "evict": Quantiles(812, 9.8e3, 6.1e3, 48e3),
            },
            182_733,
            1_911.0,
        ),
    }  # fmt: skip


def capacity() -> CapacitySample:
    """Return a curve that still rises where the cache is, in all and of the last five minutes."""
    capacities = tuple(round(100_000 * 2 ** (step / 8)) for step in range(-64, 17))
    rates = [0.84 / (1 + (30_000 / slots) ** 0.9) for slots in capacities]
    total = CapacityHits(1_234, 2_654_334, 1_750_000, 1_590_750, tuple(round(2_654_334 * rate) for rate in rates))
    recent = CapacityHits(418, 899_812, 514_100, 471_900, tuple(round(899_812 * rate**1.2) for rate in rates))
    return CapacitySample(100_000, 1, capacities, total, recent, 312 * SECOND, 400_000, 131_072.0, True)


def event_log() -> EventLogSample:
    """Return the log of a busy cache; more happened than it keeps."""
    log = log_of(_happened(), keep=2_000)
    return EventLogSample(log.total, log)


@cache
def _happened() -> tuple[Event, ...]:
    """Make the events of a busy cache, once in a process."""
    return tuple(happenings(NOW, rounds=200))


def ghosts() -> GhostSample:
    """Return what came back of two components, more of the windows."""
    full = ComponentGhosts(
        "full", GhostTokens(91_200, (2_100, 5_400, 7_900, 9_120)), GhostTokens(20_400, (410, 1_430, 1_900, 2_000)),
        wave(340, 200), wave(30, 25, phase=1),
    )  # fmt: skip
    swa = ComponentGhosts(
        "swa", GhostTokens(14_400, (610, 1_700, 1_900, 2_010)), GhostTokens(4_100, (160, 490, 590, 600)),
        wave(70, 50), wave(9, 7),
    )  # fmt: skip
    hits = tuple(
        GhostHit(
            NOW - i * 900_000_000, ("full", "swa")[i % 2], 2 + i, 128 + 7 * i, (i + 1) * 1_700_000_000,
            None if i == 3 else f"system prompt {i % 3} + question {i}",
        )
        for i in range(40)
    )  # fmt: skip
    return GhostSample((full, swa), 1_204, 0, 83 * SECOND, hits)


def shape(low: int, counts: Sequence[int]) -> LogShape:
    """Return a distribution whose bins begin at so many eighths of a decade."""
    return shape_of_bins([0] * low + list(counts), 1e9)


def ages() -> AgesSample:
    """Return idle times and lifetimes of tens of seconds, and reuse gaps of seconds that reach into them."""
    reuse = shape(56, [2, 5, 9, 14, 22, 35, 51, 70, 88, 96, 91, 74, 60, 41, 30, 22, 14, 9, 5, 2])
    idle = shape(66, [3, 7, 15, 30, 52, 80, 99, 104, 90, 61, 33, 15, 6])
    lifetime = shape(68, [2, 6, 14, 28, 50, 77, 90, 95, 92, 70, 41, 22, 9, 3])
    windows = shape(60, [4, 11, 26, 44, 61, 70, 66, 48, 30, 15, 6])
    return AgesSample(
        reuse,
        shape(62, [5, 12, 24, 41, 60, 71, 70, 66, 52, 40, 31, 20, 11, 4]),
        (
            ComponentAges("full", lifetime, idle, overlap(idle, reuse), 0.31),
            ComponentAges("swa", windows, windows, overlap(windows, reuse), 0.72),
        ),
        0,
    )


def branch_events(number: int) -> tuple[BranchEvent, ...]:
    """Return events, the newest first."""
    kinds: tuple[Kind, ...] = ("opened", "filled", "opened", "lost")
    return tuple(
        BranchEvent(
            NOW - i * 700_000_000, kinds[i % 4], 1_250 - i, 2_055 + 96 * i, 1_927 + i, 2, f"system prompt {i % 3}"
        )
        for i in range(number)
    )


def eviction_events(number: int) -> tuple[EvictionEvent, ...]:
    """Return calls, the newest first."""
    return tuple(
        EvictionEvent(
            NOW - i * 1_300_000_000,
            ("full", "swa")[i % 2],
            96 + i,
            {"full": 112 + i, "swa": 16},
            4,
            i % 3,
            6_100 + 400 * i,
            5,
        )
        for i in range(number)
    )


def mirror(prompts: int = 4, questions: int = 5) -> Mirror:
    """Return a tree: under each labelled system prompt some questions, the first of each with a follow-up."""
    tree = Mirror(("full", "swa"))
    number = 0
    for prompt in range(prompts):
        number += 1
        top = number
        tree.apply(Label(prompt, f"system prompt {prompt}"))
        tree.apply(node(top, 0, 0, 2_055 - 100 * prompt, touched_at=NOW - (prompt + 1) * SECOND))
        tree.apply(NodeLabelled(top, 0, prompt))
        for question in range(questions):
            number += 1
            tree.apply(node(number, top, 2_055 - 100 * prompt, 96 + question, touched_at=NOW - 20 * number * SECOND))
            if question == 0:
                tree.apply(Lock(NOW, number, ()))
                tree.apply(node(number + 1_000, number, 2_151, 16, touched_at=NOW - SECOND))
            if question == 1:
                tree.apply(Tombstoned(NOW, number, 1))
    return tree


def reuse(tree: Mirror, number: int) -> None:
    """Let a request reuse the nodes from the root to one of them."""
    end = tree.nodes[number].end
    hit = {"device_hit_tokens": end, "full_hit_tokens": end, "node": number, "full_node": number}
    tree.apply(record(Match, at=NOW, request=1, **hit))


def node(number: int, parent: int, start: int, length: int, touched_at: int = NOW) -> NodeAdded:
    """Return a node with both components live."""
    key = number * 0x9E37_79B9_7F4A_7C15 & 0x7FFF_FFFF_FFFF_FFFF
    return NodeAdded(touched_at, number, parent, start, length, key, 0, 3, 0, 0, 0, touched_at)


@dataclass
class FakeSource:
    """Serves what it is given; tests change it between ticks."""

    mirror: Mirror | None = field(default_factory=mirror)
    samples: Mapping[str, object] = field(default_factory=samples)
    state: SourceState = field(default_factory=lambda: SourceState("fake", "live", config=CONFIG))
    now: int = NOW
    ticks: int = 0
    error: Exception | None = None
    transport: Transport | None = None

    def tick(self, now: int) -> Snapshot:
        """Return the snapshot of now, or raise what the test wants."""
        self.ticks += 1
        if self.error is not None:
            raise self.error
        return Snapshot(self.ticks, self.now, self.now, self.state, self.samples)

    def close(self) -> None:
        """Nothing is held."""

    def check(self) -> None:
        """Nothing went wrong."""

    def die(self, state: LinkState, message: str) -> None:
        """From the next tick on, be in a state of trouble."""
        self.state = replace(self.state, state=state, message=message, heartbeat_age_ns=3_200_000_000)


class SteppedPoller(Poller):
    """A poller without a thread: it answers requests at once, and ticks when a test says so."""

    def __init__(self, source: Source, post: Callable[[Frame], object], hz: float = 1.0) -> None:
        super().__init__(source, post, hz)
        self.hz = hz
        self._time = 0

    def start(self) -> None:
        """Tick once."""
        self.tick()

    def stop(self) -> None:
        """Let go of who answers, as the thread does at its end."""
        self._desk.close()

    def tick(self) -> None:
        """Let a period pass."""
        self._time += 100 * SECOND
        self.step(self._time)

    def set_rate(self, hz: float) -> None:
        """Note the rate."""
        self.hz = hz

    def ask(self, questions: Sequence[Question]) -> None:
        """Answer at once."""
        super().ask(questions)
        self.step(0)

    def run_errand(self, errand: Callable[[Source], object]) -> None:
        """Run it at once."""
        super().run_errand(errand)
        self.step(0)
