"""Short ways to write a queue of waiting requests and to read the plan of a schedule."""

from __future__ import annotations

from cache_core import PrefixCache
from cache_core.key import RadixKey
from cache_core.schedule import SCHEDULES, Plan, Queue, Schedule, ScheduleConfig, Waiting
from tests.support.caches import key


def schedule(name: str, cache: PrefixCache, **settings: int | bool | None) -> Schedule:
    """Return a schedule of the table."""
    return SCHEDULES.load(name)(cache, ScheduleConfig(**settings))  # type: ignore[arg-type]


def waiting(number: int, prompt: RadixKey | str, output_tokens: int = 16, **more: object) -> Waiting:
    """Return a waiting request; `prompt` may be a key of `tests.support.caches`."""
    asked = key(prompt) if isinstance(prompt, str) else prompt
    fields: dict[str, object] = {"prompt_tokens": len(asked), "queued_at": number, **more}
    return Waiting(number, asked, output_tokens=output_tokens, **fields)  # type: ignore[arg-type]


def queue_of(prompts: dict[str, str], **more: object) -> Queue:
    """Return a queue of one request per name, in order."""
    return Queue(tuple(waiting(i, prompt) for i, prompt in enumerate(prompts.values())), **more)  # type: ignore[arg-type]


def named(plan: Plan, names: object) -> str:
    """Return the order of a plan as the names of its requests."""
    listed = list(names)  # type: ignore[call-overload]
    return " ".join(listed[index] for index in plan.order)


def put_off(plan: Plan, names: object) -> set[str]:
    """Return the names of the requests that a plan puts off."""
    listed = list(names)  # type: ignore[call-overload]
    return {listed[index] for index in plan.deprioritised}
