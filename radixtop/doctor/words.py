"""Which targets the words of a command line name: rings of processes, servers, streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from radixtop.engine_target import EngineTarget, StreamTarget, is_network_target, network_targets_of
from radixtop.target import Target, target_of


def targets_of(words: Iterable[str]) -> Sequence[Target | EngineTarget | StreamTarget | None]:
    """Return what some words name, None for this machine alone where there are none.

    Raises UsageError for a word that names nothing.
    """
    named = [name for word in words for name in word.split(",") if name.strip()]
    found = (network_targets_of([name])[0] if is_network_target(name) else target_of(name.strip()) for name in named)
    return [*dict.fromkeys(found)] or [None]
