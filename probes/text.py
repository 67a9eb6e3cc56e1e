"""Contract and table of the text sources: who knows which text tokens stand for.

What comes from one was written by whoever wrote a prompt. It goes to a screen that cleans it, and nowhere else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from cache_core.registry import Registry

if TYPE_CHECKING:
    from probes.engines.http import HttpClient


class TextSource(ABC):
    """Turns tokens into text. It is called from one thread, which may wait for it."""

    most_at_once: ClassVar[int] = 1
    """How many rows of tokens it takes in one call."""

    @abstractmethod
    def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """Return the text of each of some rows of tokens, special tokens among it.

        Raises UnreadableTokensError where it may be these tokens that it fails for, another ProbeError where it has
        no text for anybody. Neither holds any of the text.
        """


TEXT_SOURCES: Registry[Callable[[HttpClient], TextSource]] = Registry(
    "text source",
    {
        "sglang": "probes.texts.sglang:SGLangText",
        "vllm": "probes.texts.vllm:VllmText",
    },
)
"""Those that ask a server, by the name of its engine. Who knows text without one is in `texts/`, too."""
