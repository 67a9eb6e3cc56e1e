"""radixtop: top(1) and a profiler for LLM prefix caches.

The package is a command; `attach` and `publish_kv_events` are its calls for other programs.
"""

from __future__ import annotations

TYPE_CHECKING = False  # that of `typing`, whose import would take half the time of `radixtop --help`
if TYPE_CHECKING:
    from cache_core import PrefixCache
    from probes.recorder import FlightRecorder
    from radixtop.serving.kv_feed import KVFeed

__version__ = "0.1.0"
__all__ = ["__version__", "attach", "publish_kv_events"]


def attach(cache: PrefixCache, rank: int = 0, budget: float = 0.01) -> FlightRecorder:
    """Publish a cache to the dashboard: `radixtop attach shm:PID` shows it, or `shm:PID-RANK` for a rank above 0.

    Call it on the cache's own thread. Returns the recorder that is now the cache's sink: call its `flush` every
    100 ms while the cache is idle, and `close` to stop publishing. Raises RingError when no ring can be made, and
    ValueError for a cache that has another sink. When watching takes more than the share `budget` of the thread's
    time, the cache tells no durations any more; what changes the tree is always told.
    """
    from probes.recorder import FlightRecorder, RecorderOptions

    if cache.sink is not None:
        raise ValueError("the cache has a sink already; take it off first: cache.attach_sink(None)")
    facts = {"target": "attached", "began_empty": not cache.stats()["nodes"], **cache.config.describe()}
    recorder = FlightRecorder(facts, RecorderOptions(rank=rank, budget=budget))
    recorder.follow(cache)
    cache.attach_sink(recorder)
    return recorder


def publish_kv_events(cache: PrefixCache, endpoint: str = "tcp://127.0.0.1:5557", *, groups: bool = False) -> KVFeed:
    """Publish what a cache stores and removes as SGLang does, with replays at a port 1,000 away.

    Call it on the cache's own thread, then `step` of what it returns after each step of the engine, and `close` at
    the end. With `groups` the events tell of every component, not of full attention alone. Raises PublishError for
    an address that cannot be used.
    """
    from probes.kv.publisher import PublisherOptions
    from radixtop.serving.kv_feed import KVFeed

    return KVFeed(cache, PublisherOptions(endpoint), groups=groups)
