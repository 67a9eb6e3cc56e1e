"""What the naive model is configured with, and what its operations return."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.naive_tree import Node


@dataclass(frozen=True)
class NaiveConfig:
    """What the model is built with; `window` None means a tree with the Full component alone."""

    page: int
    full_slots: int
    window: int | None = None
    swa_slots: int = 0
    policy: str = "lru"
    branching: bool = True
    free_behind_window: bool = True
    swa_free_interval: int = 128
    hit_rule: str = "request"
    split_recency: str = "keep"
    finish_branch: str = "both"


@dataclass(frozen=True)
class NaiveHit:
    """The outcome of a match."""

    hit: int
    full: int
    branch: int | None
    node: Node


@dataclass
class NaiveLock:
    """A held path; `mark` ends its SWA half, None means that the half reaches the root."""

    node: Node
    mark: object | None
    swa_released: bool = False


@dataclass
class NaiveEviction:
    """What an evict call took: tokens by pool, nodes chosen, and states that went along with a chosen one."""

    full: int = 0
    swa: int = 0
    victims: int = 0
    cascades: int = 0
