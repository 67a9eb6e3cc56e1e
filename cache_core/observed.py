"""What a cache has to do with whoever looks at it: sinks of records, watchers of nodes, and its one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import get_ident
from typing import TYPE_CHECKING, cast

from cache_core import events
from cache_core.changes import Changes
from cache_core.emission import emit, pool_records
from cache_core.errors import ReentryError, WrongThreadError
from cache_core.fault import BROKEN, Fault, is_refusal
from cache_core.times import Times
from cache_core.watcher import Fan, Watcher

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache

_NOBODY = 0
"""No thread has this number: who the cache belongs to while a sink flushes."""


class Observed:
    """The part of a cache that is looked at. It belongs to one thread; nothing is built while nobody looks."""

    __slots__ = (
        "_bare_matches",
        "_broken",
        "_thread",
        "_watchers",
        "changes",
        "clock",
        "detail",
        "sink",
        "sink_fault",
        "times",
        "watcher",
    )  # fmt: skip

    def __init__(self, clock: Callable[[], int]) -> None:
        self.clock = clock
        self._thread = get_ident()
        self.changes: Changes | None = None
        self.watcher: Watcher | None = None
        """Who is told of changes to nodes, if anybody is."""
        self._watchers: list[Watcher] = []
        self.detail = events.FULL_DETAIL
        """How much a sink is told."""
        self.times: Times | None = None
        """There is one while a sink is told how long operations take."""
        self._bare_matches = 0
        self.sink: events.EventSink | None = None
        self.sink_fault: Exception | None = None
        self._broken: Fault | None = None

    def attach_sink(self, sink: events.EventSink | None) -> None:
        """Send records to `sink` from now on, or to nobody."""
        self.sink = sink
        self.sink_fault = None
        if self.changes is not None:
            self.unwatch(self.changes)
        self.changes = None if sink is None else Changes(self._whole)
        if self.changes is not None:
            self.watch(self.changes)
        self.set_detail(events.FULL_DETAIL)

    def set_detail(self, detail: int) -> None:
        """Tell the sink less, or more again: FULL_DETAIL, UNTIMED or SPARSE. What changes the tree is always told."""
        self.detail = detail
        is_timed = self.sink is not None and detail < events.UNTIMED
        self.times = (self.times or Times()) if is_timed else None

    @property
    def telling_ns(self) -> int:
        """How long it took to put changes to nodes into records, since the sink was attached."""
        return 0 if self.changes is None else self.changes.spent_ns

    def leaves_out_match(self) -> bool:
        """Count a match that no request asked for, and say whether it is one of those that are left out."""
        self._bare_matches += 1
        return self._bare_matches % events.MATCH_SAMPLE != 0

    @property
    def _whole(self) -> PrefixCache:
        return cast("PrefixCache", self)

    def watch(self, watcher: Watcher) -> None:
        """Tell `watcher` of every change to a node from now on."""
        self._set_watchers([*self._watchers, watcher])

    def unwatch(self, watcher: Watcher) -> None:
        """Tell `watcher` no more."""
        self._set_watchers([other for other in self._watchers if other is not watcher])

    def _set_watchers(self, watchers: list[Watcher]) -> None:
        self._watchers = watchers
        self.watcher = None if not watchers else watchers[0] if len(watchers) == 1 else Fan(watchers)

    def flush_sink(self, sink: events.EventSink) -> None:
        """Let a sink take what waits in it, which may be in the middle of an operation.

        A sink that raises is given up and `sink_fault` says why; one that calls the cache meets ReentryError.
        """
        thread = self._thread
        try:
            self._thread = _NOBODY
            sink.flush()
        except Exception as error:  # noqa: BLE001 - a fault of an observer must not break off what the cache does
            self.attach_sink(None)
            self.sink_fault = error
        finally:
            self._thread = thread

    def snapshot_records(self) -> Iterator[events.RawRecord]:
        """Yield the tree as records; it may be changed between two of them (see `Changes.states`)."""
        return iter(()) if self.changes is None else self.changes.states()

    def emit_pools(self) -> None:
        """Send the pool records to the sink."""
        for record in pool_records(self._whole) if self.sink is not None else ():
            emit(self._whole, record)

    def claim(self) -> None:
        """Make the calling thread the one that owns the cache. Raises CacheBrokenError."""
        self.require_whole()
        self._thread = get_ident()

    def require_thread(self) -> None:
        """Raise WrongThreadError unless the calling thread owns the cache."""
        if get_ident() != self._thread:
            self.refuse_thread()

    def refuse_thread(self) -> None:
        """Raise the error for a call of a broken cache, from another thread, or from within a flush."""
        self.require_whole()
        if self._thread == _NOBODY:
            raise ReentryError("a sink called the cache from within its flush; a flush only takes records")
        raise WrongThreadError("the cache belongs to the thread that made it; call claim() from the one that uses it")

    def require_whole(self) -> None:
        """Raise CacheBrokenError if an operation was broken off half way."""
        if self._broken is not None:
            raise self._broken.refusal()

    @property
    def fault(self) -> BaseException | None:
        """What broke the cache, if it is broken."""
        return None if self._broken is None else self._broken.error

    def break_off(self, operation: str, error: BaseException) -> None:
        """Take note that an operation ends in an error. Unless that is a refusal, the cache is broken from now on."""
        if self._broken is None and not is_refusal(error):
            self._broken = Fault(operation, error, get_ident())
            self._thread = BROKEN

    def mend(self) -> None:
        """Give a broken cache, which holds nothing any more, back to its thread."""
        if self._broken is not None:
            self._thread = self._broken.thread
            self._broken = None
