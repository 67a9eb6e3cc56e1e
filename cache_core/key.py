"""Keys: packed token ids and the namespace that isolates them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from operator import index

from cache_core.errors import KeyRangeError, NamespaceMismatchError

TOKEN_BYTES = 4
MAX_TOKEN = 2**31 - 1

Tokens = bytes | Sequence[int] | Iterable[int]
"""What token ids may come as; bytes are int32 in little-endian order already."""


Parting = tuple[bytes, int, int, int, int]
"""An edge, where in the key it begins, how much of the key was asked for, the page, and how much agrees: bytes."""


class Namespace:
    """An isolation tag: keys of different namespaces share no node.

    `prefix` goes before the first page of a key and keeps the namespaces apart below the one root; it is empty
    for the plain namespace. `id` names the namespace in records and is the same in every process.
    """

    __slots__ = ("cache_salt", "extra_key", "id", "prefix")

    def __init__(self, extra_key: str | None, cache_salt: str | None) -> None:
        for part in (extra_key, cache_salt):
            if part is not None and not isinstance(part, str):
                raise KeyRangeError(f"extra_key and cache_salt are texts or None, not {part!r}")
        self.extra_key = extra_key
        self.cache_salt = cache_salt
        digest = b""
        if extra_key is not None or cache_salt is not None:
            digest = blake2b(_tagged(extra_key) + _tagged(cache_salt), digest_size=16).digest()
        self.prefix = digest
        self.id = int.from_bytes(digest[:8], "little", signed=True)

    def __str__(self) -> str:
        """Return the text that screens show: the extra key, and that there is a salt, never the salt itself."""
        name = "" if self.extra_key is None else self.extra_key
        return name if self.cache_salt is None else f"{name}+salt·{self.prefix[:3].hex()}"


def _tagged(part: str | None) -> bytes:
    """Return a part with its length in front, so that no two pairs of parts read the same."""
    if part is None:
        return b"-"
    raw = part.encode("utf-8", "surrogatepass")
    return b"%d:" % len(raw) + raw


PLAIN = Namespace(None, None)
"""The namespace of keys without extra key and salt."""


@lru_cache(maxsize=4096)
def namespace(extra_key: str | None, cache_salt: str | None) -> Namespace:
    """Return the namespace of an extra key and a salt; the empty salt is no salt."""
    salt = cache_salt or None
    return PLAIN if extra_key is None and salt is None else Namespace(extra_key, salt)


class RadixKey:
    """What is looked up: token ids as packed little-endian int32, and a namespace.

    `tokens` may be bytes (used as they are), an int32 array or buffer (copied), or any integers of 0..2**31-1.
    `segments` are (start, name) pairs in ascending order that label stretches of the key on screens.

    Raises KeyRangeError for anything else.
    """

    __slots__ = ("_pairs", "namespace", "parting", "place", "segments", "tokens")

    def __init__(
        self,
        tokens: Tokens,
        extra_key: str | None = None,
        cache_salt: str | None = None,
        segments: tuple[tuple[int, str], ...] = (),
    ) -> None:
        self.tokens = tokens if type(tokens) is bytes else pack(tokens)
        if len(self.tokens) % TOKEN_BYTES:
            raise KeyRangeError(f"{len(self.tokens)} bytes are no whole number of int32 token ids")
        plain = extra_key is None and cache_salt is None
        self.namespace = PLAIN if plain else namespace(extra_key, cache_salt)
        self.segments = _checked_segments(segments) if segments else ()
        self._pairs: bytes | None = None
        self.place: object = None
        """The deepest node that this key was found to reach: a cache goes on from there (see `Backend.walk`)."""
        self.parting: Parting | None = None
        """Where it was found to part from an edge behind that node, if it was only looked at."""

    def pairs(self) -> bytes:
        """Return the key as bigrams: unit i is the token pair (i, i + 1), so n tokens make n - 1 units of 8 bytes.

        Speculative decoding in the manner of EAGLE (Li et al. 2024, arXiv 2401.15077) caches by such pairs.
        """
        if self._pairs is None:
            tokens = array("i", self.tokens)
            units = max(0, len(tokens) - 1)
            pairs = array("i", bytes(2 * TOKEN_BYTES * units))
            pairs[0::2] = tokens[:units]
            pairs[1::2] = tokens[1:]
            self._pairs = pairs.tobytes()
        return self._pairs

    def __reduce__(self) -> tuple[object, ...]:
        """Copy what the key is, and not where some cache has found it."""
        return RadixKey, (self.tokens, self.namespace.extra_key, self.namespace.cache_salt, self.segments)

    def __len__(self) -> int:
        return len(self.tokens) // TOKEN_BYTES

    def __repr__(self) -> str:
        where = f", namespace {self.namespace}" if self.namespace is not PLAIN else ""
        return f"RadixKey({len(self)} tokens{where})"


def _checked_segments(segments: Iterable[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    try:
        checked = tuple((index(start), name) for start, name in segments)
    except (TypeError, ValueError) as error:
        raise KeyRangeError(f"segments are pairs of a position and a name: {error}") from None
    for _, name in checked:
        if not isinstance(name, str):
            raise KeyRangeError(f"a segment is named by a text, not by {name!r}")
    return checked


def pack(tokens: Tokens) -> bytes:
    """Return token ids as little-endian int32 bytes; raises KeyRangeError for what is no token id."""
    try:
        view = memoryview(tokens)  # type: ignore[arg-type]
    except TypeError:
        return _pack_integers(tokens)
    if isinstance(tokens, bytes | bytearray | memoryview) and view.itemsize == 1:
        return view.tobytes()
    if view.itemsize == TOKEN_BYTES and view.format in ("i", "l", "<i", "=i"):
        return view.tobytes()
    try:
        return _pack_integers(view.tolist())
    except NotImplementedError:  # numbers in another byte order are read one by one
        return _pack_integers(tokens)


def _pack_integers(tokens: Tokens) -> bytes:
    try:
        packed = array("I", tokens)  # converts three times as fast as "i"
    except (TypeError, OverflowError) as error:
        raise KeyRangeError(f"token ids are integers of 0..2**31-1: {error}") from None
    raw = packed.tobytes()
    if not raw[TOKEN_BYTES - 1 :: TOKEN_BYTES].isascii():  # the highest bit of the last byte is set from 2**31 on
        raise KeyRangeError(f"token ids are integers of 0..2**31-1, found {max(packed)}")
    return raw


def checked_token(token: int) -> int:
    """Return a token id as a plain integer; raises KeyRangeError for what is none."""
    if type(token) is int and 0 <= token <= MAX_TOKEN:
        return token
    try:
        return array("i", pack((token,)))[0]
    except TypeError:
        raise KeyRangeError(f"token ids are integers of 0..2**31-1, found {token!r}") from None


def common_tokens(a: RadixKey, b: RadixKey, page: int = 1) -> int:
    """Return how many leading tokens two keys share, in whole pages.

    Raises NamespaceMismatchError for keys of different namespaces: they never share anything, and asking is a
    mistake of the caller.
    """
    if a.namespace is not b.namespace and a.namespace.prefix != b.namespace.prefix:
        raise NamespaceMismatchError(
            f"keys of namespace {str(a.namespace)!r} and {str(b.namespace)!r} cannot be compared; "
            "use the same extra_key and cache_salt"
        )
    page_bytes = page * TOKEN_BYTES
    limit = min(len(a.tokens), len(b.tokens)) // page_bytes * page_bytes
    if a.tokens[:page_bytes] != b.tokens[:page_bytes] or not limit:
        return 0
    return common_bytes(a.tokens, b.tokens, 0, limit, page_bytes) // TOKEN_BYTES


def common_bytes(edge: bytes, tokens: bytes, at: int, limit: int, page_bytes: int) -> int:
    """Return how many bytes of `edge` agree with `tokens` from `at` on, below `limit`, in whole pages.

    The first page is known to agree. Halving on slices: each step is one memory compare.
    """
    high = min(len(edge), limit - at)
    if tokens.startswith(edge[:high], at):
        return high
    low, high = 1, high // page_bytes
    while high - low > 1:
        middle = (low + high) // 2
        if tokens.startswith(edge[low * page_bytes : middle * page_bytes], at + low * page_bytes):
            low = middle
        else:
            high = middle
    return low * page_bytes
