"""Who is asked for text, as somebody who watches chose it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from probes.engines.access import Address


@dataclass(frozen=True, slots=True)
class TextOptions:
    """That text is wanted, and of whom: of a local tokenizer, of a server that is named, or of the one watched."""

    tokenizer: Path | None = None
    """A file called tokenizer.json."""
    engine: str | None = None
    """Of the server that is named."""
    address: Address | None = None
