"""What the naive model is configured with, and what its operations return."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import lcm

from tests.support.naive_tree import Node


@dataclass(frozen=True)
class NaiveConfig:
    """What the model is built with. `window` None and `mamba_slots` 0: a tree with the Full component alone."""

    page: int
    full_slots: int
    window: int | None = None
    swa_slots: int = 0
    mamba_slots: int = 0
    mamba_chunk: int = 64
    host_slots: int = 0
    swa_host_slots: int = 0
    mamba_host_slots: int = 0
    write_policy: str = "write_through"
    load_back_tokens: int = 10
    bigram: bool = False
    policy: str = "lru"
    policy_options: tuple[tuple[str, int], ...] = ()
    branching: bool = True
    free_behind_window: bool = True
    swa_free_interval: int = 128
    hit_rule: str = "request"
    split_recency: str = "keep"
    finish_branch: str = "both"
    swa_eviction: str = "lru"

    @property
    def grid(self) -> int:
        """States are kept after multiples of this many tokens."""
        return lcm(self.page, self.mamba_chunk)

    @property
    def backup_hits(self) -> int | None:
        """A node with so many hits is copied to the host; None copies at eviction only."""
        if not self.host_slots or self.write_policy == "write_back":
            return None
        return 1 if self.write_policy == "write_through" else 2


@dataclass(frozen=True)
class NaiveHit:
    """The outcome of a match: `node` ends what the device has, `best` what device and host have together."""

    hit: int
    full: int
    branch: int | None
    node: Node
    host: int = 0
    best: Node | None = None
    state_branch: int | None = None


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
    states: int = 0


@dataclass(eq=False)
class NaiveTransfer:
    """A copy between the tiers that is under way, and what it holds until it is completed.

    `anchor`: the node whose path it locks; None holds nothing on the device. `nodes` follow splits, `state_nodes`
    need not: a state stays on the lower part. `sizes`: slots by component.
    """

    direction: str
    nodes: list[Node]
    anchor: Node | None
    state_nodes: list[Node] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
