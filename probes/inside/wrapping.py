"""The wrapper around a call of an engine: its result and its exceptions pass as they are, whatever becomes of ours.

What we do before and after a call is fenced: an error of ours is counted, and MOST_FAULTS of them take the wrapper
off. Only what a signal handler raises (KeyboardInterrupt, SystemExit) goes through, since it is meant for the engine.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import get_ident
from typing import Any, Protocol

MOST_FAULTS = 8
"""A wrapper that failed so often is taken off."""

ANYBODY = 0
"""No thread has this number: who a seat belongs to until the first call."""

MOST_NS = 500_000
"""Our part of a call takes no longer: a thread for which it seems to had to wait meanwhile."""

clock = time.perf_counter_ns


class Seat(Protocol):
    """Where the calls on one object of the engine are told."""

    thread: int
    """The one thread whose calls are told; ANYBODY until the first."""

    inside: set[str]
    """The operations that are under way: what an engine calls within one of the same name is not told again."""

    telling_ns: int
    """How long our own part of the calls took."""

    def fault(self, hook: Hook, error: BaseException) -> None:
        """Say that our part of a call failed."""
        ...

    def done(self) -> None:
        """Publish if it is time to."""
        ...


@dataclass(slots=True)
class Call:
    """One call: who was called with what, what came of it, and when. `note` is what `Hook.before` returned."""

    instance: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    note: Any = None
    result: Any = None
    began: int = 0
    ended: int = 0

    def argument(self, position: int, name: str) -> Any:
        """Return an argument that may have been given by position or by name; None when it was not given."""
        if position < len(self.arguments):
            return self.arguments[position]
        return self.keywords.get(name)


class Hook:
    """What is told of one method: `before` may note something, `after` tells, `broken_off` knows of an error instead.

    `operation` is shared by methods that call each other: the outermost one is told.
    """

    def __init__(
        self,
        operation: str,
        after: Callable[[Any, Call], None],
        before: Callable[[Any, Call], Any] | None = None,
        broken_off: Callable[[Any, Call], None] | None = None,
    ) -> None:
        self.operation = operation
        self.after = after
        self.before = before
        self.broken_off = broken_off
        self.faults = 0
        self.is_on = True
        self.take_off: list[Callable[[], None]] = []

    def failed(self, seat: Seat, error: BaseException) -> None:
        """Count an error of ours; take the wrapper off at one too many."""
        self.faults += 1
        if self.faults >= MOST_FAULTS and self.is_on:
            self.switch_off()
        seat.fault(self, error)

    def switch_off(self) -> None:
        """Tell nothing from now on, and take the wrappers off."""
        self.is_on = False
        for take_off in self.take_off:
            take_off()


def install(owner: type, name: str, hook: Hook, seat_of: Callable[[Any], Seat | None]) -> None:
    """Wrap a method of a class, the inherited one where it has none of its own."""
    original = getattr(owner, name)
    own = owner.__dict__.get(name)
    wrapper = around(original, hook, seat_of)

    def take_off() -> None:
        if owner.__dict__.get(name) is not wrapper:
            return  # somebody else wrapped ours: it stays, and passes everything through
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)

    setattr(owner, name, wrapper)
    hook.take_off.append(take_off)


def around(original: Callable[..., Any], hook: Hook, seat_of: Callable[[Any], Seat | None]) -> Callable[..., Any]:
    """Return a function that does what `original` does and has `hook` tell of it."""

    @functools.wraps(original)
    def told(self: Any, *arguments: Any, **keywords: Any) -> Any:
        entered = _enter(self, arguments, keywords, hook, seat_of)
        if entered is None:
            return original(self, *arguments, **keywords)
        seat, call = entered
        try:
            call.began = clock()
            call.result = result = original(self, *arguments, **keywords)
            call.ended = clock()
        except BaseException:
            _leave(seat, call, hook, hook.broken_off)
            raise
        _leave(seat, call, hook, hook.after)
        return result

    return told


def _enter(
    instance: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], hook: Hook,
    seat_of: Callable[[Any], Seat | None],
) -> tuple[Seat, Call] | None:  # fmt: skip
    """Return where a call is told, or None for one that is not."""
    seat: Seat | None = None
    try:
        if not hook.is_on:
            return None
        seat = seat_of(instance)
        if seat is None or not _is_mine(seat) or hook.operation in seat.inside:
            return None
        entered = clock()
        call = Call(instance, arguments, keywords)
        if hook.before is not None:
            call.note = hook.before(seat, call)
        seat.inside.add(hook.operation)
        seat.telling_ns += min(clock() - entered, MOST_NS)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a Rust core's panic is no Exception
        _fence(hook, seat, error)
        return None
    return seat, call


def _leave(seat: Seat, call: Call, hook: Hook, tell: Callable[[Any, Call], None] | None) -> None:
    """Tell of a call that returned or raised."""
    seat.inside.discard(hook.operation)
    if tell is None:
        return
    try:
        began = call.ended or clock()
        tell(seat, call)
        seat.telling_ns += min(clock() - began, MOST_NS)
        seat.done()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - see above
        _fence(hook, seat, error)


def _fence(hook: Hook, seat: Seat | None, error: BaseException) -> None:
    """Count an error; nothing of it gets out, not even an error of the counting."""
    try:
        if seat is not None:
            hook.failed(seat, error)
        else:
            hook.switch_off()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - there is nothing left to tell it to
        hook.is_on = False


def _is_mine(seat: Seat) -> bool:
    """Say whether this thread's calls are told: the first to call is the one."""
    thread = get_ident()
    if seat.thread == ANYBODY:
        seat.thread = thread
    return seat.thread == thread
