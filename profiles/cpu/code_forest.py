"""Sampled stacks as a forest, for what draws forests: a frame is a function, and below it is what it called."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from profiles.cpu.format import Samples
from profiles.cpu.stacks import CodeFrame
from profiles.forest import TOP, Forest, Frame
from profiles.frames import name_key
from profiles.growth.planting import forest_of

WEIGHT = "time_ns"
CAPTION = "sampled time"


@dataclass(slots=True)
class _Call:
    """A function where it was called from: what it was seen doing itself, and what it called."""

    frame: CodeFrame
    own: int = 0
    calls: dict[CodeFrame, _Call] = field(default_factory=dict)


def code_forest(samples: Samples) -> Forest:
    """Return the forest of samples; each stands for the time of a period."""
    frames: list[Frame] = []
    own: list[int] = []
    waiting = [(TOP, call) for call in _calls(samples).calls.values()]
    while waiting:
        parent, call = waiting.pop()
        waiting += [(len(frames), called) for called in call.calls.values()]
        name = str(call.frame)
        frames.append(Frame(parent, name_key("code", name), name, call.frame.file, 0, 0, kind="operation"))
        own.append(call.own * samples.period_ns)
    return replace(forest_of(frames, {WEIGHT: own}, samples.title), captions={WEIGHT: CAPTION})


def _calls(samples: Samples) -> _Call:
    """Return the calls of all stacks, below one that stands for none."""
    root = _Call(CodeFrame(""))
    for stack, count in samples.stacks.items():
        call = root
        for frame in stack:
            call = call.calls.setdefault(frame, _Call(frame))
        call.own += count
    return root
