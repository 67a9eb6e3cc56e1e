"""The steps of a request in words."""

from __future__ import annotations

from cache_core.events import (
    REASONS,
    FreeWindow,
    Insert,
    Match,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestPrefilled,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
)
from probes.lives.request_life import Life, Step
from probes.mirror import Mirror
from radixtop.render.lines import clean
from radixtop.render.units import grouped
from radixtop.requestlog.page import StoryStep


def steps_of(life: Life, mirror: Mirror | None) -> tuple[StoryStep, ...]:
    """Return what a request did; a match that met a branching point and an insert that filled it say so by a step."""
    steps: list[StoryStep] = []
    chunks = 0
    for step in life.steps:
        after_ns = max(0, step.at - life.arrived_at)
        chunks += isinstance(step, RequestPrefilled)
        word, text = _told(step, mirror, chunks)
        steps.append(StoryStep(after_ns, word, text))
        if isinstance(step, Match) and step.branching_point >= 0:
            met = f"at {grouped(step.branching_point)}: known up to there, not usable"
            steps.append(StoryStep(after_ns, "branching", f"◇ point met {met}"))
        if isinstance(step, Insert) and step.branch_inserted == 1:
            filled = f"at {grouped(life.branching_point)}: the next request can stop there"
            steps.append(StoryStep(after_ns, "branching", f"◆ point filled {filled}"))
    return tuple(steps)


def _told(step: Step, mirror: Mirror | None, chunks: int) -> tuple[str, str]:
    match step:
        case RequestQueued():
            return "queued", f"{grouped(step.prompt_tokens)} prompt tokens"
        case Match():
            return "matched", _matched(step, mirror)
        case RequestAdmitted():
            again = f"{grouped(step.recomputed_tokens)} known ones again, " if step.recomputed_tokens > 0 else ""
            return "admitted", f"{again}{grouped(step.new_tokens)} new ones to compute"
        case RequestPrefilled():
            loaded = f", {grouped(step.host_hit_tokens)} loaded from the host" if step.host_hit_tokens else ""
            return "prefilled", f"chunk {chunks}: {grouped(step.new_tokens)} tokens{loaded}"
        case RequestFirstToken():
            return "answers", "first token"
        case FreeWindow():
            return "freed", f"window of [{grouped(step.start)}, {grouped(step.end)}): out of its reach"
        case Insert():
            present = f", {grouped(step.present_tokens)} were there" if step.present_tokens else ""
            return "stored", f"{grouped(step.key_tokens)} tokens{present}, {grouped(step.new_tokens)} are new"
        case RequestFinished():
            return "finished", f"{grouped(step.output_tokens)} output tokens"
        case RequestRetracted():
            lost = None if step.recomputed_tokens < 0 else step.recomputed_tokens
            return "retracted", f"{_reason(step.reason)}; {grouped(lost)} tokens lost"
        case RequestRefused():
            return "refused", _reason(step.reason)


def _matched(step: Match, mirror: Mirror | None) -> str:
    usable = step.device_hit_tokens + step.host_hit_tokens
    hit = f"{grouped(usable)} of {grouped(step.queried_tokens)} usable"
    host = f", {grouped(step.host_hit_tokens)} of them on the host" if step.host_hit_tokens else ""
    known = f", {grouped(step.full_hit_tokens)} known" if step.full_hit_tokens > usable else ""
    return f"{hit}{host}{known}; stopped {_place(step.full_node, mirror)}"


def _place(number: int, mirror: Mirror | None) -> str:
    if number == 0:
        return "at the root: nothing of it was known"
    node = None if mirror is None else mirror.nodes.get(number)
    name = "gone since" if mirror is None or node is None else clean(mirror.describe(node))
    return f"at node {number} ({name})"


def _reason(reason: int) -> str:
    return REASONS.get(reason) or ("not told" if not reason else f"reason {reason}")
