"""The contract of eviction orders, and the table of their names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from cache_core.errors import ConfigError
from cache_core.node import Node
from cache_core.registry import Registry

Rank = int | tuple[int, ...]
"""What orders victims: the smallest goes first, and of equal ones the older node. One policy uses one kind."""

PolicyOptions = tuple[tuple[str, int], ...]
"""Options of a policy, as pairs of a name and a number."""

_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Option:
    """A number that a policy goes by: what it is unless told, and the least that it may be."""

    default: int
    least: int = 0


class Policy(ABC):
    """Ranks evictable leaves. `access` and `created` are ticks; ticks tie only along one path.

    A rank may change while a node waits for its eviction. Unless an `_advances` is set, it may only grow.
    """

    touch_advances: ClassVar[bool] = False
    """Whether touching a node makes it more urgent, so that it must be queued anew."""

    split_advances: ClassVar[bool] = False
    """Whether cutting a node makes its lower part more urgent, likewise."""

    newest_first: ClassVar[bool] = False
    """Whether of two ticks the later one is the more urgent. On a path a parent is a shade older than its child."""

    options: ClassVar[Mapping[str, Option]] = MappingProxyType({})
    """What it may be told, by name."""

    node_fields: ClassVar[tuple[str, ...]] = ()
    """Fields of nodes that it ranks by. `make`, `split` and `attached` set them, and are called if there are any."""

    def __init__(self, given: Mapping[str, int] | PolicyOptions = ()) -> None:
        self.settings = {name: option.default for name, option in self.options.items()} | dict(given)
        """Every option, those that are not given by their default."""

    @abstractmethod
    def rank(self, node: Node) -> Rank:
        """Return the node's rank as it is now."""

    def make(self, node: Node) -> None:
        """Give a new node, which hangs nowhere yet, this policy's fields."""

    def split(self, upper: Node, lower: Node) -> None:
        """Set the fields of both parts of a node that was cut."""

    def attached(self, node: Node) -> None:
        """Take note of a leaf that is new on the device."""

    def complaints(self, nodes: Iterable[Node]) -> Iterator[str]:
        """Yield what is wrong with this policy's fields of all nodes of a tree, which come parents first."""
        yield from ()


POLICIES: Registry[type[Policy]] = Registry(
    "eviction policy",
    {
        "lru": "cache_core.policies.lru:LRU",
        "mru": "cache_core.policies.mru:MRU",
        "fifo": "cache_core.policies.fifo:FIFO",
        "filo": "cache_core.policies.filo:FILO",
        "lfu": "cache_core.policies.lfu:LFU",
        "slru": "cache_core.policies.slru:SLRU",
        "priority": "cache_core.policies.priority:Priority",
        "tlru": "cache_core.policies.tlru:TLRU",
    },
)


def shown(value: object) -> str:
    """Return how a refused value reads in a message; Python does not write numbers of thousands of digits."""
    try:
        return repr(value)
    except ValueError:
        kind = type(value).__name__
        return f"{'an' if kind == 'int' else 'a'} {kind} too large to show"


def checked_options(policy: str, given: object) -> PolicyOptions:
    """Return the options given for a policy, a mapping or pairs, as pairs by name. Raises ConfigError."""
    try:
        named = dict(given)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise ConfigError(f"policy_options is {shown(given)}, a mapping of names to numbers is needed") from None
    options = POLICIES.load(policy).options
    for name, number in named.items():
        if name not in options:
            known = f"choose from: {', '.join(options)}" if options else "it has none"
            raise ConfigError(f"option {shown(name)} of policy {policy!r} is unknown; {known}")
        least = options[name].least
        if type(number) is not int or not least <= number <= _LARGEST:
            raise ConfigError(
                f"option {name!r} of policy {policy!r} is {shown(number)}, an int32 of at least {least} is needed"
            )
    return tuple(sorted(named.items()))
