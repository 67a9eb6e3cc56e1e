"""Sampled stacks as a forest, for what draws forests: a frame is a function, and below it is what it called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from profiles.cpu.format import Samples
from profiles.cpu.stacks import CodeFrame
from profiles.forest import TOP, Forest, Frame

WEIGHT = "time_ns"
CAPTION = "sampled time"


@dataclass(slots=True)
class _Call:
    """A function where it was called from: what it was seen doing itself, and what it called."""

    frame: CodeFrame
    own: int = 0
    calls: dict[CodeFrame, _Call] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Names:
    """Names frames by the functions they are."""

    functions: Sequence[CodeFrame]

    def frame(self, forest: Forest, place: int) -> Frame:
        """See `profiles.forest.Naming`."""
        function, key = self.functions[place], int(forest.keys[place])
        return Frame(int(forest.parents[place]), key, str(function), function.file, 0, 0, kind="operation")


def code_forest(samples: Samples) -> Forest:
    """Return the forest of samples; each stands for the time of a period."""
    parents: list[int] = []
    lasts: list[int] = []
    own: list[int] = []
    functions: list[CodeFrame] = []
    open_places: list[int] = []
    for depth, call in _depth_first(_calls(samples)):
        for place in open_places[depth:]:
            lasts[place] = len(parents)
        del open_places[depth:]
        parents.append(open_places[-1] if open_places else TOP)
        open_places.append(len(lasts))
        lasts.append(0)
        own.append(call.own * samples.period_ns)
        functions.append(call.frame)
    for place in open_places:
        lasts[place] = len(parents)
    return Forest(
        parents=np.array(parents, np.int64),
        lasts=np.array(lasts, np.int64),
        keys=np.array([_key(function) for function in functions], np.int64),
        ends=np.zeros(len(parents), np.int64),
        sums={WEIGHT: np.concatenate(([0], np.cumsum(np.array(own, np.int64))))},
        naming=_Names(functions),
        title=samples.title,
        captions={WEIGHT: CAPTION},
    )


def _calls(samples: Samples) -> _Call:
    """Return the calls of all stacks, below one that stands for none."""
    root = _Call(CodeFrame(""))
    for stack, count in samples.stacks.items():
        call = root
        for frame in stack:
            call = call.calls.setdefault(frame, _Call(frame))
        call.own += count
    return root


def _depth_first(root: _Call) -> Iterator[tuple[int, _Call]]:
    waiting = [(0, call) for call in _sorted(root)]
    while waiting:
        depth, call = waiting.pop()
        yield depth, call
        waiting += [(depth + 1, below) for below in _sorted(call)]


def _sorted(call: _Call) -> list[_Call]:
    """Return what was called, the first by name last: it is taken from the end."""
    return [call.calls[frame] for frame in sorted(call.calls, key=str, reverse=True)]


def _key(frame: CodeFrame) -> int:
    """Return a number that goes by the name, so that a function has its colour wherever it stands."""
    return int.from_bytes(
        blake2b(str(frame).encode("utf-8", "replace"), digest_size=8).digest(), "little", signed=True
    )
