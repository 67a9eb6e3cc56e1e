"""What a workload is: a seeded stream of prompts with named segments. And the table of workloads.

A workload knows no engine: it yields prompts, and a prompt that is one turn of a conversation makes the next
turn out of the answer it got. Everything is drawn from the seed and from the number of the prompt, never from
the time or from the order in which answers arrive, so that two runs ask for the same work.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from itertools import count
from typing import Literal, get_args

from cache_core.errors import ConfigError
from cache_core.registry import Registry

Segments = tuple[tuple[int, str], ...]
"""Where each named part of a key starts, ascending; a part ends where the next one starts."""


Arrival = Literal["grouped", "interleaved"]
"""In which order the prompts of several tasks come: a few of one and then of the next, or in turns."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request: what to send, how much to generate, and what follows the answer.

    `segments` begins with the segment at 0. A last segment that starts at the end of `tokens` names the answer.
    `follow_up` takes the generated tokens and returns the next turn, or None when the conversation is over.
    """

    tokens: array[int]
    output_tokens: int
    segments: Segments
    extra_key: str | None = None
    cache_salt: str | None = None
    follow_up: Callable[[array[int]], Prompt | None] | None = None


@dataclass(frozen=True, slots=True)
class WorkloadConfig:
    """What a workload is drawn from. None means the workload's own choice; `requests` None means endless.

    `requests` bounds the prompts that a workload yields; the follow-ups that they lead to come on top. `tasks`,
    `examples` and `arrival`, the order of the tasks, are for workloads that have tasks.
    """

    seed: int = 0
    requests: int | None = None
    vocabulary: int = 32_000
    system_prompts: int | None = None
    system_tokens: int | None = None
    question_tokens: int | None = None
    output_tokens: int | None = None
    tasks: int | None = None
    examples: int | None = None
    arrival: Arrival = "grouped"

    def __post_init__(self) -> None:
        """Raise ConfigError for sizes that make no prompt."""
        if self.arrival not in get_args(Arrival):
            raise ConfigError(f"arrival {self.arrival!r} is unknown; choose from: {', '.join(get_args(Arrival))}")
        least = {"seed": None, "requests": 0, "vocabulary": 2, "arrival": None}
        for field in fields(self):
            value, lowest = getattr(self, field.name), least.get(field.name, 1)
            if value is not None and lowest is not None and value < lowest:
                raise ConfigError(f"{field.name} is {value}; a workload needs at least {lowest}")


class Workload(ABC):
    """A seeded stream of prompts. Implementations keep no state between two calls of `prompts`."""

    def __init__(self, config: WorkloadConfig) -> None:
        self.config = config

    @abstractmethod
    def prompt(self, number: int) -> Prompt:
        """Return prompt `number`, counted from 0; the same number always gives the same prompt."""

    def prompts(self) -> Iterator[Prompt]:
        """Yield the prompts in their order, at most `config.requests` of them."""
        requests = self.config.requests
        return map(self.prompt, count() if requests is None else range(requests))


WORKLOADS: Registry[type[Workload]] = Registry(
    "workload",
    {
        "shared_prompt": "profiles.workloads.shared_prompt:SharedPrompt",
        "few_shot": "profiles.workloads.few_shot:FewShot",
        "chat": "profiles.workloads.chat:Chat",
        "agent": "profiles.workloads.agent:Agent",
        "rag": "profiles.workloads.rag:Rag",
        "mixed": "profiles.workloads.mixed:Mixed",
    },
)
