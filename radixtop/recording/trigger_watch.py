"""What `--on` asks for: triggers by name, made anew for every file, and the file that one of them starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from probes.mirror import Mirror
from probes.recordings.tape import Tape
from probes.recordings.triggered_reel import TriggeredReel
from probes.trigger import TRIGGERS, Trigger


@dataclass(frozen=True, slots=True)
class TriggerOrder:
    """A trigger and the thresholds that it is to have in place of its own."""

    name: str
    levels: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Firing:
    """A trigger that fired: which, why, when, and the file that keeps it."""

    name: str
    reason: str
    at: str
    file: Path

    def describe(self) -> dict[str, object]:
        """Return it as JSON can hold it."""
        return {"name": self.name, "reason": self.reason, "at": self.at, "file": str(self.file)}


def order_of(text: str) -> TriggerOrder:
    """Return the order that a text such as hit-drop:factor=0.3,rate=0.5 gives; raise ValueError for another."""
    name, _, settings = text.partition(":")
    if name not in TRIGGERS:
        raise ValueError(f"{name!r} is no trigger: choose from {', '.join(TRIGGERS)}")
    known = TRIGGERS.load(name).thresholds
    levels: dict[str, float] = {}
    for setting in filter(None, settings.split(",")):
        threshold, _, number = setting.partition("=")
        if threshold not in known:
            choices = ", ".join(f"{key} ({level.meaning})" for key, level in known.items())
            raise ValueError(f"{name} has no threshold {threshold!r}: choose from {choices}")
        levels[threshold] = _number(number, f"{name}:{threshold}")
    return TriggerOrder(name, tuple(levels.items()))


def said_of_triggers() -> str:
    """Return every trigger with its thresholds as they are unless told, and what these are."""
    return "; ".join(
        f"{name}: "
        + ", ".join(
            f"{key}={known.default:g} ({known.meaning})" for key, known in TRIGGERS.load(name).thresholds.items()
        )
        for name in TRIGGERS
    )


class TriggerWatch:
    """Starts a file when a trigger fires and ends it `after_ns` later."""

    def __init__(
        self, orders: Iterable[TriggerOrder], reel: TriggeredReel, paths: Callable[[int], Path], after_ns: int
    ) -> None:
        self.firings: list[Firing] = []
        self._orders = tuple(orders)
        self._reel = reel
        self._path = paths
        self._after_ns = after_ns
        self._until = 0
        self._is_open = False

    def triggers(self, mirror: Mirror) -> dict[str, Trigger]:
        """Return triggers that know nothing yet."""
        return {order.name: TRIGGERS.load(order.name)(mirror, dict(order.levels)) for order in self._orders}

    def look(self, tape: Tape, config: Mapping[str, object], now: int) -> Firing | None:
        """Start a file if a trigger fires, and return that. Raises RecordingError when it cannot be written."""
        fired = tape.fired()
        if fired is None or self._is_open:
            return None
        name, reason = fired
        firing = Firing(name, reason, datetime.now().astimezone().isoformat("T", "seconds"), self._path(self._count))
        trigger = {"name": name, "reason": reason, "at": firing.at}
        self._reel.record_to(firing.file, {**config, "trigger": trigger}, f"{name}: {reason}")
        self.firings.append(firing)
        self._is_open = True
        self._until = now + self._after_ns
        return firing

    def finish(self, tape: Tape, now: int) -> bool:
        """Close the file if its time is over, and say whether it was, or was full before."""
        if not self._is_open or (now < self._until and self._reel.is_recording):
            return False
        self._is_open = False
        self._reel.finish(now)
        tape.use(self.triggers(tape.mirror))
        return True

    @property
    def _count(self) -> int:
        return len(self.firings) + 1


def _number(text: str, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not 0 <= number < 1e18:
        raise ValueError(f"{text!r} is no number for {what}")
    return number
