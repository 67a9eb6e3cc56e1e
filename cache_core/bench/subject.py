"""A cache under measurement, and the table of those that there are.

A pass calls the bound operations (`match`, `lock`, ...) between two readings of the clock and nothing else;
what makes their arguments runs outside. So a subject adds no call of its own to what is measured.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from cache_core.bench.workload import Setup
from cache_core.registry import Registry

Arguments = tuple[Any, ...]


class Subject(ABC):
    """One cache. What it hands out (nodes, receipts, slots) is its own affair."""

    match: Callable[[Any], Any]
    lock: Callable[[Any], Any]
    allocate: Callable[[int], Any]
    insert: Callable[..., Any]
    unlock: Callable[..., Any]
    evict: Callable[..., Any]
    gather: Callable[[Any], Any] | None = None
    """Returns the slots of a match, where that is not a part of the match itself."""

    @abstractmethod
    def fresh(self, setup: Setup) -> None:
        """Replace the cache by an empty one and bind its operations."""

    @abstractmethod
    def build_key(self, tokens: list[int]) -> object:
        """Return the key of some tokens: what a caller that has integers pays."""

    @abstractmethod
    def packed_key(self, tokens: bytes) -> Any:
        """Return the key of packed int32 tokens."""

    @abstractmethod
    def same_key(self, key: Any) -> Any:
        """Return a key of the same tokens that no operation has met."""

    @abstractmethod
    def match_argument(self, key: Any) -> Any:
        """Return what `match` takes for a key."""

    @abstractmethod
    def hit_tokens(self, found: Any) -> int:
        """Return how many tokens a match found."""

    @abstractmethod
    def node(self, found: Any) -> Any:
        """Return what `lock` takes after a match."""

    @abstractmethod
    def insert_arguments(self, key: Any, found: Any, fresh: Any) -> Arguments:
        """Return what `insert` takes to write a key, on the slots of a match and then fresh ones."""

    @abstractmethod
    def unlock_arguments(self, node: Any, receipt: Any) -> Arguments:
        """Return what `unlock` takes."""

    @abstractmethod
    def evict_arguments(self, full_tokens: int, swa_tokens: int) -> Arguments:
        """Return what `evict` takes."""

    @abstractmethod
    def serve(self, prompt: Any, reply: list[int]) -> None:
        """Take one request through its whole life: admitted, prefilled, decoded, finished."""

    @abstractmethod
    def prompt(self, tokens: bytes) -> Any:
        """Return what `serve` takes for a prompt."""

    @abstractmethod
    def nodes(self) -> int | None:
        """Return the number of nodes, or None where the cache does not tell."""

    @abstractmethod
    def replay(self, log: Mapping[str, Any]) -> dict[str, Any]:
        """Run an operation log on a cache of its own and return what `cache_core.oplog` would."""

    @abstractmethod
    def describe(self) -> dict[str, str]:
        """Return what this is, in words."""


SUBJECTS: Registry[type[Subject]] = Registry(
    "subject",
    {
        "radixtop": "cache_core.bench.subjects.own:Own",
        "sglang-python": "cache_core.bench.subjects.sglang:SGLangPython",
        "sglang-rust": "cache_core.bench.subjects.sglang:SGLangRust",
    },
)
"""Where a subject lives; the interpreter that loads one must have what it needs."""
