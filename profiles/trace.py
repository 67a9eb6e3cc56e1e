"""A request trace: who asked for what, when.

Prompts are paths of ids. Two prompts have a prefix in common as far as their ids are equal from the first one on, and
that is all that a cache goes by. An id stands for a block of tokens, as whoever made the trace cut them, or for one
token.

    path      [ id 0 | id 1 | ... | id n-1 )
    tokens    [ block_tokens each .... | the rest of prompt_tokens )
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from probes.curves.recency import ID_BYTES as ID_BYTES
from probes.errors import ProbeError


class TraceError(ProbeError):
    """A trace cannot be read; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """One request. Times begin with the trace and do not fall from one request to the next.

    `path` holds the ids, packed as little-endian int64. Prompts of different namespaces share nothing.
    `agent` is who of a session asked, such as one of several sub-agents. `answer` is a path of single tokens: the
    ids of what was said, as far as they are known, so that prompts that repeat it find it.
    """

    at_ns: int
    path: bytes
    block_tokens: int
    prompt_tokens: int
    output_tokens: int = 0
    namespace: str | None = None
    session: str | None = None
    agent: str | None = None
    answer: bytes = b""
    priority: int = 0

    @property
    def blocks(self) -> int:
        """How many ids the path has."""
        return len(self.path) // ID_BYTES

    def tokens_of(self, blocks: int) -> int:
        """Return how many tokens the first so many blocks are."""
        return min(blocks * self.block_tokens, self.prompt_tokens)


class Trace(ABC):
    """A trace that was opened. It can be read as often as one likes, a request at a time."""

    name: str
    """What it is called where its figures are shown."""

    ids_have_one_length: bool = True
    """Whether an id stands for as many tokens in every prompt, but for the last one of a path. Where it does not,
    prompts share more ids than their tokens tell."""

    @abstractmethod
    def __iter__(self) -> Iterator[TraceRequest]:
        """Yield the requests in their order. Raises TraceError where one cannot be read."""

    @abstractmethod
    def __len__(self) -> int:
        """Return how many requests there are."""
