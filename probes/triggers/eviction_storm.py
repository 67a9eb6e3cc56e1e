"""Fires when far more is evicted, or far more time spent on it, than at any time in the minute before.

    |<------------- a minute of whole seconds ------------->|
    |  the baseline: the worst `window` in here  |  window  |  now

A pool that fills up begins to evict as fast as it takes tokens in. That is no storm, so the tokens taken in count in
the baseline of what is evicted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from cache_core.events import MAX_COMPONENTS, Evict, Insert
from probes.fold import Folds
from probes.mirror import Mirror
from probes.trigger import Threshold, Trigger
from probes.window import HISTORY_SECONDS, SECOND_NS, Counters


class EvictionStorm(Trigger):
    """Compares the newest seconds with the worst ones of the minute before, for each component."""

    thresholds = MappingProxyType(
        {
            "factor": Threshold(3, "times the worst of the minute before"),
            "window": Threshold(5, "seconds that are compared"),
            "tokens": Threshold(1000, "evicted tokens a second that are too few for a storm"),
            "time": Threshold(0.1, "share of the time spent in evictions that is too little for one"),
            "learn": Threshold(20, "seconds of traffic to judge by"),
        }
    )

    def __init__(self, mirror: Mirror, set_to: Mapping[str, float] = MappingProxyType({})) -> None:
        super().__init__(mirror, set_to)
        self._taken = Counters(1)
        self._spent_ns = Counters(2)
        self._evicted: dict[int, Counters] = {}

    def folds(self) -> Folds:
        """See Trigger."""
        return {Insert: self._insert, Evict: self._evict}

    def reason(self, now: int) -> str:
        """See Trigger."""
        taken = _column(self._taken, now)
        evicted = {component: _column(counters, now) for component, counters in self._evicted.items()}
        if not self._knows_enough([taken, *evicted.values()]):
            return ""
        for component, tokens in sorted(evicted.items()):
            recent, before = self._compare(tokens)
            before = max(before, self._compare(taken)[1])
            if recent > max(self.levels["factor"] * before, self.levels["tokens"]):
                name = self.mirror.component_name(component)
                return f"{recent:,.0f} tokens a second evicted of {name}, at most {before:,.0f} in the minute before"
        return self._judge_time(now)

    def _judge_time(self, now: int) -> str:
        """Judge by the time, unless the clock was not read at some call: then it is not known."""
        seconds = self._spent_ns.history(now)
        if any(unmeasured for _, unmeasured in seconds):
            return ""
        recent, before = (ns / SECOND_NS for ns in self._compare([spent_ns for spent_ns, _ in seconds]))
        if recent > max(self.levels["factor"] * before, self.levels["time"]):
            return f"{recent:.0%} of the time spent in evictions, at most {before:.1%} in the minute before"
        return ""

    def _insert(self, record: Insert) -> None:
        self._taken.row(record.at)[0] += record.new_tokens

    def _evict(self, record: Evict) -> None:
        spent = self._spent_ns.row(record.at)
        spent[0] += record.duration_ns
        spent[1] += record.duration_ns == 0
        for component, tokens in enumerate(record.freed_tokens[:MAX_COMPONENTS]):
            counters = self._evicted.get(component)
            if counters is None:
                counters = self._evicted[component] = Counters(1)
            counters.row(record.at)[0] += tokens

    def _knows_enough(self, columns: Sequence[Sequence[int]]) -> bool:
        """Say whether there was traffic long enough before the window."""
        busy = [any(values) for values in zip(*columns, strict=True)]
        return True in busy and HISTORY_SECONDS - self._window - busy.index(True) >= self.levels["learn"]

    @property
    def _window(self) -> int:
        return max(1, round(self.levels["window"]))

    def _compare(self, values: Sequence[int]) -> tuple[float, float]:
        """Return the mean a second of the window, and the highest of any window before it."""
        window = self._window
        sums = [sum(values[end - window : end]) for end in range(window, len(values) + 1)]
        return sums[-1] / window, max(sums[:-window], default=0) / window


def _column(counters: Counters, now: int) -> list[int]:
    return [row[0] for row in counters.history(now)]
