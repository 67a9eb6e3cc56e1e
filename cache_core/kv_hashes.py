"""The names of pages on the wire: a SHA-256 (FIPS 180-4) chain over tokens, as SGLang publishes it.

A page's digest covers the digest of the page before it and the page's own tokens, so it names the whole prefix and
is the same in every process. The event hash is its first 8 bytes as a signed integer. A salt seeds the chain; an
extra key is hashed over each event hash, so that namespaces share no hash and a removal in one is none in another.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from struct import Struct

from cache_core.key import Namespace

DIGEST_BYTES = 32

_SALT_TAG = b"sglang-cache-salt-v1\0"
_NAMESPACE_TAG = b"sglang-kv-event-namespace-v1\0"
_FIRST_WORDS = Struct(">q24x")
_WORD = Struct(">q")


def page_digests(before: bytes, edge: bytes, page_bytes: int) -> bytes:
    """Return the digests of the pages of an edge, one after the other.

    `before` is the digest of the page before the edge, or the `chain_seed` of its namespace under the root.
    """
    digests = []
    for at in range(0, len(edge), page_bytes):
        before = sha256(before + edge[at : at + page_bytes]).digest()
        digests.append(before)
    return b"".join(digests)


def event_hashes(digests: bytes, namespace: Namespace) -> list[int]:
    """Return the event hash of each digest of pages of a namespace."""
    words = [word for (word,) in _FIRST_WORDS.iter_unpack(digests)]
    if namespace.extra_key is None:
        return words
    seed = _namespace_seed(namespace.extra_key, namespace.cache_salt)
    return [_WORD.unpack_from(sha256(seed + _WORD.pack(word)).digest())[0] for word in words]


@lru_cache(maxsize=4096)
def chain_seed(cache_salt: str | None) -> bytes:
    """Return what the chain of a salt starts from: nothing without one."""
    return sha256(_SALT_TAG + _raw(cache_salt)).digest() if cache_salt else b""


@lru_cache(maxsize=4096)
def _namespace_seed(extra_key: str, cache_salt: str | None) -> bytes:
    """Return the 32 bytes that set the event hashes of an extra key apart."""
    key = _raw(extra_key)
    return sha256(_NAMESPACE_TAG + len(key).to_bytes(8, "big") + key + _raw(cache_salt or "")).digest()


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
