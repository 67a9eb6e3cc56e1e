"""The lines of a scenario: what they are made of, and how what is said is held against what is expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cache_core import RadixKey
from cache_core.kv_blocks import AllBlocksCleared, BlockRemoved, KVEvent
from tests.support.caches import STREAM, tokens
from tests.support.observe import Row

_KEY_PART = re.compile(r"[A-Z](\d+:)?\d+")
_SPAN = re.compile(r"(\d+):(\d+)")

Said = str | Mapping[str, object]
"""What a line of a script says: a text, or figures by name."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, taken apart: its key, its `name=value` options, a range, and the other words in order."""

    key: str
    options: Mapping[str, str]
    span: slice | None
    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Line:
        """Take a line apart."""
        parts, options, span, words = [], {}, None, []
        for word in text.split():
            if "=" in word:
                name, options[name] = word.split("=", 1)[0], word.split("=", 1)[1]
            elif _KEY_PART.fullmatch(word):
                parts.append(word)
            elif found := _SPAN.fullmatch(word):
                span = slice(int(found[1]), int(found[2]))
            else:
                words.append(word)
        return cls(" ".join(parts), options, span, tuple(words))

    def number(self, name: str, default: int = 0) -> int:
        """Return an option as a number."""
        return int(self.options.get(name, default))

    def radix_key(self) -> RadixKey:
        """Return the key, in the namespace that the options name."""
        return RadixKey(tokens(self.key), self.options.get("extra"), self.options.get("salt"))


def compare(where: str, said: Said, expected: str) -> None:
    """Assert that what was said is what is expected, as far as the expectation goes."""
    if isinstance(said, str):
        assert matches(said, expected), f"{where}: says {said!r}, not {expected!r}"
        return
    wanted = dict(word.split("=", 1) for word in expected.split())
    found = {name: text_of(said[name]) for name in wanted}
    assert found == wanted, f"{where}: says {found}, not {wanted}"


def matches(said: str, expected: str) -> bool:
    """Say whether a text is the expected one, with "..." for what is left open at an end."""
    if expected.endswith("..."):
        return said.startswith(expected.removesuffix("...").strip())
    if expected.startswith("..."):
        return said.endswith(expected.removeprefix("...").strip())
    return said == expected


def text_of(value: object) -> str:
    """Write a figure as scenarios do."""
    return "none" if value is None else str(value)


def ranges(adopted: Mapping[str, list[list[int]]]) -> str:
    """Write adopted ranges as "full:0-8,swa:0-8"."""
    return ",".join(f"{name}:{start}-{end}" for name in sorted(adopted) for start, end in adopted[name]) or "none"


def runs(positions: Iterable[int]) -> list[tuple[int, int]]:
    """Return ascending positions as half-open ranges."""
    found: list[tuple[int, int]] = []
    for position in positions:
        if found and found[-1][1] == position:
            found[-1] = (found[-1][0], position + 1)
        else:
            found.append((position, position + 1))
    return found


def told(event: KVEvent, blocks: dict[int, int]) -> str:
    """Write a KV event; `blocks` numbers hashes as they come."""
    if isinstance(event, AllBlocksCleared):
        return "cleared"
    names = ",".join(str(blocks.setdefault(name, len(blocks) + 1)) for name in event.block_hashes)
    if isinstance(event, BlockRemoved):
        return f"removed {names} from {event.medium}"
    parent = "none" if event.parent_block_hash is None else blocks[event.parent_block_hash]
    return f"stored {names} after {parent} of {event.block_size} on {event.medium}"


def name_of(row: Row) -> str:
    """Name a node by the stream of its last token and its start."""
    return f"{chr(ord('A') + row.key[-1] // STREAM)}{row.start}"
