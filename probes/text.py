"""Contract and table of the text sources: who knows which text tokens stand for.

What comes from one was written by whoever wrote a prompt. It goes to a screen that cleans it, and nowhere else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from cache_core.registry import Registry

if TYPE_CHECKING:
    from probes.engines.access import Address
    from probes.engines.http import HttpClient


@dataclass(frozen=True, slots=True)
class TextOptions:
    """That text is wanted, and of whom: of a local tokenizer, of a server that is named, or of the one watched."""

    tokenizer: Path | None = None
    """A file called tokenizer.json."""
    engine: str | None = None
    """Of the server that is named."""
    address: Address | None = None


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


TEXT_SOURCES: Registry[type[TextSource]] = Registry(
    "text source",
    {
        "sglang": "probes.texts.sglang:SGLangText",
        "vllm": "probes.texts.vllm:VllmText",
        "tokenizer": "probes.texts.tokenizer:TokenizerText",
    },
)
"""Those of engines take the client of a server, by the name of the engine; `tokenizer` takes the path of its file."""


def server_source(engine: str, client: HttpClient) -> TextSource:
    """Return a source that asks a server of an engine for the text of its own tokens."""
    return TEXT_SOURCES.load(engine)(client)  # type: ignore[call-arg]


def tokenizer_source(path: Path) -> TextSource:
    """Return a source that asks nobody. Raises ProbeError for a file that holds no tokenizer."""
    return TEXT_SOURCES.load("tokenizer")(path)  # type: ignore[call-arg]
