"""The same recording twice: with victims from a heap that lives on, and from one built anew in every call."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

from profiles.profile import Profile
from profiles.replay.operations import Operation
from profiles.replay.synthetic import Synthetic
from profiles.tallies.evictor_comparison import Calls, EvictorComparison, clouds, first_difference
from radixtop.replay.cache_config import recorded_config
from radixtop.replay.cache_replay import CacheReplay
from radixtop.replay.metered import EvictMeter, MeteredCache

CHECK_EVERY = 64
"""How many operations go by between two looks at the clock."""

Narrate = Callable[[str], object]


def compare_evictors(profile: Profile, limit_s: float, narrate: Narrate) -> EvictorComparison:
    """Replay a recording with both evictors and return what each call cost them.

    A rebuild may take forever on a large tree: it goes on for `limit_s` seconds, and the other one for as many
    operations. Raises RecordingError when the recording is of no cache of ours.
    """
    config = recorded_config(profile.config)
    narrate("reading the recording")
    synthetic = Synthetic(profile)
    narrate(f"replaying with evictor=rebuild, at most {limit_s:g} s")
    slow = _Run(MeteredCache(replace(config, evictor="rebuild")))
    slow.take(synthetic.operations(), until_s=perf_counter() + limit_s)
    narrate(f"replaying the same {slow.operations:,} operations with evictor=incremental")
    fast = _Run(MeteredCache(replace(config, evictor="incremental")))
    fast.take(synthetic.operations(), most=slow.operations)
    return _compared(slow, fast, synthetic.requests)


class _Run:
    """One replay."""

    def __init__(self, cache: MeteredCache) -> None:
        self.replay = CacheReplay(cache)
        self.meter: EvictMeter = cache.meter
        self.operations = 0
        self.whole = True

    def take(self, operations: Iterator[Operation], until_s: float | None = None, most: int | None = None) -> None:
        """Carry out operations: as many as were asked for, or as long as there is time."""
        apply = self.replay.apply
        with _no_collections():
            for operation in operations:
                if self.operations == most or (until_s is not None and not self.operations % CHECK_EVERY
                                               and perf_counter() > until_s):  # fmt: skip
                    self.whole = False
                    return
                apply(operation)
                self.operations += 1


@contextmanager
def _no_collections() -> Iterator[None]:
    """Keep the garbage collector, which walks the whole tree now and then, out of what is measured."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _compared(slow: _Run, fast: _Run, requests: int) -> EvictorComparison:
    rebuild, incremental = _calls(slow.meter), _calls(fast.meter)
    slow_cloud, fast_cloud, ratios = clouds(rebuild, incremental)
    agreement = fast.replay.agreement()
    return EvictorComparison(
        calls=sum(ratio.calls for ratio in ratios),
        victims=sum(each.victims for each in slow_cloud.bins),
        first_difference=first_difference(rebuild, incremental),
        whole=slow.whole,
        requests=requests,
        operations=slow.operations,
        refused=agreement.refused,
        recorded_tokens=agreement.recorded_tokens,
        hit_tokens=agreement.hit_tokens,
        hit_agreement=agreement.share,
        rebuild_ns=sum(rebuild.ns),
        incremental_ns=sum(incremental.ns),
        rebuild=slow_cloud,
        incremental=fast_cloud,
        ratios=ratios,
    )


def _calls(meter: EvictMeter) -> Calls:
    return Calls(meter.leaves, meter.victims, meter.ns, meter.build_ns, meter.picks)
