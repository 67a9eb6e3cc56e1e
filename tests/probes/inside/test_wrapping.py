"""A wrapper around an engine's call: what it lets through, what it keeps in, and when it goes."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from probes.inside.wrapping import ANYBODY, MOST_FAULTS, Call, Hook, install


class Place:
    """A seat that notes what it is told."""

    def __init__(self) -> None:
        self.thread = ANYBODY
        self.inside: set[str] = set()
        self.telling_ns = 0
        self.told: list[Any] = []
        self.faults: list[str] = []

    def fault(self, hook: Hook, error: BaseException) -> None:
        self.faults.append(f"{hook.operation}: {error}")

    def done(self) -> None:
        self.told.append("done")


class Panic(BaseException):
    """What a Rust extension raises: no Exception."""


def engine() -> type[Any]:
    class Engine:
        """An engine with a method that calls another."""

        def find(self, key: object, *, deep: bool = False) -> object:
            return self.search(key) if deep else [key]

        def search(self, key: object) -> object:
            if key == "broken":
                raise LookupError(key)
            return (key,)

    return Engine


def wrapped(place: Place, hook: Hook, name: str = "find") -> Any:
    cls = engine()
    install(cls, name, hook, lambda instance: place)
    return cls()


def telling(place: Place, call: Call) -> None:
    place.told.append((call.arguments, call.keywords, call.result))


def failing(place: Place, call: Call) -> None:
    raise Panic("ours")


def test_the_result_is_the_very_object_that_the_engine_returned() -> None:
    place = Place()
    key = object()
    found: Any = wrapped(place, Hook("find", telling)).find(key)
    assert found[0] is key
    assert place.told == [((key,), {}, found), "done"] and place.told[0][2] is found


def test_arguments_are_found_by_position_and_by_name() -> None:
    call = Call(None, ("a",), {"deep": True})
    assert (call.argument(0, "key"), call.argument(1, "deep"), call.argument(2, "other")) == ("a", True, None)


def test_an_exception_of_the_engine_passes_and_tells_only_who_asked_for_that() -> None:
    place = Place()
    broken: list[Call] = []
    hook = Hook("find", telling, lambda place, call: "noted", lambda place, call: broken.append(call))
    with pytest.raises(LookupError, match="broken"):
        wrapped(place, hook).find("broken", deep=True)
    assert [call.note for call in broken] == ["noted"]
    assert place.inside == set() and "done" in place.told and len(place.told) == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_error_of_ours_stays_inside_and_too_many_take_the_wrapper_off(when: str) -> None:
    place = Place()
    hook = Hook("find", failing) if when == "after" else Hook("find", telling, failing)
    instance = wrapped(place, hook)
    plain = engine().find
    for number in range(1, MOST_FAULTS + 1):
        assert instance.find("a") == ["a"] and len(place.faults) == number
    assert not hook.is_on and instance.find("a") == ["a"] and len(place.faults) == MOST_FAULTS
    assert type(instance).find.__code__ is plain.__code__


def test_an_error_in_finding_the_seat_is_one_too_many() -> None:
    cls: Any = engine()

    def lost(instance: object) -> Place:
        raise Panic

    hook = Hook("find", telling)
    install(cls, "find", hook, lost)
    assert cls().find("a") == ["a"] and not hook.is_on


def test_what_a_signal_raises_is_for_the_engine() -> None:
    def interrupted(place: Place, call: Call) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wrapped(Place(), Hook("find", interrupted)).find("a")


def test_calls_of_other_threads_are_not_told() -> None:
    place = Place()
    instance = wrapped(place, Hook("find", telling))
    instance.find("a")
    other = threading.Thread(target=instance.find, args=("b",))
    other.start()
    other.join()
    assert [told[0] for told in place.told if told != "done"] == [("a",)]


def test_of_calls_of_one_operation_within_each_other_the_outermost_is_told() -> None:
    place = Place()
    cls: Any = engine()
    for name in ("find", "search"):
        install(cls, name, Hook("find", telling), lambda instance: place)
    cls().find("a", deep=True)
    assert [told[2] for told in place.told if told != "done"] == [("a",)]


def test_an_inherited_method_is_wrapped_for_the_class_alone() -> None:
    base: Any = engine()
    child: Any = type("Child", (base,), {})
    hook = Hook("find", telling)
    place = Place()
    install(child, "find", hook, lambda instance: place)
    base().find("a")
    assert place.told == []
    hook.switch_off()
    assert "find" not in child.__dict__ and child().find("a") == ["a"]


def test_a_wrapper_around_ours_stays_when_ours_goes() -> None:
    cls: Any = engine()
    hook = Hook("find", telling)
    place = Place()
    install(cls, "find", hook, lambda instance: place)
    ours = cls.find
    cls.find = lambda self, key: [*ours(self, key), "theirs"]
    hook.switch_off()
    assert cls().find("a") == ["a", "theirs"] and place.told == []


def test_our_own_part_is_measured() -> None:
    place = Place()
    wrapped(place, Hook("find", telling)).find("a")
    assert place.telling_ns > 0
