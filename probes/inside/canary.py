"""Checks the shape of an engine's class before anything of it is wrapped: what we take for granted must be there.

A check never calls the engine. What a newer version renamed shows as a sentence, not as wrong figures.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Method:
    """A method that is wrapped, and the parameters after `self` that are read, by name.

    `required` must be there; another one is left alone where it is not. Of `results`, which are fields of what it
    returns, one of each group must be there.
    """

    name: str
    parameters: tuple[str, ...] = ()
    required: bool = False
    result: str = ""
    results: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a class is like: the methods that can be wrapped, and why it is left alone, if it is."""

    methods: tuple[str, ...] = ()
    faults: tuple[str, ...] = field(default=())

    @property
    def is_sound(self) -> bool:
        """Whether the class may be wrapped."""
        return not self.faults


def inspect_class(owner: type, methods: Sequence[Method], results: Any) -> Verdict:
    """Judge a class. `results` is the module, or anything, that has the classes of results by name."""
    found: list[str] = []
    faults: list[str] = []
    for method in methods:
        function = inspect.getattr_static(owner, method.name, None)
        if function is None:
            if method.required:
                faults.append(f"{owner.__name__} has no {method.name}")
            continue
        wrong = _fault_of(owner, method, function) or _fault_of_result(method, results)
        if wrong:
            faults.append(wrong)
        else:
            found.append(method.name)
    return Verdict(tuple(found), tuple(faults))


def field_names(cls: type) -> frozenset[str]:
    """Return the names that instances of a class have: of a NamedTuple, a dataclass, slots, or annotations."""
    names: set[str] = set(getattr(cls, "_fields", ()))
    names |= set(getattr(cls, "__dataclass_fields__", ()))
    names |= set(getattr(cls, "__struct_fields__", ()))
    for each in cls.__mro__:
        slots = each.__dict__.get("__slots__", ())
        names |= {slots} if isinstance(slots, str) else set(slots)
        names |= set(inspect.get_annotations(each))
        names |= {name for name, value in each.__dict__.items() if isinstance(value, property)}
    return frozenset(names)


def _fault_of(owner: type, method: Method, function: object) -> str:
    """Return what is wrong with a method: it is no plain one, or lacks a parameter that we read."""
    where = f"{owner.__name__}.{method.name}"
    if not inspect.isfunction(function):
        return f"{where} is a {type(function).__name__}, no plain method"
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return f"{where} does not return when it is called"
    names = [*inspect.signature(function).parameters][1:]
    for position, name in enumerate(method.parameters):
        if position >= len(names) or names[position] != name:
            return f"{where} takes ({', '.join(names)}), not ({', '.join(method.parameters)}, ...)"
    return ""


def _fault_of_result(method: Method, results: Any) -> str:
    """Return what a result lacks; a result whose class is not there tells nothing."""
    cls = getattr(results, method.result, None) if method.result else None
    if not isinstance(cls, type):
        return f"there is no {method.result}" if method.result else ""
    names = field_names(cls)
    for group in method.results:
        if not names.intersection(group):
            return f"{method.result} has no {' or '.join(group)}"
    return ""
