"""The text of tokens as a tokenizer on this disk tells it: nobody is asked, and nothing is downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probes.errors import TextError, UnreadableTokensError
from probes.text import TextSource

INSTALL = "pip install 'radixtop[text]'"


class TokenizerText(TextSource):
    """Reads a tokenizer.json. Raises TextError where that is none, or where the library is missing."""

    most_at_once = 64

    def __init__(self, path: Path) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise TextError("--tokenizer needs the library tokenizers, which is not installed", INSTALL) from None
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # noqa: BLE001 - the library raises bare ones
            said = str(error)[:120]
            raise TextError(f"{path} holds no tokenizer: {said}", "name a tokenizer.json of the model") from None

    def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """See TextSource."""
        try:
            told: list[str] = self._tokenizer.decode_batch([[*row] for row in rows], skip_special_tokens=False)
        except Exception as error:  # noqa: BLE001 - see above
            said = f"the tokenizer does not know these tokens: {type(error).__name__}"
            raise UnreadableTokensError(said, "see whether it is that of the model") from None
        return told
