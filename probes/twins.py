"""Twins of what is known: copies that go their own way from now on, and share what never changes.

Records and frozen mappings are most of what probes keep. `copy.deepcopy` takes each of them apart, and can be told
otherwise only for the whole process, where it would spoil how records are pickled. Whatever has a `__deepcopy__` is
asked for it, with the same memo.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, TypeVar, get_args

from cache_core.events import Record

T = TypeVar("T")

Memo = dict[int, Any]
"""Twins by the ids of what they are twins of; under its own id what must live as long."""

_PLAIN = (type(None), bool, int, float, str, bytes, type, FunctionType, MappingProxyType)
_SHARED = frozenset((*_PLAIN, *get_args(Record)))
"""The classes of what never changes."""


def twin_of(known: T) -> T:
    """Return a copy that shares nothing that changes."""
    twin: T = _twin(known, {})
    return twin


def _twin(known: Any, memo: Memo) -> Any:
    cls = type(known)
    if cls in _SHARED:
        return known
    twin = memo.get(id(known))
    return _BY_CLASS.get(cls, _of_object)(known, memo) if twin is None else twin


def _of_list(known: list[Any], memo: Memo) -> list[Any]:
    twin: list[Any] = []
    memo[id(known)] = twin
    twin += (each if type(each) in _SHARED else _twin(each, memo) for each in known)
    return twin


def _of_deque(known: deque[Any], memo: Memo) -> deque[Any]:
    twin: deque[Any] = deque(maxlen=known.maxlen)
    memo[id(known)] = twin
    twin += (each if type(each) in _SHARED else _twin(each, memo) for each in known)
    return twin


def _of_dict(known: dict[Any, Any], memo: Memo) -> dict[Any, Any]:
    twin: dict[Any, Any] = {}
    memo[id(known)] = twin
    for key, value in known.items():
        twin[_twin(key, memo)] = _twin(value, memo)
    return twin


def _of_tuple(known: tuple[Any, ...], memo: Memo) -> tuple[Any, ...]:
    parts = [_twin(part, memo) for part in known]
    if all(part is twin for part, twin in zip(known, parts, strict=True)):
        return known
    return tuple.__new__(type(known), parts)


def _of_method(known: MethodType, memo: Memo) -> MethodType:
    return MethodType(known.__func__, _twin(known.__self__, memo))


def _of_builtin(known: BuiltinFunctionType, memo: Memo) -> Any:
    """Return the same of the twin of what it is bound to, as `append` is to a list."""
    owner = known.__self__
    return known if owner is None or isinstance(owner, ModuleType) else getattr(_twin(owner, memo), known.__name__)


def _of_object(known: Any, memo: Memo) -> Any:
    """Return a twin of what says itself how it is copied, or else is told as for a pickle."""
    cls = type(known)
    if isinstance(known, type):
        return known
    if isinstance(known, tuple):
        return _of_tuple(known, memo)
    if hasattr(cls, "__deepcopy__"):
        memo[id(known)] = twin = known.__deepcopy__(memo)
        return twin
    told: tuple[Any, ...] = (*known.__reduce_ex__(4), None, None, None)
    memo.setdefault(id(memo), []).append(told)  # parts of it are new, and no other may get their ids
    make, arguments, state, items, pairs = told[:5]
    memo[id(known)] = twin = make(*_twin(arguments, memo))
    if state is not None:
        _set_state(twin, _twin(state, memo))
    for each in items or ():
        twin.append(_twin(each, memo))
    for key, value in pairs or ():
        twin[_twin(key, memo)] = _twin(value, memo)
    return twin


def _set_state(twin: object, state: Any) -> None:
    if hasattr(twin, "__setstate__"):
        twin.__setstate__(state)
        return
    attributes: tuple[Mapping[str, object] | None, ...] = state if isinstance(state, tuple) else (state,)
    for some in attributes:
        for name, value in (some or {}).items():
            object.__setattr__(twin, name, value)


_BY_CLASS: dict[type, Callable[[Any, Memo], Any]] = {
    list: _of_list, deque: _of_deque, dict: _of_dict, tuple: _of_tuple, MethodType: _of_method,
    BuiltinFunctionType: _of_builtin,
    array: lambda known, memo: memo.setdefault(id(known), known[:]),
    set: lambda known, memo: memo.setdefault(id(known), {_twin(each, memo) for each in known}),
}  # fmt: skip
