"""radixtop: top(1) and a profiler for LLM prefix caches.

The package is a command; `attach` is its one call for other programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cache_core import PrefixCache
    from probes.recorder import FlightRecorder

__version__ = "0.1.0"
__all__ = ["__version__", "attach"]


def attach(cache: PrefixCache, rank: int = 0) -> FlightRecorder:
    """Publish a cache to the dashboard: `radixtop attach shm:PID` shows it, or `shm:PID-RANK` for a rank above 0.

    Call it on the cache's own thread. Returns the recorder that is now the cache's sink: call its `flush` every
    100 ms while the cache is idle, and `close` to stop publishing. Raises RingError when no ring can be made, and
    ValueError for a cache that has another sink.
    """
    from probes.recorder import FlightRecorder, RecorderOptions

    if cache.sink is not None:
        raise ValueError("the cache has a sink already; take it off first: cache.attach_sink(None)")
    facts = {"target": "attached", "began_empty": not cache.stats()["nodes"], **cache.config.describe()}
    recorder = FlightRecorder(facts, RecorderOptions(rank=rank))
    recorder.bind(snapshot=cache.snapshot_records, pools=cache.emit_pools)
    cache.attach_sink(recorder)
    return recorder
