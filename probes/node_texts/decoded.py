"""What the nodes of one tree say, decoded from their tokens."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from probes.node_texts.node_texts import NodeTexts

if TYPE_CHECKING:
    from probes.node_texts.decoder import Decoder

BEGINNING_TOKENS = 64
"""What is decoded of a node in a list: more than a row has room for."""

WHOLE_TOKENS = 2_048
"""What is decoded of a node that somebody looks at."""

_MOST_SEEN = 16_384
_SEARCHED = 256
"""So many are looked for at a time: who waits for rows in sight is not kept waiting by a search."""
_NEVER = (-1, "")


class TokensOfNodes(Protocol):
    """Knows the tokens of nodes."""

    @property
    def message(self) -> str:
        """Return which are not kept although they are wanted, "" for none."""

    def first(self, node: int, most_tokens: int) -> bytes:
        """Return the tokens that a node begins with, four bytes each; none where they are not known."""


class DecodedTexts(NodeTexts):
    """Texts that are decoded from the tokens of nodes. It belongs to the thread that knows the tokens."""

    is_on = True

    @property
    def version(self) -> int:
        """See NodeTexts."""
        return self._decoder.version

    @property
    def is_settled(self) -> bool:
        """See NodeTexts."""
        return self._decoder.is_settled

    @property
    def message(self) -> str:
        """See NodeTexts."""
        return self._decoder.message or self._tokens.message

    def __init__(self, tokens: TokensOfNodes, decoder: Decoder) -> None:
        self._tokens = tokens
        self._decoder = decoder
        self._told: OrderedDict[int, tuple[int, str]] = OrderedDict()

    def beginning(self, node: int, start: int) -> str:
        """See NodeTexts."""
        text = self._text(node, BEGINNING_TOKENS)
        if text:
            self._told[node] = (start, text)
            self._told.move_to_end(node)
            if len(self._told) > _MOST_SEEN:
                self._told.popitem(last=False)
        return text

    def whole(self, node: int, start: int) -> str:
        """See NodeTexts."""
        return self._text(node, WHOLE_TOKENS) or self.beginning(node, start)

    def matching(self, text: str) -> dict[int, int]:
        """See NodeTexts."""
        wanted = text.casefold()
        return {node: start for node, (start, told) in self._told.items() if wanted in told.casefold()}

    def search(self, nodes: Iterable[tuple[int, int]]) -> None:
        """See NodeTexts."""
        unknown = ((node, start) for node, start in nodes if self._told.get(node, _NEVER)[0] != start)
        for node, start in islice(unknown, _SEARCHED):
            self.beginning(node, start)

    def _text(self, node: int, most_tokens: int) -> str:
        tokens = self._tokens.first(node, most_tokens)
        return (self._decoder.text(tokens) or "") if tokens else ""
