"""Rows that go to the host come back as they were, into whatever slots they are given."""

from __future__ import annotations

import random
from array import array
from typing import TYPE_CHECKING, NamedTuple

import pytest

from cache_core.engine.shape import LayerKind
from cache_core.host.transfer import Transfer
from tests.cache_core.engine.conftest import NANO

if TYPE_CHECKING:
    from cache_core.engine.device_pool import DevicePool
    from cache_core.engine.host_pool import HostPool
    from cache_core.engine.transfers import Copier

pytestmark = pytest.mark.needs("torch")

KINDS = (LayerKind.RECURRENT, LayerKind.WINDOW, LayerKind.RECURRENT, LayerKind.FULL)


class Memories(NamedTuple):
    """Device pools of random rows, host pools of zeros, and what copies between them."""

    device: dict[LayerKind, DevicePool]
    host: dict[LayerKind, HostPool]
    copier: Copier


@pytest.fixture
def memories() -> Memories:
    import torch

    from cache_core.engine.device_pool import build_pools
    from cache_core.engine.host_pool import build_host_pools
    from cache_core.engine.transfers import Copier

    slots = {LayerKind.FULL: 40, LayerKind.WINDOW: 30, LayerKind.RECURRENT: 9}
    device = build_pools(KINDS, slots, NANO, torch.device("cpu"), torch.float32)
    for pool in device.values():
        pool.layers.normal_(generator=torch.Generator().manual_seed(1))
    host = build_host_pools({kind: 2 * count for kind, count in slots.items()}, device)
    return Memories(device, host, Copier(device, host))


def _slots(seed: int, count: int, below: int) -> array[int]:
    return array("i", random.Random(seed).sample(range(1, below), count))


def _both_ways(name: str, before: array[int], host: array[int], after: array[int]) -> list[Transfer]:
    return [Transfer(1, "backup", {name: (before, host)}), Transfer(2, "load", {name: (after, host)})]


@pytest.mark.parametrize("kind", list(LayerKind))
@pytest.mark.parametrize("neighbours", [True, False], ids=["neighbours", "scattered"])
def test_rows_come_back_as_they_were(memories: Memories, kind: LayerKind, neighbours: bool) -> None:
    name, layers = kind.value, memories.device[kind].layers
    before, after = _slots(1, 7, layers.shape[1]), _slots(2, 7, layers.shape[1])
    host = array("i", range(3, 10)) if neighbours else _slots(3, 7, 2 * layers.shape[1])
    backup, load = _both_ways(name, before, host, after)
    rows = layers[:, before.tolist()].clone()
    memories.copier.copy(backup)
    layers[:, before.tolist()] = float("nan")
    memories.copier.copy(load)
    assert layers[:, after.tolist()].equal(rows)


def test_a_transfer_touches_no_other_row(memories: Memories) -> None:
    layers, rows = memories.device[LayerKind.FULL].layers, memories.host[LayerKind.FULL].rows
    before = layers.clone()
    backup, load = _both_ways("full", array("i", [5, 4]), array("i", [8, 20]), array("i", [9, 2]))
    memories.copier.copy(backup)
    assert layers.equal(before)
    assert rows.flatten(1).any(1).nonzero().flatten().tolist() == [8, 20]
    memories.copier.copy(load)
    assert (layers != before).flatten(2).any(2).any(0).nonzero().flatten().tolist() == [2, 9]


def test_every_kind_of_a_transfer_is_copied(memories: Memories) -> None:
    ends = {kind.value: array("i", [3, 4]) for kind in LayerKind}
    memories.copier.copy(Transfer(1, "backup", {name: (slots, slots) for name, slots in ends.items()}))
    for kind, pool in memories.host.items():
        assert pool.rows[3:5].transpose(0, 1).equal(memories.device[kind].layers[:, 3:5])


def test_a_kind_without_slots_is_left_alone(memories: Memories) -> None:
    memories.copier.copy(Transfer(1, "backup", {"full": (array("i"), array("i")), "mamba": (array("i"), array("i"))}))
    assert not any(pool.rows.any() for pool in memories.host.values())


def test_a_direct_lane_names_each_transfer_once_and_in_order(memories: Memories) -> None:
    from cache_core.engine.transfers import DirectLane

    lane = DirectLane(memories.copier)
    for number in (7, 3):
        lane.start(Transfer(number, "backup", {"full": (array("i", [1]), array("i", [number]))}))
    assert lane.finished() == [7, 3]
    assert lane.finished() == []
