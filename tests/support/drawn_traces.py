"""Small traces that are drawn, of requests that share prefixes."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from hypothesis import strategies as st

from profiles.trace import TraceRequest

BLOCK = 4


def request(
    ids: Sequence[int], rest: int = BLOCK, namespace: str | None = None, block_tokens: int = BLOCK
) -> TraceRequest:
    """Return a request for these ids, whose last block has `rest` tokens."""
    tokens = (len(ids) - 1) * block_tokens + min(rest, block_tokens) if ids else 0
    return TraceRequest(0, array("q", ids).tobytes(), block_tokens, tokens, namespace=namespace)


_IDS = st.lists(st.integers(0, 2), max_size=7)

_REQUEST = st.builds(
    request, _IDS, st.integers(1, BLOCK), st.sampled_from([None, None, "a"]), st.sampled_from([BLOCK, 3])
)

REQUESTS = st.lists(st.tuples(_REQUEST, st.sampled_from([1, 1, 1, 3])), max_size=20).map(
    lambda drawn: [each for each, times in drawn for _ in range(times)]
)
"""Few ids and short paths: prefixes part everywhere, requests repeat, and some ask for nothing."""
