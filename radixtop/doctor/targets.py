"""Which targets the words of a command line name: rings of processes, servers, streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from radixtop.engine_target import (
    EngineTarget,
    FileTarget,
    StreamTarget,
    is_network_target,
    network_target_of,
    words_of,
)
from radixtop.errors import UsageError
from radixtop.target import Target, target_of


def targets_of(words: Iterable[str]) -> Sequence[Target | EngineTarget | StreamTarget | None]:
    """Return what some words name, None for this machine alone where there are none.

    Raises UsageError for a word that names nothing.
    """
    return [*dict.fromkeys(map(_target_of, words_of(words)))] or [None]


def _target_of(name: str) -> Target | EngineTarget | StreamTarget:
    if not is_network_target(name):
        return target_of(name)
    found = network_target_of(name)
    if isinstance(found, FileTarget):
        raise UsageError(f"{found} is a file, which there is nothing to ask", f"radixtop attach {found}")
    return found
