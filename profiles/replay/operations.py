"""What a recording asks its cache to do, with made-up tokens: the operations that a replay carries out.

`at` is the time of the record that an operation comes from. Content of different namespaces has different tokens, so
that a replay needs none. A `life` is one admission of a request: one that was retracted and comes back lives again.
Tokens are packed little-endian int32, as keys take them.
"""

from __future__ import annotations

from typing import NamedTuple


class Admit(NamedTuple):
    """A request is admitted. `hit_tokens` were found at the time, on the device and on the host."""

    at: int
    life: int
    tokens: bytes
    priority: int
    hit_tokens: int


class Prefill(NamedTuple):
    """A request has computed its prompt up to a position; with `writes_back` what is new goes into the tree.

    `loaded_tokens` were loaded from the host before that.
    """

    at: int
    life: int
    upto: int
    writes_back: bool
    loaded_tokens: int


class Decode(NamedTuple):
    """An output token of a request takes a slot."""

    at: int
    life: int
    token: int


class Finish(NamedTuple):
    """A request ends and stays in the cache."""

    at: int
    life: int


class Retract(NamedTuple):
    """A request ends, and what it has not written back is lost. `reason` is one of `events.REASONS`."""

    at: int
    life: int
    reason: int


class Look(NamedTuple):
    """A match on nobody's behalf. `key` names what it reached, `hit_tokens` were found at the time."""

    at: int
    tokens: bytes
    key: int
    hit_tokens: int


class Write(NamedTuple):
    """An insert on nobody's behalf. The first `owned_tokens` were the tree's, windows below `swa_from` are gone."""

    at: int
    tokens: bytes
    key: int
    owned_tokens: int
    swa_from: int


class Lock(NamedTuple):
    """The path to the content `key` is locked."""

    at: int
    key: int


class Unlock(NamedTuple):
    """A lock of the path to the content `key` is given back."""

    at: int
    key: int


class Evict(NamedTuple):
    """Each component, by its number, is asked to free so many tokens."""

    at: int
    asked_tokens: tuple[int, ...]


class State(NamedTuple):
    """A prefix was in the cache before the recording was. `swa_from` is where its window begins."""

    at: int
    tokens: bytes
    swa_from: int
    priority: int


class Reset(NamedTuple):
    """The cache forgets everything."""

    at: int


Operation = Admit | Prefill | Decode | Finish | Retract | Look | Write | Lock | Unlock | Evict | State | Reset
