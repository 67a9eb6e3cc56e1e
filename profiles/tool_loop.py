"""An agent's loop: each step sends all that was said and found, and what it asks for comes back as a result."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from profiles.texts import Texts
from profiles.workload import Prompt, Segments

RESULTS = "result"
"""The family of texts that a loop asks for."""

_MOST_STEPS = 64


Resume = Callable[["array[int]"], Prompt | None]
"""Takes the last answer of a loop and returns what follows it."""

Send = Callable[[Resume], Prompt]
"""Begins a loop whose last answer goes to whoever sent for it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the tokens of its answer, and those of the result that the next step begins with."""

    answer_tokens: int
    result_tokens: int


@dataclass(frozen=True, slots=True)
class ToolLoop:
    """Loop `number`, its steps decided beforehand, its results drawn from `texts`.

    `helpers` are other loops: a step that has one sends for it, and the last answer of the helper is the result.
    `then` takes the last answer and returns what follows the loop.
    """

    texts: Texts
    number: int
    steps: tuple[Step, ...]
    helpers: Mapping[int, Send]
    then: Resume | None = None

    def opening(self, tokens: array[int], segments: Segments) -> Prompt:
        """Return the first step, which sends `tokens`."""
        return self._prompt(0, tokens, segments)

    def _prompt(self, step: int, tokens: array[int], segments: Segments) -> Prompt:
        named = (*segments, (len(tokens), f"answer {step + 1}"))
        goes_on = step + 1 < len(self.steps) or self.then is not None
        return Prompt(
            tokens=tokens,
            output_tokens=self.steps[step].answer_tokens,
            segments=named,
            follow_up=partial(self._answered, step, tokens, named) if goes_on else None,
        )

    def _answered(self, step: int, tokens: array[int], named: Segments, output: array[int]) -> Prompt | None:
        """Return what follows an answer; a loop without an answer ends."""
        if not output:
            return None
        if step + 1 == len(self.steps):
            return None if self.then is None else self.then(output)
        go_on = partial(self._found, step, tokens + output, named)
        if step in self.helpers:
            return self.helpers[step](go_on)
        return go_on(self.texts.text(RESULTS, self.number * _MOST_STEPS + step, self.steps[step].result_tokens))

    def _found(self, step: int, said: array[int], named: Segments, result: array[int]) -> Prompt:
        return self._prompt(step + 1, said + result, (*named, (len(said), f"result {step + 1}")))
