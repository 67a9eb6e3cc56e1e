"""Texts that are known and not told: for pictures of a screen that shows them."""

from __future__ import annotations

from probes.node_texts.node_texts import NodeTexts


class HushedTexts(NodeTexts):
    """Nodes go by what they go by without text; a filter finds the same ones, so that the same rows are in sight."""

    def __init__(self, texts: NodeTexts) -> None:
        self._texts = texts

    @property
    def version(self) -> int:
        """See NodeTexts."""
        return self._texts.version

    def matching(self, text: str) -> dict[int, int]:
        """See NodeTexts."""
        return self._texts.matching(text)
