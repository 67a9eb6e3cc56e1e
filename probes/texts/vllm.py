"""The text of tokens as a vLLM server tells it, one row at a time."""

from __future__ import annotations

from collections.abc import Sequence

from probes.engines.errors import BadAnswerError, ServerFailedError
from probes.engines.fields import fields_of
from probes.engines.http import HttpClient
from probes.errors import UnreadableTokensError
from probes.text import TextSource

PATH = "/detokenize"


class VllmText(TextSource):
    """Asks one server, for the model that it serves under its own name."""

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """See TextSource."""
        return [self._text(row) for row in rows]

    def _text(self, row: Sequence[int]) -> str:
        try:
            told = fields_of(self._client.post(PATH, {"tokens": [*row]})).get("prompt")
        except (BadAnswerError, ServerFailedError) as error:
            raise UnreadableTokensError(error.message, error.hint) from None
        if isinstance(told, str):
            return told
        said = f"{self._client.address}{PATH} answers with no text"
        raise UnreadableTokensError(said, "give a tokenizer: --tokenizer PATH")
