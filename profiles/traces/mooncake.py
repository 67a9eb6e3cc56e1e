"""Traces of Mooncake: ids of prefix blocks, as many as the prompt fills, the last one in part.

    {"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47, ...]}

Times are milliseconds. Blocks have 512 tokens, as in the traces that Mooncake published
(https://github.com/kvcache-ai/Mooncake, FAST25-release/traces); other tools write the same lines with other blocks,
which the lengths give away: n ids for t tokens are blocks of t/n tokens to less than t/(n-1). Lines with a `chat_id`
have seconds: so do the traces of Alibaba's Bailian (https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from profiles.time_order import TimeOrdered
from profiles.trace import ID_BYTES, Trace, TraceRequest
from profiles.trace_fields import MOST_PROMPT_TOKENS, NS_PER_MS, NS_PER_S, Fields
from profiles.trace_format import TraceFormat, TraceHead
from profiles.trace_lines import lines_of

BLOCK_TOKENS = 512


class Mooncake(TraceFormat):
    """Lines of `timestamp`, `input_length`, `output_length` and `hash_ids`; a `session_id` is kept."""

    def fits(self, head: TraceHead) -> bool:
        """See TraceFormat."""
        fields = head.fields
        has_all = isinstance(fields.get("hash_ids"), list) and "input_length" in fields and "timestamp" in fields
        return has_all and "block_size" not in fields  # who says that is a request log

    def open(self, path: Path) -> Trace:
        """See TraceFormat."""
        return _MooncakeTrace(path, self.wanted)


class _MooncakeTrace(TimeOrdered):
    """The first reading finds the size of blocks."""

    def __init__(self, path: Path, wanted: int | None) -> None:
        self._sizes = BlockSizes()
        self._block_tokens = 0
        super().__init__(path, wanted)
        self._block_tokens = self._sizes.likeliest

    def in_file_order(self) -> Iterator[TraceRequest]:
        """See TimeOrdered."""
        for number, line in lines_of(self.path):
            fields = Fields(self.path, number, line)
            tokens = fields.count("input_length", least=1)
            ids = fields.ids("hash_ids")
            if not self._block_tokens and not self._sizes.narrow(tokens, len(ids) // ID_BYTES):
                problem = f"has {len(ids) // ID_BYTES:,} `hash_ids` for {tokens:,} tokens, unlike the lines above"
                raise fields.wrong(problem, "all blocks of a trace but the last of a prompt have one size")
            yield TraceRequest(
                at_ns=fields.time_ns("timestamp", NS_PER_S if "chat_id" in fields else NS_PER_MS) - self.zero_ns,
                path=ids,
                block_tokens=self._block_tokens or BLOCK_TOKENS,
                prompt_tokens=tokens,
                output_tokens=fields.count("output_length") if "output_length" in fields else 0,
                session=fields.text("session_id"),
            )


class BlockSizes:
    """The sizes of blocks with which every prompt so far has as many blocks as it should."""

    def __init__(self) -> None:
        self._least = 1
        self._most = MOST_PROMPT_TOKENS

    def narrow(self, tokens: int, blocks: int) -> bool:
        """Take in a prompt. Return False when no size is left."""
        if blocks < 1:
            return False
        self._least = max(self._least, -(-tokens // blocks))
        if blocks > 1:
            self._most = min(self._most, (tokens - 1) // (blocks - 1))
        return self._least <= self._most

    @property
    def likeliest(self) -> int:
        """The size that Mooncake has, else a power of two, else the smallest."""
        sizes = (BLOCK_TOKENS, *(1 << power for power in range(MOST_PROMPT_TOKENS.bit_length())), self._least)
        return next(size for size in sizes if self._least <= size <= self._most)
