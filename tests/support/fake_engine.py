"""An engine without a model: every request takes a given number of steps and answers with its own length."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from profiles.workload import Prompt


@dataclass(frozen=True)
class FakeAnswer:
    request_id: int
    output: array[int]


@dataclass
class FakeClock:
    """A clock in ns that stands still until somebody waits or an engine steps."""

    now: int = 0

    def __call__(self) -> int:
        return self.now

    def idle(self, seconds: float) -> None:
        self.now += round(seconds * 1e9)


@dataclass
class FakeEngine:
    """Serves prompts as they are. Runs all it has at once; a step takes `step_ns` of the clock."""

    clock: FakeClock = field(default_factory=FakeClock)
    steps_per_request: int = 3
    step_ns: int = 10_000_000
    refuse: frozenset[int] = frozenset()
    sent: list[Prompt] = field(default_factory=list)
    sent_at: list[int] = field(default_factory=list)
    most_outstanding: int = 0
    _left: dict[int, int] = field(default_factory=dict)

    @property
    def has_work(self) -> bool:
        return bool(self._left)

    def submit(self, prompt: Prompt) -> int:
        self.sent.append(prompt)
        self.sent_at.append(self.clock.now)
        request_id = 100 + len(self.sent)
        self._left[request_id] = self.steps_per_request
        self.most_outstanding = max(self.most_outstanding, len(self._left))
        return request_id

    def step(self) -> list[FakeAnswer]:
        self.clock.now += self.step_ns
        self._left = {request_id: left - 1 for request_id, left in self._left.items()}
        done = [request_id for request_id, left in self._left.items() if left == 0]
        for request_id in done:
            del self._left[request_id]
        return [FakeAnswer(request_id, self._output(request_id)) for request_id in done]

    def _output(self, request_id: int) -> array[int]:
        prompt = self.sent[request_id - 101]
        return array("i") if request_id in self.refuse else array("i", [len(prompt.tokens)] * prompt.output_tokens)
