"""A run on a clock of its own, recorded with snapshots, and what is to be seen of it at a moment."""

from __future__ import annotations

from pathlib import Path

from probes.adapters.recording import RecordingAdapter
from probes.aggregator import Aggregator
from probes.builtin.hit_rate import HitRateSample
from probes.builtin.occupancy import OccupancySample
from probes.builtin.throughput import ThroughputSample
from probes.mirror import Mirror
from probes.snapshot import Snapshot
from tests.support.cache_runs import CONFIGS, CacheRun
from tests.support.recorded_tree import counts, told
from tests.support.taped import RecordingSink

STEP_NS = 250_000_000
STARTED = 10**12


def write_run(path: Path, *, steps: int = 400, snapshots: int = 5, seed: int = 3, config: int = 2) -> Path:
    """Record a random run, a block every STEP_NS, and so many snapshots at even distances, each while it goes on."""
    sink = RecordingSink(path, dict(CONFIGS[config].describe()), STEP_NS, STARTED)
    run = CacheRun(CONFIGS[config], sink, seed, clock=lambda: sink.now)
    for number in range(steps):
        if number % (steps // snapshots) == steps // snapshots // 2:
            sink.finish()
            sink.state(run.cache.snapshot_records)
        run.step()
        sink.flush()
    sink.finish()
    sink.writer.close("done", sink.now)
    return path


def fresh(path: Path, at: int) -> tuple[Mirror, Snapshot]:
    """Play a recording from its start to a moment, as one who never sought."""
    passed = 0
    adapter = RecordingAdapter(path, clock=lambda: passed)
    passed = at - adapter.now()
    aggregator = Aggregator(adapter)
    snapshot = aggregator.tick(0)
    while (later := aggregator.tick(0)).seq > snapshot.seq:
        snapshot = later
    adapter.close()
    return aggregator.mirror, later


def tree_of(mirror: Mirror) -> object:
    """Everything that records tell of the tree."""
    return told(mirror), counts(mirror)


def windows_of(snapshot: Snapshot) -> object:
    """What the samples say of the last minute, and of now."""
    hits, pools, throughput = (snapshot.get(kind) for kind in (HitRateSample, OccupancySample, ThroughputSample))
    assert hits is not None
    rates = hits.last_10s, hits.last_minute, hits.history, hits.full_history
    return snapshot.seq, snapshot.at, snapshot.now, rates, pools, throughput
