"""The block-hash cache as lists and dicts: what may be hit, who holds it, and in which order it is taken.

A block is named by its namespace and all tokens up to its end, so nothing is hashed. Slow, and without a counter that
could be wrong: what is free, evictable or protected is counted anew each time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cache_core import CacheConfig

Tokens = tuple[int, ...]
Chain = tuple[str | None, Tokens]


@dataclass
class Kind:
    """One kind of blocks: holders of each hashed one, the queue of those without a holder, and the free ones."""

    free: int
    holders: dict[Chain, int] = field(default_factory=dict)
    queue: list[Chain] = field(default_factory=list)

    def enter(self, chain: Chain) -> None:
        """A block got its hash."""
        self.holders[chain] = 0
        self.queue.append(chain)

    def hold(self, chain: Chain) -> None:
        """One holder more."""
        if not self.holders[chain]:
            self.queue.remove(chain)
        self.holders[chain] += 1

    def let_go(self, chain: Chain) -> None:
        """One holder less."""
        self.holders[chain] -= 1
        if not self.holders[chain]:
            self.queue.append(chain)

    def renew(self, chain: Chain) -> None:
        """Move a block that waits to the end."""
        if chain in self.queue:
            self.queue.remove(chain)
            self.queue.append(chain)

    def lose(self, chain: Chain) -> None:
        """A block without a holder loses its hash."""
        self.queue.remove(chain)
        del self.holders[chain]
        self.free += 1


@dataclass
class NaiveHold:
    """What somebody holds: the blocks of a key, first to last, and those of the window, last to first."""

    chains: list[Chain]
    windows: list[Chain]


@dataclass
class NaiveBlockRequest:
    """A request; `hashed` of its blocks have a hash."""

    space: str | None
    tokens: Tokens
    prompt: int
    length: int
    hashed: int
    hold: NaiveHold


class NaiveBlocks:
    """The cache. Sizes in blocks; `window` is None without windows."""

    def __init__(self, config: CacheConfig) -> None:
        self.page = config.page_size
        self.window = config.window if "swa" in config.components else None
        self.full = Kind(config.full_slots // self.page)
        self.swa = Kind((config.swa_slots or 0) // self.page)

    def chains(self, space: str | None, tokens: Tokens, count: int) -> list[Chain]:
        """Name the first blocks of a key."""
        return [(space, tokens[: self.page * number]) for number in range(1, count + 1)]

    def match(self, space: str | None, tokens: Tokens) -> tuple[int, int]:
        """Return how many blocks are usable, and how many there are up to the first that is missing."""
        count = 0
        for chain in self.chains(space, tokens, len(tokens) // self.page):
            if chain not in self.full.holders:
                break
            count += 1
        usable = count
        while usable and self.window is not None and not self._window_is_whole(space, tokens, usable):
            usable -= 1
        return usable, count

    def _window_is_whole(self, space: str | None, tokens: Tokens, count: int) -> bool:
        assert self.window is not None
        first_token = max(0, count * self.page - self.window)
        needed = self.chains(space, tokens, count)[first_token // self.page :]
        return all(chain in self.swa.holders for chain in needed)

    def hold(self, space: str | None, tokens: Tokens, count: int) -> NaiveHold:
        """Hold the first blocks of a key, and of the window what a match there or a page earlier needs."""
        held = NaiveHold(self.chains(space, tokens, count), [])
        for chain in held.chains:
            self.full.hold(chain)
        self._hold_windows(held)
        return held

    def _hold_windows(self, held: NaiveHold) -> None:
        first = len(held.chains) * self.page - (self.window or 0) - self.page
        for chain in reversed(held.chains):
            if len(chain[1]) <= first or chain not in self.swa.holders:
                break
            self.swa.hold(chain)
            held.windows.append(chain)

    def let_go(self, held: NaiveHold) -> None:
        """Let go, the last block first."""
        for chain in held.windows:
            self.swa.let_go(chain)
        for chain in reversed(held.chains):
            self.full.let_go(chain)

    def evict(self, full_blocks: int, swa_blocks: int) -> tuple[int, int]:
        """Take hashes from the heads of the queues; return how many blocks of each kind that freed."""
        full = swa = 0
        while full < full_blocks and self.full.queue:
            chain = self.full.queue[0]
            self.full.lose(chain)
            full += 1
            if chain in self.swa.holders:
                self.swa.lose(chain)
                swa += 1
        while swa < swa_blocks and self.swa.queue:
            self.swa.lose(self.swa.queue[0])
            swa += 1
        return full, swa

    def take(self, count: int) -> bool:
        """Take blocks of both kinds, free ones first; say whether there were enough."""
        kinds = [self.full] if self.window is None else [self.full, self.swa]
        self.evict(count - self.full.free, count - self.swa.free if self.window is not None else 0)
        if any(kind.free < count for kind in kinds):
            return False
        for kind in kinds:
            kind.free -= count
        return True

    def write(self, space: str | None, tokens: Tokens, start: int, end: int, live_from: int = 0) -> int:
        """Give blocks [start, end) their hashes, with a window from `live_from` on; return how many were new."""
        new, fresh = 0, []
        for index, chain in list(enumerate(self.chains(space, tokens, end)))[start:]:
            if chain in self.full.holders:
                self.full.free += 1
            else:
                self.full.enter(chain)
                new += 1
            if self.window is None or index < live_from:
                continue
            if chain in self.swa.holders:
                self.swa.free += 1
            else:
                self.swa.enter(chain)
                fresh.append(chain)
        for chain in reversed(fresh):
            self.swa.renew(chain)
        return new

    def insert(self, space: str | None, tokens: Tokens, owned: int, live_from: int = 0) -> int:
        """Write on behalf of nobody who holds anything: all of the key is queued anew. Returns the new blocks."""
        end = len(tokens) // self.page
        new = self.write(space, tokens, owned, end, live_from)
        chains = self.chains(space, tokens, end)
        for chain in reversed(chains):
            self.full.renew(chain)
        first = end * self.page - (self.window or 0) - self.page
        for chain in reversed(chains):
            if len(chain[1]) <= first or chain not in self.swa.holders:
                break
            self.swa.renew(chain)
        return new

    # -- requests ------------------------------------------------------------------------------------------------

    def admit(self, space: str | None, tokens: Tokens) -> NaiveBlockRequest:
        """Hold what hits of all but the last token."""
        usable, _ = self.match(space, tokens[:-1])
        held = self.hold(space, tokens, usable)
        return NaiveBlockRequest(space, tokens, len(tokens), usable * self.page, usable, held)

    def extend(self, request: NaiveBlockRequest, length: int) -> bool:
        """Take the blocks up to a length."""
        if not self.take(self._blocks(length) - self._blocks(request.length)):
            return False
        request.length = length
        return True

    def decode(self, request: NaiveBlockRequest, token: int) -> bool:
        """Hash the block that is full now, if one is, and take a slot for one token more."""
        if request.length % self.page == 0:
            self.write_back(request)
        if not self.extend(request, request.length + 1):
            return False
        request.tokens += (token,)
        return True

    def write_back(self, request: NaiveBlockRequest) -> None:
        """Hash what is full, hold it, and hold the window at its end instead of the one before."""
        end = request.length // self.page
        if end == request.hashed:
            return
        self.write(request.space, request.tokens, request.hashed, end)
        held = request.hold
        added = self.chains(request.space, request.tokens, end)[request.hashed :]
        for chain in added:
            self.full.hold(chain)
        held.chains += added
        for chain in held.windows:
            self.swa.let_go(chain)
        held.windows.clear()
        self._hold_windows(held)
        request.hashed = end

    def end(self, request: NaiveBlockRequest, insert: bool) -> None:
        """Finish or retract."""
        if insert:
            self.write_back(request)
        own = self.own_blocks(request)
        self.full.free += own
        self.swa.free += own if self.window is not None else 0
        self.let_go(request.hold)

    def own_blocks(self, request: NaiveBlockRequest) -> int:
        """Return how many blocks of a request have no hash."""
        return self._blocks(request.length) - request.hashed

    def _blocks(self, tokens: int) -> int:
        return -(-tokens // self.page)
