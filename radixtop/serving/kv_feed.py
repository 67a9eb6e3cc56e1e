"""A cache's KV events on the wire: takes them once per engine step and publishes them."""

from __future__ import annotations

from functools import partial

from cache_core import PrefixCache
from cache_core.errors import ConfigError
from cache_core.kv_blocks import AllBlocksCleared
from cache_core.kv_events import KVEvents
from cache_core.kv_wire import NEWEST, layout_named, to_plain
from probes.kv.publisher import KVPublisher, PublisherOptions


class KVFeed:
    """Publishes what a cache stores and removes. Belongs to the cache's thread.

    Raises PublishError for an address that cannot be used, ConfigError for a layout that does not exist or cannot
    tell groups apart.
    """

    def __init__(
        self,
        cache: PrefixCache,
        options: PublisherOptions | None = None,
        *,
        layout: str = NEWEST,
        groups: bool = False,
    ) -> None:
        chosen = layout_named(layout)
        if groups and not chosen.maps:
            raise ConfigError(f"layout {layout} has no field for groups; use {NEWEST}, or no groups")
        self.publisher = KVPublisher(partial(to_plain, layout=chosen), options)
        self.events = KVEvents(cache, groups=groups)

    def step(self) -> None:
        """Publish what happened since the last step, if anything did; everything anew when a subscriber needs it."""
        if self.publisher.wants_everything:
            self.events.restate()
        told = self.events.take()
        if told:
            self.publisher.publish(told, whole=isinstance(told[0], AllBlocksCleared))

    def close(self) -> None:
        """Publish the last step, watch the cache no more, and close the sockets."""
        self.step()
        self.events.close()
        self.publisher.close()

    def describe(self) -> dict[str, object]:
        """Return where it publishes, what went out and what did not."""
        publisher = self.publisher
        return {
            "endpoint": publisher.endpoint,
            "replay_endpoint": publisher.replay_endpoint,
            "published_batches": publisher.published_batches,
            "dropped_batches": publisher.dropped_batches,
            "dropped_blocks": self.events.dropped_blocks,
            "fault": repr(publisher.fault) if publisher.fault is not None else "",
        }
