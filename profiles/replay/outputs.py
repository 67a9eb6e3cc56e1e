"""When the outputs of requests came: with the engine steps, or where there are none, all at the end of a request.

A step first takes a slot for an output of each request whose prompt was computed before it, and retracts requests
where there is no slot; only then it admits and prefills. Its record comes last. So the operations of a step wait for
that record, and its outputs go before them, behind the retractions that made room for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cache_core.events import EngineStep, Record
from profiles.replay.operations import Decode, Finish, Operation, Retract
from profiles.replay.translation import Life, Translation


def with_outputs(records: Iterable[Record], translation: Translation, in_steps: bool) -> Iterator[Operation]:
    """Yield the operations of records with the outputs among them."""
    waiting: list[Operation] = []
    speaking: list[Life] = []
    for record in records:
        waiting += translation.take(record)
        if not in_steps:
            yield from _passed_on(waiting, translation)
            waiting.clear()
        elif isinstance(record, EngineStep):
            first = next((i for i, each in enumerate(waiting) if not isinstance(each, Retract)), len(waiting))
            for operation in waiting[:first]:
                translation.lives.pop(operation.life)  # type: ignore[union-attr]
                yield operation
            for life in speaking:
                if life.decoded < life.outputs_left and life.number in translation.lives:
                    yield _decode(life, record.at)
            yield from _passed_on(waiting[first:], translation)
            waiting.clear()
            speaking = [life for life in translation.lives.values() if life.is_computed]
    yield from _passed_on([*waiting, *translation.rest()], translation)


def _passed_on(operations: Iterable[Operation], translation: Translation) -> Iterator[Operation]:
    """Yield operations; a request that ends has all its outputs before that."""
    for operation in operations:
        if isinstance(operation, Finish | Retract):
            life = translation.lives.pop(operation.life)
            while life.decoded < life.outputs_left and life.is_computed:
                yield _decode(life, operation.at)
        yield operation


def _decode(life: Life, at: int) -> Decode:
    """Return the next output of a request: as its key has it, or one that nothing else has."""
    place = life.decoded
    life.decoded += 1
    return Decode(at, life.number, life.outputs[place] if place < len(life.outputs) else life.tail)
