"""The text of tokens as a SGLang server tells it, many rows at a time."""

from __future__ import annotations

from collections.abc import Sequence

from probes.engines.errors import BadAnswerError, ServerFailedError
from probes.engines.fields import fields_of
from probes.engines.http import HttpClient
from probes.errors import UnreadableTokensError
from probes.text import TextSource

PATH = "/detokenize"


class SGLangText(TextSource):
    """Asks one server."""

    most_at_once = 64

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """See TextSource."""
        asked = {"tokens": [[*row] for row in rows], "skip_special_tokens": False}
        try:
            told = fields_of(self._client.post(PATH, asked)).get("text")
        except (BadAnswerError, ServerFailedError) as error:
            raise UnreadableTokensError(error.message, error.hint) from None
        if isinstance(told, list) and len(told) == len(rows) and all(isinstance(text, str) for text in told):
            return told
        if isinstance(told, str) and len(rows) == 1:
            return [told]
        said = f"{self._client.address}{PATH} answers with no text for each row of tokens"
        raise UnreadableTokensError(said, "give a tokenizer: --tokenizer PATH")
