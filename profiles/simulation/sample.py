"""Requests of a few of the blocks, those whose names happen to be small numbers, in the order of the requests.

The name of a block is a hash of everything up to its end, so a block is in the sample always or never, whoever asks
for it and whatever else is there. Of a prefix the sample has a prefix: what is left of a path is again a path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING

from profiles.trace import ID_BYTES, TraceRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

Pieces = Sequence[TraceRequest | None]
"""What a sample has of a request and what each of its parts has; None is nothing, no pieces are nothing at all."""

_AT_ONCE = 1_024


@dataclass(frozen=True, slots=True)
class Sample:
    """How many of all blocks are taken, which share of 1, and in how many parts that is split besides."""

    rate: float
    parts: int
    seed: int = 1


def sampled(requests: Iterable[TraceRequest], sample: Sample) -> Iterator[tuple[TraceRequest, Pieces]]:
    """Yield each request with what the sample has of it, and then what each part of the sample has."""
    waiting = iter(requests)
    while batch := list(islice(waiting, _AT_ONCE)):
        yield from _sampled(batch, sample)


def _sampled(batch: list[TraceRequest], sample: Sample) -> Iterator[tuple[TraceRequest, Pieces]]:
    import numpy as np

    names = _names(batch, sample.seed)
    ends = np.cumsum([request.blocks for request in batch])
    taken = names < np.uint64(min(2**64 - 1, int(sample.rate * 2**64)))
    part = names >> np.uint64(3) & np.uint64(0xFFFF)
    masks = [
        taken,
        *(taken & (part % np.uint64(sample.parts) == np.uint64(number)) for number in range(sample.parts)),
    ]
    columns = [_Column(names, mask, ends) for mask in masks]
    for place, request in enumerate(batch):
        yield request, [column.request(place, request) for column in columns] if columns[0].has(place) else ()


class _Column:
    """The blocks of some requests that were taken."""

    def __init__(self, names: Words, taken: NDArray[np.bool_], ends: NDArray[np.int64]) -> None:
        import numpy as np

        counts = np.concatenate(([0], np.cumsum(taken)))
        self._packed = names[taken].tobytes()
        self._bounds: list[int] = [0, *counts[ends].tolist()]
        has_last = np.zeros(len(ends), bool)
        filled = np.diff(ends, prepend=0) > 0
        has_last[filled] = taken[ends[filled] - 1]
        self._has_last: list[bool] = has_last.tolist()

    def has(self, place: int) -> bool:
        """Return whether anything of a request was taken."""
        return self._bounds[place] < self._bounds[place + 1]

    def request(self, place: int, request: TraceRequest) -> TraceRequest | None:
        """Return what was taken of a request, if anything was."""
        start, end = self._bounds[place], self._bounds[place + 1]
        if start == end:
            return None
        tokens = (end - start) * request.block_tokens
        if self._has_last[place]:
            last = request.tokens_of(request.blocks) - request.tokens_of(request.blocks - 1)
            tokens += last - request.block_tokens
        path = self._packed[start * ID_BYTES : end * ID_BYTES]
        return TraceRequest(request.at_ns, path, request.block_tokens, tokens)


def _names(batch: list[TraceRequest], seed: int) -> Words:
    """Return the names of all blocks of some requests, one after the other."""
    import numpy as np

    ids = np.frombuffer(b"".join(request.path for request in batch), "<u8")
    counts = np.array([request.blocks for request in batch])
    starts = np.cumsum(counts) - counts
    depths = (np.arange(len(ids)) - np.repeat(starts, counts)).astype(np.uint64)
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(_mixed(_mixed(ids) + depths), dtype=np.uint64)))
    space = np.array([_space(request.namespace, seed) for request in batch], np.uint64)
    return _mixed(sums[1:] - np.repeat(sums[starts] - space, counts))


def _mixed(words: Words) -> Words:
    """Return the words with all their bits mixed (the finalizer of SplitMix64, Steele et al. 2014)."""
    import numpy as np

    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _space(namespace: str | None, seed: int) -> int:
    text = "" if namespace is None else f"={namespace}"
    return int.from_bytes(blake2b(f"{seed}{text}".encode(), digest_size=8).digest(), "little")
