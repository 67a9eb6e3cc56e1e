"""The canary: what a class must have before it is wrapped, and the sentence for what it lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from probes.inside.canary import Method, field_names, inspect_class


class Found(NamedTuple):
    device_prefix_len: int
    host_hit_length: int = 0


@dataclass(slots=True)
class Evicted:
    num_tokens_evicted: int = 0


class Cache:
    """A class of the shape that is known."""

    def match(self, params: object) -> Found:
        return Found(0)

    def evict(self, params: object, *, force: bool = False) -> Evicted:
        return Evicted()


class Results:
    """The module of results."""

    Found = Found
    Evicted = Evicted


MATCH = Method("match", ("params",), True, "Found", (("device_prefix_len", "device_indices"), ("host_hit_length",)))
EVICT = Method("evict", ("params",), True, "Evicted", (("num_tokens_evicted",),))


def test_a_class_of_the_known_shape_is_sound_and_what_it_may_lack_is_left_alone() -> None:
    verdict = inspect_class(Cache, [MATCH, EVICT, Method("evict_for_alloc", ("params",))], Results)
    assert verdict.is_sound and verdict.methods == ("match", "evict")


def renamed(self: object, key: object) -> Found:
    return Found(0)


async def later(self: object, params: object) -> Found:
    return Found(0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"match": None}, "has no match"),
        ({"match": renamed}, "match takes (key), not (params, ...)"),
        ({"match": later}, "match does not return when it is called"),
        ({"match": staticmethod(lambda params: None)}, "match is a staticmethod, no plain method"),
        ({"match": property(lambda self: None)}, "match is a property, no plain method"),
    ],
    ids=["gone", "renamed", "coroutine", "static", "property"],
)
def test_another_shape_is_refused_in_words(change: dict[str, Any], said: str) -> None:
    members = {name: value for name, value in Cache.__dict__.items() if not name.startswith("__")} | change
    cls = type("Cache", (), {name: value for name, value in members.items() if value is not None})
    (fault,) = inspect_class(cls, [MATCH, EVICT], Results).faults
    assert said in fault


def test_a_result_without_a_field_is_refused() -> None:
    class Shorter:
        Found = Evicted
        Evicted = Evicted

    (fault,) = inspect_class(Cache, [MATCH, EVICT], Shorter).faults
    assert fault == "Found has no device_prefix_len or device_indices"


def test_a_result_that_is_not_there_is_refused() -> None:
    assert "there is no Found" in inspect_class(Cache, [MATCH, EVICT], None).faults


def test_the_fields_of_every_kind_of_result_are_found() -> None:
    class Slotted:
        __slots__ = ("slot",)
        noted: int

        @property
        def read(self) -> int:
            return 1

    assert field_names(Slotted) >= {"slot", "noted", "read"}
    assert field_names(Evicted) >= {"num_tokens_evicted"} and field_names(Found) >= {"device_prefix_len"}
