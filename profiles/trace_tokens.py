"""Tokens for the paths of a trace: equal ids become equal tokens, different ones part with their first token.

    path      [ id a                  | id b                  | id c      )
    tokens    [ a . . . . . . . . . . | b . . . . . . . . . . | c . . . . )  + what has no id
                a, b, c: no other token is the same     . : tokens that begin no block

    [0, 2^29)      first tokens: an id that is this small is its own, so that a trace of tokens has those that it had
    [2^29, 2^30)   first tokens: other ids are numbered from below, as they come; from above, what has no id
    [2^30, 2^31)   all others, a fixed hash of the first token of their block and of the place in it

So no two ids can collide, not even by chance, and a cache finds as many tokens as the paths have blocks in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from profiles.trace import ID_BYTES, TraceError, TraceRequest

if TYPE_CHECKING:
    from numpy import int64, uint32
    from numpy.typing import NDArray

TOKEN_BYTES = 4
"""The size of a token: a little-endian int32, as keys take them."""

OWN_TOKENS = 1 << 29
"""Ids below this are their own first tokens."""

_OTHERS = 1 << 30
_ID_FACTOR = 0x9E3779B1
_PLACE_FACTOR = 0x85EBCA6B


class TraceTokens:
    """Makes the tokens of one trace. It keeps a number for each different id that is not its own first token."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._fresh = _OTHERS

    def tokens(self, request: TraceRequest) -> bytes:
        """Return all tokens of a prompt. What is longer than its blocks ends in tokens that nothing else has."""
        import numpy as np

        size, length = request.block_tokens, request.prompt_tokens
        needed = min(request.blocks, -(-length // size))
        firsts = self._firsts(request.path[: needed * ID_BYTES])
        if size == 1:
            made = firsts.astype("<u4").tobytes()
        else:
            blocks = np.empty((needed, size), "<u4")
            blocks[:, 0] = firsts
            places = np.arange(1, size, dtype=np.uint32) * np.uint32(_PLACE_FACTOR)
            np.add.outer(firsts * np.uint32(_ID_FACTOR), places, out=blocks[:, 1:])
            blocks[:, 1:] &= _OTHERS - 1
            blocks[:, 1:] |= _OTHERS
            made = blocks.reshape(-1)[:length].tobytes()
        without_id = length - len(made) // TOKEN_BYTES
        return made + self.fresh(without_id) if without_id else made

    def ids(self, request: TraceRequest) -> bytes:
        """Return one token for each id: of a cache with page 1, the blocks that it finds weigh what they weigh."""
        return self.of_ids(request.path)

    def of_ids(self, path: bytes) -> bytes:
        """Return one token for each id of a path."""
        return self._firsts(path).astype("<u4").tobytes()

    def fresh(self, tokens: int) -> bytes:
        """Return tokens that part with everything at once: of an output, or of the end of a prompt."""
        if tokens <= 0:
            return b""
        self._fresh -= 1
        if self._fresh < OWN_TOKENS + len(self._numbers):
            raise _used_up()
        return self._fresh.to_bytes(TOKEN_BYTES, "little") + _OTHERS.to_bytes(TOKEN_BYTES, "little") * (tokens - 1)

    def _firsts(self, path: bytes) -> NDArray[uint32]:
        """Return the first token of each id."""
        import numpy as np

        ids: NDArray[int64] = np.frombuffer(path, "<i8")
        others = (ids < 0) | (ids >= OWN_TOKENS)
        firsts = ids.astype(np.uint32)
        if others.any():
            firsts[others] = [self._number(each) for each in ids[others].tolist()]
        return firsts

    def _number(self, id_: int) -> int:
        """Return the first token of an id that is not its own."""
        numbers = self._numbers
        known = numbers.get(id_)
        if known is None:
            known = numbers[id_] = OWN_TOKENS + len(numbers)
            if known >= self._fresh:
                raise _used_up()
        return known


def _used_up() -> TraceError:
    count = _OTHERS - OWN_TOKENS
    return TraceError(f"the trace has more than {count:,} different ids and outputs", "replay a part of it")
