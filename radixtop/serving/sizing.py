"""How large the pools of a live run are when the command line does not say.

Either everything that the run will ever ask for fits, so that no eviction blurs what is measured; or what runs
at once fits and a little more, so that evictions happen while somebody watches.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import ceil

from cache_core.branching import ceil_page
from profiles.workload import Prompt

_BLOCK_TOKENS = 64
_SAMPLE_PROMPTS = 200
_MOST_PROMPTS = 2_000
_SPARE_TOKENS = 4_000
_SPARE_WINDOWS = 12


@dataclass(frozen=True, slots=True)
class PoolSizes:
    """Slots of the full and of the sliding-window pool."""

    full_slots: int
    swa_slots: int


@dataclass(frozen=True, slots=True)
class Load:
    """What has to fit while requests run: how many at once, in which pieces, and the cache's two lengths."""

    concurrency: int
    chunk_size: int
    page_size: int
    window: int


def everything(prompts: Iterable[Prompt], requests: int, load: Load) -> PoolSizes:
    """Return pools from which nothing is ever evicted while `requests` prompts and their follow-ups are served.

    Of a long run only the beginning is looked at: what is distinct grows no faster later on.
    """
    blocks: set[tuple[str | None, str | None, int]] = set()
    longest = 0
    for prompt in _with_follow_ups(islice(prompts, min(requests, _MOST_PROMPTS))):
        blocks.update((prompt.extra_key, prompt.cache_salt, key) for key in _block_keys(prompt))
        longest = max(longest, _length(prompt))
    growth = max(1.0, requests / _MOST_PROMPTS)
    tokens = ceil(growth * len(blocks)) * _BLOCK_TOKENS + load.concurrency * (longest + load.page_size)
    slots = ceil_page(tokens, load.page_size)
    return PoolSizes(slots, slots)


def what_runs(prompts: Iterable[Prompt], load: Load) -> PoolSizes:
    """Return pools that hold what runs at once, judged by the first prompts, and a little of what was."""
    longest = max((_length(prompt) for prompt in _with_follow_ups(islice(prompts, _SAMPLE_PROMPTS))), default=0)
    window = max(load.window, load.page_size)
    full_tokens = load.concurrency * (longest + load.page_size) + _SPARE_TOKENS
    swa_tokens = load.concurrency * (min(load.chunk_size, longest) + 2 * window) + _SPARE_WINDOWS * window
    return PoolSizes(ceil_page(full_tokens, load.page_size), ceil_page(min(swa_tokens, full_tokens), load.page_size))


def _with_follow_ups(prompts: Iterable[Prompt]) -> Iterator[Prompt]:
    """Yield each prompt and the turns that follow it, with answers of the length they ask for."""
    for opening in prompts:
        prompt: Prompt | None = opening
        while prompt is not None:
            yield prompt
            answer = array("i", bytes(4 * prompt.output_tokens))
            prompt = prompt.follow_up(answer) if prompt.follow_up is not None else None


def _block_keys(prompt: Prompt) -> Iterator[int]:
    """Yield a running hash per block: equal for two prompts up to the block in which they part."""
    key = 0
    raw = prompt.tokens.tobytes() + bytes(4 * prompt.output_tokens)
    for start in range(0, len(raw), 4 * _BLOCK_TOKENS):
        key = hash((key, raw[start : start + 4 * _BLOCK_TOKENS]))
        yield key


def _length(prompt: Prompt) -> int:
    return len(prompt.tokens) + prompt.output_tokens
