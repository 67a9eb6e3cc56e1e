"""Whether a trace is replayed token by token or block by block when nobody says, and what has to be said of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from cache_core.errors import ConfigError
from profiles.trace import Trace
from radixtop.replay.asked import asked_settings
from radixtop.replay.settings import Granularity

IN_BLOCKS = (
    "An id of this trace stands for another number of tokens in each prompt: whole ids are replayed (--tokens "
    "blocks), and a slot holds the mean of their lengths."
)
IN_TOKENS = (
    "An id of this trace stands for another number of tokens in each prompt: of ids that prompts share, --tokens all "
    "hits no more than the first. --tokens blocks counts whole ids."
)

_OF_TOKENS = frozenset({
    "components", "window", "page_size", "bigram", "host_slots", "cache", "tokens", "outputs", "misses",
})  # fmt: skip
"""Settings that only a replay of all tokens takes every value of."""


def granularity(
    trace: Trace, flags: Mapping[str, Any], given: Collection[str], varied: Collection[str]
) -> tuple[Granularity, str]:
    """Return how to replay a trace, and what has to be said of that, nothing of most traces.

    Blocks are for traces whose ids have not one length, unless flags `given` or keys that are `varied` need tokens.
    """
    if trace.ids_have_one_length:
        return flags["tokens"] or "all", ""
    if flags["tokens"] is None and not _needs_tokens(trace, flags, given, varied):
        return "blocks", IN_BLOCKS
    return ("blocks", "") if flags["tokens"] == "blocks" else ("all", IN_TOKENS)


def _needs_tokens(trace: Trace, flags: Mapping[str, Any], given: Collection[str], varied: Collection[str]) -> bool:
    if flags.get("record") is not None or (flags["misses"] and "misses" in given) or _OF_TOKENS & set(varied):
        return True
    try:
        asked_settings({**flags, "tokens": "blocks"}, len(trace))
    except ConfigError:
        return True
    return False
