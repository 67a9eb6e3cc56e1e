"""The tokens of blocks, kept where somebody wants text: which nodes have which blocks, and what those hold.

Every tree begins with `NoTokens`, which keeps nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from probes.kv.wire import Stored
from probes.kv_mirror.blocks import BlockMirror
from probes.kv_mirror.run import Run

LIMIT_BYTES = 512 * 1024 * 1024
"""What the tokens of all ranks may take; those of later blocks are not kept."""

_OF_BLOCK_BYTES = 48
"""What the tokens of a block take besides."""


class Room:
    """How many bytes are left, for all that share it."""

    def __init__(self, left_bytes: int = LIMIT_BYTES) -> None:
        self.left_bytes = left_bytes


class NoTokens:
    """Keeps nothing. A tree calls these methods in this order for each event."""

    @property
    def message(self) -> str:
        """What is not kept although it was wanted, "" for nothing."""
        return ""

    def cleared(self) -> None:
        """Forget everything."""

    def began(self, run: Run) -> None:
        """Note a new node."""

    def ended(self, run: Run) -> None:
        """Forget a node."""

    def dropped(self, slots: Iterable[int]) -> None:
        """Forget blocks; others may have their slots from now on."""

    def stored(self, event: Stored, mirror: BlockMirror) -> None:
        """Note the tokens of an event that the mirror has applied."""

    def first(self, node: int, most_tokens: int) -> bytes:
        """Return the tokens that a node begins with, four bytes each; none where they are not known."""
        return b""


class BlockTokens(NoTokens):
    """Keeps the tokens of each block by its slot, and nodes by their numbers."""

    def __init__(self, room: Room | None = None) -> None:
        self._room = room or Room()
        self._tokens: list[bytes] = []
        self._runs: dict[int, Run] = {}
        self._forget_faults()

    def _forget_faults(self) -> None:
        self._lack = ""
        self._has_kept = self._is_full = False

    @property
    def message(self) -> str:
        """See NoTokens."""
        if self._is_full:
            return "some prompts have no text: there are more tokens than there is room for"
        if not self._lack:
            return ""
        whose = "some prompts have no text: their" if self._has_kept else "no text of prompts: its"
        return f"{whose} events carry {self._lack}"

    def cleared(self) -> None:
        """See NoTokens."""
        self._room.left_bytes += sum(map(_size, self._tokens))
        self._tokens, self._runs = [], {}
        self._forget_faults()

    def began(self, run: Run) -> None:
        """See NoTokens."""
        self._runs[run.id] = run

    def ended(self, run: Run) -> None:
        """See NoTokens."""
        self._runs.pop(run.id, None)

    def dropped(self, slots: Iterable[int]) -> None:
        """See NoTokens."""
        for slot in slots:
            if slot < len(self._tokens):
                self._keep(slot, b"")

    def stored(self, event: Stored, mirror: BlockMirror) -> None:
        """See NoTokens. Where tokens and named blocks do not match, nothing is kept: nobody says which are whose."""
        tokens, size = event.tokens, event.block_tokens
        if event.has_bigrams:
            tokens = tokens[::2]
        if not size or len(tokens) != size * len(event.hashes):
            self._lack = "token ids that do not fit their blocks" if tokens else "no token ids"
            return
        try:
            raw = array("i", tokens).tobytes()
        except OverflowError:
            return  # no token of any model
        self._has_kept = True
        for at, name in enumerate(event.hashes):
            slot = mirror.slot_of(name)
            if slot is not None:
                self._make_room(slot)
                self._keep(slot, raw[4 * size * at : 4 * size * (at + 1)])

    def first(self, node: int, most_tokens: int) -> bytes:
        """See NoTokens."""
        run, known, most_bytes = self._runs.get(node), bytearray(), 4 * most_tokens
        for slot in () if run is None else run.blocks:
            tokens = self._tokens[slot] if slot < len(self._tokens) else b""
            known += tokens
            if not tokens or len(known) >= most_bytes:
                break
        return bytes(known[:most_bytes])

    def _make_room(self, slot: int) -> None:
        missing = slot + 1 - len(self._tokens)
        if missing > 0:
            self._tokens.extend([b""] * missing)

    def _keep(self, slot: int, tokens: bytes) -> None:
        room = self._room
        room.left_bytes += _size(self._tokens[slot])
        if _size(tokens) > room.left_bytes:
            self._is_full, tokens = True, b""
        self._tokens[slot] = tokens
        room.left_bytes -= _size(tokens)


def _size(tokens: bytes) -> int:
    return len(tokens) + _OF_BLOCK_BYTES if tokens else 0
