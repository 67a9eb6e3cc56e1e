"""Where the KV events of an SGLang cache are taken that makes them for us alone, as cheaply as its version allows.

SGLang makes an object for each event, and its Python core one for each block before it puts them together. Nobody
but us wants these: the Rust core has them as plain tuples beneath, and the recorder of the Python core can note nodes
as a whole. Both are taken in one form, that of the Rust core:

    ("block_stored", names, name of the block above, ..., tokens of a block, medium, ...)
    ("block_removed", names, medium, ...)
    ("all_blocks_cleared",)

A version of another shape is asked for its events as its own publisher asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

STORED, REMOVED, CLEARED = "block_stored", "block_removed", "all_blocks_cleared"
BROKEN = "broken"
"""What is noted in place of an event that could not be: nothing is known from then on."""

_NOTED = ("record_store", "record_remove", "record_all_cleared", "take", "_node_event_hash_values")
"""What a recorder of the Python core has."""

RUST_NS, NOTED_NS, EVENT_NS = 400, 100, 2_500
"""About what making the events of a block takes: its hash, and an event of its own where nothing cheaper is there."""


@dataclass(frozen=True, slots=True)
class Source:
    """Returns and forgets the events that a cache has made; making them takes `block_ns` for each block that came.

    `names_nodes` says that blocks are named as nodes name them, whatever their namespace.
    """

    take: Callable[[Any], Sequence[Any]]
    block_ns: int
    names_nodes: bool = False


def source_of(cache: Any) -> Source:
    """Return the cheapest way to take the events of a cache; what a recorder notes is changed for good."""
    core = getattr(cache, "tree_core", None)
    recorder = getattr(core, "kv_events", None) or getattr(cache, "kv_events", None)
    beneath = getattr(core, "_binding", None)
    if beneath is not None and getattr(recorder, "_binding", None) is beneath and hasattr(beneath, "take_events"):
        return Source(lambda cache: cache.tree_core._binding.take_events(), RUST_NS)
    if recorder is not None and _can_note(recorder):
        recorder.__class__ = _noting(type(recorder))
        return Source(lambda cache: recorder.take(), NOTED_NS, names_nodes=True)
    return Source(lambda cache: cache.take_events(), EVENT_NS)


def _can_note(recorder: Any) -> bool:
    cls = type(recorder)
    fields = getattr(recorder, "__dict__", {})
    return (
        all(callable(getattr(cls, name, None)) for name in _NOTED)
        and isinstance(fields.get("_queue"), list)
        and isinstance(fields.get("page_size"), int)
        and isinstance(fields.get("enabled"), bool)
    )


def _noting(recorder: type[Any]) -> type[Any]:
    """Return a recorder that notes what comes and goes by nodes, with the hashes that those have anyway.

    It runs within the engine's calls: no error of ours leaves it.
    """

    class NotingRecorder(recorder):  # type: ignore[misc]
        """See above."""

        _queue: list[tuple[Any, ...]]

        def record_store(self, node: Any, medium: Any = None, **told: Any) -> None:
            """Note that the blocks of a node came to a place."""
            if self.enabled:
                try:
                    names, above = self._named(node), node.parent.hash_value
                    if names:
                        parent = above[-1] if above else None
                        self._queue.append((STORED, names, parent, None, self.page_size, medium))
                except Exception:  # noqa: BLE001 - the engine goes on; who takes the events says what is lost
                    self._queue.append((BROKEN,))

        def record_remove(self, node: Any, medium: Any = None, **told: Any) -> None:
            """Note that the blocks of a node left a place."""
            if self.enabled:
                try:
                    names = self._named(node)
                    if names:
                        self._queue.append((REMOVED, names, medium))
                except Exception:  # noqa: BLE001 - see above
                    self._queue.append((BROKEN,))

        def _named(self, node: Any) -> Any:
            if not node.hash_value:
                self._node_event_hash_values(node)
            return node.hash_value

        def record_all_cleared(self, *told: Any, **named: Any) -> None:
            """Note that everything is gone."""
            if self.enabled:
                self._queue.append((CLEARED,))

        def take(self) -> list[tuple[Any, ...]]:
            """Return and forget what was noted."""
            noted, self._queue = self._queue, []
            return noted

    return NotingRecorder
