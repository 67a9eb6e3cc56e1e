"""What an event says, in a word and a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from cache_core.events import (
    REASONS,
    CacheReset,
    EngineStep,
    Evict,
    FreeWindow,
    Insert,
    Lock,
    Match,
    NodeAdded,
    NodeSplit,
    Recovered,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestPrefilled,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
    SchedulePass,
    Tombstoned,
    Transfers,
    Unlock,
)
from probes.builtin.event_log import Event, Gone, Missing
from probes.content_hash import hash6
from probes.mirror import Mirror
from probes.plural import plural
from radixtop.render.lines import clean
from radixtop.render.units import age, duration, grouped


class Told(NamedTuple):
    """An event in words; `node` and `request` are -1 where it is about none."""

    word: str
    text: str
    node: int = -1
    request: int = -1


class Names:
    """How nodes, namespaces and components are called, as far as the mirror still knows."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror

    def node(self, number: int) -> str:
        """Return a node as #number, with its label while it is in the tree."""
        node = self._mirror.nodes.get(number)
        return f"#{number}" if node is None or number == 0 else f"#{number} {self._mirror.describe(node)}"

    def gone(self, event: Gone) -> str:
        """Return what a node that left the tree was called."""
        labels = [self._mirror.labels.get(label, f"segment {label}") for _, label in event.segments]
        unnamed = f"{event.start:,}..+{event.length:,} ·{hash6(event.content_key)}"
        return " + ".join(dict.fromkeys(labels)) or unnamed

    def of(self, record: Match | Insert) -> str:
        """Return where an operation ended, and in which namespace if it has a name."""
        place = f"  at {self.node(record.node)}" if record.node else "  at the root"
        name = self._mirror.namespaces.get(record.namespace, "")
        return f"{place}  in {name}" if name else place

    def component(self, number: int) -> str:
        """Return the name of a component."""
        return self._mirror.component_name(number)

    def per_component(self, tokens: tuple[int, ...]) -> str:
        """Return tokens per component, those that are not 0."""
        return "  ".join(f"{self.component(i)} {grouped(n)}" for i, n in enumerate(tokens) if n) or "nothing"


def tell(event: Event, names: Names) -> Told:
    """Return what an event says; nothing in it can drive a terminal."""
    told = _TELLERS[type(event)](event, names)
    return told._replace(text=clean(told.text))


def tell_steps(events: Sequence[Event]) -> Told:
    """Return what a run of engine steps says: how many, how long they took, and what the last one left."""
    steps = [event for event in events if isinstance(event, EngineStep)]
    times = [step.duration_ns for step in steps if step.duration_ns]
    last = steps[-1]
    text = (
        f"{grouped(len(steps))}  {duration(min(times, default=None))} to {duration(max(times, default=None))}  "
        f"prefill {grouped(sum(step.prefill_tokens for step in steps))}  "
        f"decode {grouped(sum(step.decode_tokens for step in steps))}  running {last.running}  waiting {last.waiting}"
    )
    return Told("steps", text)


def _request(number: int) -> str:
    return f"request {number}" if number >= 0 else "no request"


def _queued(record: RequestQueued, names: Names) -> Told:
    return Told(
        "queued", f"{_request(record.request)}  {grouped(record.prompt_tokens)} tokens", request=record.request
    )


def _admitted(record: RequestAdmitted, names: Names) -> Told:
    parts = [_request(record.request), f"hit {grouped(record.device_hit_tokens)} of {grouped(record.prompt_tokens)}"]
    parts += [f"on the host {grouped(record.host_hit_tokens)}"] * bool(record.host_hit_tokens)
    parts += [f"recomputes {grouped(record.recomputed_tokens)}"] * (record.recomputed_tokens > 0)
    return Told("admitted", "  ".join([*parts, f"new {grouped(record.new_tokens)}"]), request=record.request)


def _prefilled(record: RequestPrefilled, names: Names) -> Told:
    text = f"{_request(record.request)}  {grouped(record.new_tokens)} tokens"
    return Told("prefill", text, request=record.request)


def _first_token(record: RequestFirstToken, names: Names) -> Told:
    return Told("first token", _request(record.request), request=record.request)


def _finished(record: RequestFinished, names: Names) -> Told:
    text = f"{_request(record.request)}  wrote {grouped(record.output_tokens)}{_reason(record.reason)}"
    return Told("finished", text, request=record.request)


def _retracted(record: RequestRetracted, names: Names) -> Told:
    lost = f"  lost {grouped(record.recomputed_tokens)}" if record.recomputed_tokens > 0 else ""
    return Told("retracted", _request(record.request) + lost + _reason(record.reason), request=record.request)


def _refused(record: RequestRefused, names: Names) -> Told:
    return Told("refused", _request(record.request) + _reason(record.reason), request=record.request)


def _reason(number: int) -> str:
    words = REASONS.get(number, f"reason {number}")
    return f"  {words}" if words else ""


def _match(record: Match, names: Names) -> Told:
    parts = [_request(record.request), f"hit {grouped(record.device_hit_tokens)} of {grouped(record.queried_tokens)}"]
    parts += [f"full {grouped(record.full_hit_tokens)}"] * (record.full_hit_tokens > record.device_hit_tokens)
    parts += [f"branch at {grouped(record.branching_point)}"] * (record.branching_point >= 0)
    parts.append(duration(record.duration_ns or None))
    return Told("match", "  ".join(parts) + names.of(record), record.node, record.request)


def _insert(record: Insert, names: Names) -> Told:
    parts = [_request(record.request), f"new {grouped(record.new_tokens)} of {grouped(record.key_tokens)}"]
    parts += [f"duplicate {grouped(record.duplicate_tokens)}"] * bool(record.duplicate_tokens)
    parts.append(duration(record.duration_ns or None))
    return Told("insert", "  ".join(parts) + names.of(record), record.node, record.request)


def _stored(record: NodeAdded, names: Names) -> Told:
    name = names.node(record.node)
    if name == f"#{record.node}":
        name += f" {record.start:,}..+{record.length:,} ·{hash6(record.content_key)}"
    return Told("stored", f"{name}  {grouped(record.length)} tokens", record.node)


def _split(record: NodeSplit, names: Names) -> Told:
    text = f"{names.node(record.node)}  gave its first {grouped(record.length)} tokens to #{record.upper}"
    return Told("split", text, record.node)


def _evict(record: Evict, names: Names) -> Told:
    parts = [
        names.component(record.component),
        f"asked {grouped(record.asked_tokens)}",
        f"freed {grouped(sum(record.freed_tokens))}",
    ]
    if record.victims >= 0:
        parts.append(plural(record.victims, "victim"))
    if record.leaves_considered >= 0:
        parts.append(f"{plural(record.leaves_considered, 'leaf', 'leaves')} considered")
    return Told("evict", "  ".join((*parts, duration(record.duration_ns or None))))


def _removed(event: Gone, names: Names) -> Told:
    return Told("removed", f"#{event.node} {names.gone(event)}  {grouped(event.length)} tokens", event.node)


def _reset(record: CacheReset, names: Names) -> Told:
    return Told("reset", "every node is gone, every slot is free")


def _lock(record: Lock, names: Names) -> Told:
    return Told(
        "lock", f"{names.node(record.node)}  protects {names.per_component(record.moved_tokens)}", record.node
    )


def _unlock(record: Unlock, names: Names) -> Told:
    text = f"{names.node(record.node)}  gives back {names.per_component(record.moved_tokens)}"
    return Told("unlock", text, record.node)


def _free_window(record: FreeWindow, names: Names) -> Told:
    text = f"{_request(record.request)}  gave back {grouped(record.start)} to {grouped(record.end)}"
    return Told("window", text, request=record.request)


def _tombstoned(record: Tombstoned, names: Names) -> Told:
    return Told("tombstone", f"{names.node(record.node)}  lost {names.component(record.component)}", record.node)


def _recovered(record: Recovered, names: Names) -> Told:
    return Told("recovered", f"{names.node(record.node)}  has {names.component(record.component)} again", record.node)


def _step(record: EngineStep, names: Names) -> Told:
    text = (
        f"prefill {grouped(record.prefill_tokens)}  decode {grouped(record.decode_tokens)}  "
        f"running {record.running}  waiting {record.waiting}  {duration(record.duration_ns or None)}"
    )
    return Told("step", text)


def _pass(record: SchedulePass, names: Names) -> Told:
    parts = [f"{grouped(record.waiting)} waiting", f"{grouped(record.deprioritised)} put off"]
    parts += ["fell back to first come, first served"] * bool(record.fell_back)
    return Told("schedule", "  ".join([*parts, duration(record.duration_ns or None)]))


def _transfers(record: Transfers, names: Names) -> Told:
    oldest = f"  oldest {age(record.oldest_ns)}" if record.oldest_ns >= 0 else ""
    return Told("transfers", f"{record.under_way} under way  {record.untaken} not taken yet{oldest}")


def _missing(event: Missing, names: Names) -> Told:
    return Told("lost", "records are missing here")


_TELLERS: Mapping[type, Callable[[Any, Names], Told]] = {
    RequestQueued: _queued, RequestAdmitted: _admitted, RequestPrefilled: _prefilled,
    RequestFirstToken: _first_token, RequestFinished: _finished, RequestRetracted: _retracted,
    RequestRefused: _refused, Match: _match, Insert: _insert, NodeSplit: _split, Evict: _evict, NodeAdded: _stored,
    Gone: _removed, CacheReset: _reset, Lock: _lock, Unlock: _unlock, FreeWindow: _free_window,
    Tombstoned: _tombstoned, Recovered: _recovered, EngineStep: _step, SchedulePass: _pass,
    Transfers: _transfers, Missing: _missing,
}  # fmt: skip
