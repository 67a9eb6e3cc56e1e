"""One thread for the feeds of all ranks, begun with the first of them."""

from __future__ import annotations

import time
from collections.abc import Callable

from probes.kv_feed.loop import FeedLoop


class SharedLoop:
    """Lends out the thread, and ends it."""

    def __init__(self, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.clock = clock
        self._loop: FeedLoop | None = None
        self._closed = False

    @property
    def goes_by_date(self) -> bool:
        """Whether its times are dates (ns since 1970), as those of saved events are."""
        return self.clock is time.time_ns

    def lend(self) -> FeedLoop:
        """Return the thread; not to be called once it was closed."""
        assert not self._closed
        if self._loop is None:
            self._loop = FeedLoop(self.clock)
        return self._loop

    def close(self) -> None:
        """End the thread and close what it serves, whatever is under way."""
        self._closed = True
        if self._loop is not None:
            self._loop.close()
