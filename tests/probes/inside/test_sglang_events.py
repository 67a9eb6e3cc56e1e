"""Where SGLang's events are taken: beneath the Rust core, noted by nodes in the Python core, else as they come."""

from __future__ import annotations

from types import SimpleNamespace as Thing
from typing import Any

import pytest

from probes.inside.sglang_events import BROKEN, CLEARED, REMOVED, STORED, source_of


class Recorder:
    """A recorder of the shape of the Python core's."""

    def __init__(self) -> None:
        self.enabled = True
        self.page_size = 4
        self._queue: list[Any] = []

    def _node_event_hash_values(self, node: Any) -> list[int]:
        node.hash_value = ["ab" * 32]
        return [1]

    def record_store(self, node: Any, medium: Any = None, *, session_id: Any = None) -> None:
        raise AssertionError("an event a block")

    def record_remove(self, node: Any, medium: Any = None) -> None:
        raise AssertionError("an event a block")

    def record_all_cleared(self) -> None:
        raise AssertionError("an event")

    def take(self) -> list[Any]:
        raise AssertionError("events of blocks")


def node(above: Any = None) -> Any:
    return Thing(hash_value=None, parent=above or Thing(hash_value=None))


def test_the_python_core_notes_nodes_by_the_hashes_that_they_have() -> None:
    recorder = Recorder()
    source = source_of(Thing(tree_core=Thing(kv_events=recorder)))
    upper = node()
    recorder.record_store(upper, session_id=None)
    recorder.record_store(node(upper), "CPU")
    recorder.record_remove(upper)
    recorder.record_all_cleared()
    name = "ab" * 32
    assert source.names_nodes and source.take(None) == [
        (STORED, [name], None, None, 4, None),
        (STORED, [name], name, None, 4, "CPU"),
        (REMOVED, [name], None),
        (CLEARED,),
    ]
    assert source.take(None) == []


def test_a_node_of_another_shape_is_noted_as_broken_and_not_raised_into_the_engine() -> None:
    recorder = Recorder()
    source = source_of(Thing(tree_core=Thing(kv_events=recorder)))
    recorder.record_store(object())
    recorder.record_remove(object())
    assert source.take(None) == [(BROKEN,), (BROKEN,)]


def test_one_that_is_not_enabled_notes_nothing() -> None:
    recorder = Recorder()
    source = source_of(Thing(kv_events=recorder))
    recorder.enabled = False
    recorder.record_store(node())
    recorder.record_remove(node())
    recorder.record_all_cleared()
    assert source.take(None) == []


def test_the_rust_core_is_asked_beneath_its_adapter() -> None:
    binding = Thing(take_events=lambda: [(CLEARED,)])
    cache = Thing(tree_core=Thing(_binding=binding, kv_events=Thing(_binding=binding)))
    assert source_of(cache).take(cache) == [(CLEARED,)]


@pytest.mark.parametrize("missing", ["_queue", "page_size", "enabled"])
def test_a_recorder_of_another_shape_is_left_alone(missing: str) -> None:
    recorder = Recorder()
    delattr(recorder, missing)
    cache = Thing(kv_events=recorder, take_events=lambda: ["as they come"])
    assert source_of(cache).take(cache) == ["as they come"] and type(recorder) is Recorder
