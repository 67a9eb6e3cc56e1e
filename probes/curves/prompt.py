"""A prompt as a path of blocks of one length."""

from __future__ import annotations

from typing import NamedTuple


class BlockPrompt(NamedTuple):
    """The whole blocks that are known of a prompt, and how many tokens it has; names are of one namespace each."""

    path: bytes
    block_tokens: int
    prompt_tokens: int
    namespace: str | None = None

    def tokens_of(self, blocks: int) -> int:
        """Return how many tokens the first so many blocks are."""
        return min(blocks * self.block_tokens, self.prompt_tokens)
