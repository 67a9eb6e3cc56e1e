"""The workloads W1 to W5: keys from fixed seeds, the same in every process that asks.

W1  2,000 requests of 512 + 1,543 shared and 96 tokens of their own.
W2  200 chats of 10 turns; a turn adds a message of 120 and a reply of 300 tokens; both are written.
W3  20,000 keys of 32 to 256 tokens whose first 16 to 64 are one of 400 prefixes, chosen by Zipf's law.
W4  trees of 1,000, 10,000 and 100,000 leaves of 100 tokens, fifty below each inner node.
W5  one prefix of 32,768 or 131,072 tokens, matched again and again, and keys that leave it in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from random import Random

from cache_core.key import TOKEN_BYTES

_VOCABULARY = (0x1FFFF).to_bytes(TOKEN_BYTES, "little")
"""Token ids are 17 bits, as in current vocabularies."""

WINDOW = 128
LEAF_TOKENS = 100
SIBLINGS = 50
EVICT_TOKENS = 300


@dataclass(frozen=True, slots=True)
class Setup:
    """The cache that a workload runs on; a window of None is a cache of full attention alone."""

    page_size: int = 1
    window: int | None = None
    slots: int = 1 << 20

    @property
    def components(self) -> tuple[str, ...]:
        """The components that the cache has."""
        return ("full",) if self.window is None else ("full", "swa")


@dataclass(frozen=True, slots=True)
class Requests:
    """Keys to look up and write in turn (W1 to W3), and the prompts and replies that a request's life needs."""

    keys: tuple[bytes, ...]
    prompts: tuple[bytes, ...]
    reply_tokens: int
    slots: int

    def digest(self) -> str:
        """Return what tells these keys from others: two processes compare it before they compare times."""
        return digest(self.keys)


def digest(keys: tuple[bytes, ...]) -> str:
    """Return a hash of some keys."""
    hashed = blake2b(digest_size=8)
    for key in keys:
        hashed.update(len(key).to_bytes(8, "little") + key)
    return hashed.hexdigest()


def random_tokens(rng: Random, count: int) -> bytes:
    """Return so many random token ids as packed int32."""
    mask = int.from_bytes(_VOCABULARY * count, "little")
    return (int.from_bytes(rng.randbytes(TOKEN_BYTES * count), "little") & mask).to_bytes(
        TOKEN_BYTES * count, "little"
    )


def shared_prompt(scale: float) -> Requests:
    """W1: one long prefix that all requests share."""
    rng = Random(1)
    shared = random_tokens(rng, 512) + random_tokens(rng, 1_543)
    keys = tuple(shared + random_tokens(rng, 96) for _ in range(_scaled(2_000, scale)))
    return Requests(keys, keys, 0, _room(1 << 18, scale))


def chats(scale: float) -> Requests:
    """W2: conversations that grow by turns, all of them at once; each turn's prompt and reply are written."""
    rng = Random(2)
    reply_tokens = 300
    said = [b""] * _scaled(200, scale)
    keys, prompts = [], []
    for _ in range(10):
        for chat, so_far in enumerate(said):
            prompt = so_far + random_tokens(rng, 120)
            said[chat] = prompt + random_tokens(rng, reply_tokens)
            prompts.append(prompt)
            keys += [prompt, said[chat]]
    return Requests(tuple(keys), tuple(prompts), reply_tokens, _room(1 << 20, scale))


def short_keys(scale: float) -> Requests:
    """W3: many short keys, their first tokens shared by Zipf's law."""
    rng = Random(3)
    prefixes = [random_tokens(rng, rng.randint(16, 64)) for _ in range(400)]
    weights = tuple(accumulate(1 / (rank + 1) for rank in range(len(prefixes))))
    keys = []
    for _ in range(_scaled(20_000, scale)):
        prefix = rng.choices(prefixes, cum_weights=weights)[0]
        length = max(rng.randint(32, 256), len(prefix) // TOKEN_BYTES + 1)
        keys.append(prefix + random_tokens(rng, length - len(prefix) // TOKEN_BYTES))
    return Requests(tuple(keys), tuple(keys), 0, _room(1 << 22, scale))


REQUESTS = {"W1": shared_prompt, "W2": chats, "W3": short_keys}
"""What makes the keys of a workload; each takes the share of its size that is wanted."""


@lru_cache(maxsize=1)
def requests(name: str, scale: float) -> Requests:
    """Return a workload of requests; pages and components change nothing about it, so the latest is kept."""
    return REQUESTS[name](scale)


def leaves(seed: int) -> Iterator[bytes]:
    """Yield the keys of W4 without end: fifty leaves of 100 tokens below each of ever new first tokens."""
    rng = Random(seed)
    first = 0
    while True:
        shared = first.to_bytes(TOKEN_BYTES, "little")
        first += 1
        for _ in range(SIBLINGS):
            yield shared + random_tokens(rng, LEAF_TOKENS)


def long_prefixes(tokens: int, count: int) -> tuple[bytes, ...]:
    """Return the prefixes of W5; they share nothing."""
    rng = Random(5)
    return tuple(random_tokens(rng, tokens) for _ in range(count))


def _scaled(count: int, scale: float) -> int:
    return max(1, round(count * scale))


def _room(slots: int, scale: float) -> int:
    """Return slots for a share of a workload, in whole pages of any size that is measured."""
    return max(1 << 14, round(slots * scale) // 64 * 64)
