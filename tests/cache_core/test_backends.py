"""The contract of backends: all of it must be there, and the same calls make the same nodes on each."""

from __future__ import annotations

import random
from array import array
from types import MemberDescriptorType
from typing import Any

import pytest

from cache_core import CacheConfig, ConfigError, PrefixCache
from cache_core.backend import BACKENDS, Backend
from cache_core.backends.naive import NaiveTree
from cache_core.control import build
from cache_core.key import PLAIN, TOKEN_BYTES, Namespace
from cache_core.node import Node, node_class
from tests.support.backends import backends_of

SPACES = (PLAIN, PLAIN, Namespace("lora", None))
PAGE = 2


def lacking(*names: str) -> type[Backend]:
    """Return a backend like the naive one that lacks some of the contract."""
    has = {
        name: value
        for name, value in vars(NaiveTree).items()
        if not isinstance(value, MemberDescriptorType) and name not in names
    }
    has["__slots__"] = tuple(name for name in NaiveTree.__slots__ if name not in names)
    return type("Lacking", (Backend,), has)


class Pair:
    """One backend, driven at random; what it says is kept to be compared."""

    def __init__(self, name: str, unit_bytes: int) -> None:
        self.cut: list[tuple[int, int]] = []
        split = (lambda upper, lower: self.cut.append((upper.id, lower.id)),)
        self.node_type = node_class((), (), unit_bytes)
        self.tree = BACKENDS.load(name)(PAGE, self.node_type, (), split, unit_bytes)
        self.unit = unit_bytes

    def key(self, dice: random.Random) -> tuple[bytes, Namespace]:
        """Return whole pages of few different tokens, so that keys part anywhere."""
        count = PAGE * dice.randrange(7) * self.unit // TOKEN_BYTES
        return array("i", [dice.choice((1, 1, 1, 2)) for _ in range(count)]).tobytes(), dice.choice(SPACES)

    def step(self, dice: random.Random) -> list[Any]:
        """Walk, and write or take away what is there; return what was seen."""
        units, space = self.key(dice)
        end, at, inside, agreed = self.tree.walk(units, space, len(units))
        seen: list[Any] = [end.id, end.depth, at, inside and inside.id, agreed]
        kind = dice.randrange(3)
        if kind and inside is not None and agreed:
            end, at = self.tree.split(inside, agreed), at + agreed
        if kind and at < len(units):
            slots = array("i", range(len(units) // self.unit))
            end = self.tree.attach(end, units[at:], slots, at // self.unit, space)
        if not kind and end is not self.tree.root and not end.children:
            parent = self.tree.detach(end)
            seen.append(parent.id)
            if dice.randrange(2):
                self.tree.reattach(end, parent)
        return [*seen, end.id, self.cut, self.tree.nodes, self.tree.leaves, *self.rows()]

    def rows(self) -> list[Any]:
        """Return every node with what it is found by and what its parent has."""
        return sorted(
            (n.id, n.parent.id, n.start, n.edge, list(n.slots()), self.tree.child_key(n), [*n.children])
            for n in self.tree.descend()
        )


@pytest.mark.one_backend("no tree")
@pytest.mark.parametrize("unit_bytes", [TOKEN_BYTES, 2 * TOKEN_BYTES])
@pytest.mark.parametrize("name", BACKENDS.names[1:])
def test_the_same_calls_make_the_same_nodes(name: str, unit_bytes: int) -> None:
    first, other = Pair(BACKENDS.names[0], unit_bytes), Pair(name, unit_bytes)
    for seed in range(400):
        assert first.step(random.Random(seed)) == other.step(random.Random(seed))
        if seed % 100 == 99:
            for pair in (first, other):
                pair.tree.clear(pair.node_type)
    assert len(first.cut) > 20


@pytest.mark.parametrize("limit", [0, 2, 4, 6])
def test_a_place_changes_no_answer(backend: type[Backend], limit: int) -> None:
    tree = backend(1, Node)
    upper = tree.attach(tree.root, bytes(4 * 2), array("i", range(6)), 0, PLAIN)
    place = tree.attach(upper, bytes(4 * 4), array("i", range(6)), 2, PLAIN)
    units = bytes(4 * 6)
    assert tree.walk(units, PLAIN, 4 * limit, place) == tree.walk(units, PLAIN, 4 * limit)


@pytest.mark.one_backend("no tree")
@pytest.mark.parametrize("name", sorted(Backend.__abstractmethods__))
def test_a_backend_that_lacks_anything_cannot_be_made(name: str) -> None:
    with pytest.raises(TypeError, match=f"abstract .*{name}"):
        lacking(name)(1, Node)


@pytest.mark.one_backend("no tree")
def test_a_backend_that_lacks_nothing_can_be_made() -> None:
    assert lacking()(1, Node).nodes == 0


def test_every_cache_of_a_test_has_the_backend_under_test(backend: type[Backend]) -> None:
    configs = [CacheConfig(components=("full",), full_slots=8, backend=name) for name in BACKENDS]
    caches = [PrefixCache(config) for config in configs] + [build("chunk", configs[0])]
    assert {type(cache.tree) for cache in caches} == {backend}


@pytest.mark.one_backend("no tree")
def test_a_configuration_names_its_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for name in BACKENDS:
        config = CacheConfig(components=("full",), full_slots=8, backend=name)
        assert config.describe()["backend"] == name
        assert type(PrefixCache(config).tree) is BACKENDS.load(name)


@pytest.mark.one_backend("no tree")
def test_an_unknown_backend_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"backend 'rust' is unknown; choose from: python, naive"):
        CacheConfig(components=("full",), backend="rust")


@pytest.mark.one_backend("no tree")
def test_the_block_hash_cache_refuses_a_backend_that_it_would_not_use() -> None:
    with pytest.raises(ConfigError, match="backend 'naive': the block-hash cache has a table of its own"):
        build("block_hash", CacheConfig(components=("full",), full_slots=8, backend="naive"))


@pytest.mark.one_backend("no tree")
def test_a_test_may_not_leave_backends_out_for_reasons_of_its_own() -> None:
    assert backends_of([]) == BACKENDS.names
    assert backends_of([pytest.mark.one_backend("cost").mark]) == BACKENDS.names[:1]
    with pytest.raises(pytest.UsageError, match="known reasons are cost, "):
        backends_of([pytest.mark.one_backend("slow").mark])
