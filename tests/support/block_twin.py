"""The block-hash cache and its naive model side by side: random operations on both, compared after each."""

from __future__ import annotations

import random
from array import array
from collections import Counter

from cache_core import LockReceipt, OutOfSlotsError, RadixKey, Request, check_integrity
from cache_core.controls.block_hash.cache import BlockHashCache
from cache_core.node import Node
from tests.support.naive_blocks import Chain, NaiveBlockRequest, NaiveBlocks, NaiveHold, Tokens
from tests.support.observe import ledger

OPERATIONS = {
    "admit": 9, "prefill": 14, "decode": 8, "finish": 6, "retract": 2, "match": 3, "lock": 3, "unlock": 3,
    "allocate": 2, "free": 2, "insert": 4, "evict": 3,
}  # fmt: skip


def chain_of(node: Node) -> Chain:
    """Name a block by its namespace and all tokens up to its end."""
    parts = []
    at: Node = node
    while at.parent is not None:
        parts.append(at.edge)
        at = at.parent
    return node.namespace.extra_key, tuple(array("i", b"".join(reversed(parts))))


class Contents:
    """What was computed into each slot: the position's whole prefix."""

    def __init__(self, cache: BlockHashCache) -> None:
        self._cache = cache
        self._full: dict[int, Chain] = {}
        self._swa: dict[int, Chain] = {}

    def compute(self, request: Request, start: int) -> None:
        """Write a request's positions from `start` on."""
        space, tokens = request.key.namespace.extra_key, tuple(request.tokens)
        row, swa_row = request.row(), request.swa_row()
        for position in range(start, request.length):
            self._full[row[position]] = self._swa[swa_row[position]] = (space, tokens[: position + 1])

    def verify_request(self, request: Request) -> None:
        """Assert that a request reads its own prefix: all of it, and of the window what its next token sees."""
        space, tokens = request.key.namespace.extra_key, tuple(request.tokens)
        row = request.row()
        assert len(set(row)) == len(row) == request.length
        window = self._cache.config.window if self._cache.windows is not None else 0
        seen = max(0, request.length - (window or 0) + 1) if window else request.length
        for position, slot in enumerate(row):
            assert self._full[slot] == (space, tokens[: position + 1]), f"{position=} {slot=}"
        for position, slot in enumerate(request.swa_row(seen), seen):
            assert slot and self._swa[slot] == (space, tokens[: position + 1]), f"{position=} {slot=}"

    def verify_block(self, node: Node, chain: Chain) -> None:
        """Assert that a block's slots hold what its chain says."""
        space, tokens = chain
        windows = self._cache.windows
        peers = array("i") if windows is None else windows.window_slots(node)  # type: ignore[arg-type]
        for offset, slot in enumerate(node.slots()):
            assert self._full[slot] == (space, tokens[: node.start + offset + 1])
            if peers and peers[offset]:
                assert self._swa[peers[offset]] == self._full[slot]


class BlockTwin:
    """One cache, and the model of it unless `model` is False: then only contents and integrity are checked."""

    def __init__(self, cache: BlockHashCache, seed: int, model: bool = True) -> None:
        self.cache = cache
        self.page = cache.config.page_size
        self.naive = NaiveBlocks(cache.config) if model else None
        self.contents = Contents(cache)
        self.dice = random.Random(seed)
        self.requests: list[tuple[Request, NaiveBlockRequest | None]] = []
        self.receipts: list[tuple[LockReceipt, NaiveHold | None]] = []
        self.lent: list[array[int]] = []
        self.prompts: list[Tokens] = []
        self.seen: Counter[str] = Counter()

    def step(self) -> None:
        """Do one random thing on both sides, and compare them."""
        name = self.dice.choices(list(OPERATIONS), list(OPERATIONS.values()))[0]
        try:
            getattr(self, name)()
        except BaseException as error:
            error.add_note(f"{name}, after {self.seen.total()} operations")
            raise
        self.seen[name] += 1
        self.check()

    # -- operations ----------------------------------------------------------------------------------------------

    def key(self) -> tuple[str | None, Tokens]:
        """Draw a prompt that often goes on from an earlier one."""
        dice = self.dice
        old = dice.choice(self.prompts) if self.prompts and dice.random() < 0.75 else ()
        tokens = (*old[: dice.randint(0, len(old))], *(dice.randint(1, 3) for _ in range(dice.randint(1, 24))))
        self.prompts = [*self.prompts[-9:], tokens]
        return dice.choice([None, None, "lora"]), tokens

    def admit(self) -> None:
        space, tokens = self.key()
        request = self.cache.admit(RadixKey(tokens, space))
        naive = None
        if self.naive is not None:
            usable, count = self.naive.match(space, tokens[:-1])
            naive = self.naive.admit(space, tokens)
            assert (request.hit_tokens, request.full_hit_tokens) == (usable * self.page, count * self.page)
            self.seen["window missing"] += usable < count
        assert request.branching_point is None
        self.requests.append((request, naive))

    def prefill(self) -> None:
        waiting = [pair for pair in self.requests if pair[0].length < len(pair[0].key)]
        if not waiting:
            return
        request, naive = self.dice.choice(waiting)
        start, upto = request.length, self.dice.randint(request.length + 1, len(request.key))
        try:
            request.prefill(upto, cache=False)
        except OutOfSlotsError:
            self._short(naive, upto)
            return
        if naive is not None and self.naive is not None:
            assert self.naive.extend(naive, upto)
        self.contents.compute(request, start)
        if self.dice.random() < 0.8:
            request.prefill(upto)
            self.seen["hash taken"] += request.protected_tokens < upto // self.page * self.page
            if naive is not None and self.naive is not None:
                self.naive.write_back(naive)

    def decode(self) -> None:
        for request, naive in [pair for pair in self.requests if pair[0].length >= len(pair[0].key)]:
            token = self.dice.randint(1, 3)
            try:
                request.decode(token)
            except OutOfSlotsError:
                if naive is not None and self.naive is not None:
                    assert not self.naive.decode(naive, token)
                self.seen["out of slots"] += 1
                continue
            if naive is not None and self.naive is not None:
                assert self.naive.decode(naive, token)
            self.contents.compute(request, request.length - 1)

    def finish(self) -> None:
        done = [pair for pair in self.requests if pair[0].length >= len(pair[0].key)]
        if done:
            self._end(self.dice.choice(done), insert=True)

    def retract(self) -> None:
        if self.requests:
            self._end(self.dice.choice(self.requests), insert=False)

    def match(self) -> None:
        space, tokens = self.key()
        found = self.cache.match(RadixKey(tokens, space))
        if self.naive is not None:
            usable, count = self.naive.match(space, tokens)
            assert (found.hit_tokens, found.full_hit_tokens) == (usable * self.page, count * self.page)

    def lock(self) -> None:
        space, tokens = self.key()
        found = self.cache.match(RadixKey(tokens, space))
        held = None
        if self.naive is not None:
            held = self.naive.hold(space, tokens, found.hit_tokens // self.page)
        self.receipts.append((self.cache.lock(found.node), held))

    def unlock(self) -> None:
        if self.receipts:
            receipt, held = self.receipts.pop(self.dice.randrange(len(self.receipts)))
            self.cache.unlock(receipt)
            if held is not None and self.naive is not None:
                self.naive.let_go(held)

    def allocate(self) -> None:
        blocks = self.dice.randint(1, 3)
        if self._room() >= blocks:
            self.lent.append(self.cache.allocate(blocks * self.page))
            assert self.naive is None or self.naive.take(blocks)

    def free(self) -> None:
        if self.lent:
            slots = self.lent.pop(self.dice.randrange(len(self.lent)))
            self.cache.free(slots)
            self._give(len(slots) // self.page)

    def insert(self) -> None:
        space, tokens = self.key()
        end = len(tokens) // self.page
        owned = self.cache.match(RadixKey(tokens, space)).hit_tokens // self.page
        owned = self.dice.choice([0, owned])
        windowless = self.dice.choice([owned, owned, end]) if self.cache.windows is not None else owned
        kept = self.cache.match(RadixKey(tokens[: owned * self.page], space))
        receipt = self.cache.lock(kept.node)
        if kept.hit_tokens < owned * self.page or self._room() < end - owned:
            self.cache.unlock(receipt)
            self._again(space, tokens, kept.hit_tokens // self.page)
            return
        slots = self.cache.allocate((end - owned) * self.page)
        gone = (windowless - owned) * self.page
        self.cache.free_window(slots[:gone])
        self._fill(slots, space, tokens, owned * self.page)
        row = kept.slots() + slots
        done = self.cache.insert(
            RadixKey(tokens, space), row, owned_tokens=owned * self.page, swa_from=windowless * self.page
        )
        self.cache.unlock(receipt)
        if self.naive is None:
            return
        held = self.naive.hold(space, tokens, owned)
        assert self.naive.take(end - owned)
        self.naive.swa.free += windowless - owned
        new = self.naive.insert(space, tokens, owned, windowless)
        assert done.present_tokens == (end - new) * self.page
        self.naive.let_go(held)

    def evict(self) -> None:
        full, swa = self.dice.randint(0, 20), self.dice.randint(0, 20) if self.cache.windows is not None else 0
        gone = self.cache.evict(full, swa)
        if self.naive is not None:
            freed = self.naive.evict(-(-full // self.page), -(-swa // self.page))
            assert (gone.full_tokens, gone.swa_tokens) == (freed[0] * self.page, freed[1] * self.page)

    # -- inside --------------------------------------------------------------------------------------------------

    def _short(self, naive: NaiveBlockRequest | None, upto: int) -> None:
        self.seen["out of slots"] += 1
        if naive is not None and self.naive is not None:
            assert not self.naive.extend(naive, upto)

    def _end(self, pair: tuple[Request, NaiveBlockRequest | None], insert: bool) -> None:
        request, naive = pair
        self.requests.remove(pair)
        if insert:
            request.finish()
        else:
            request.retract()
        if naive is not None and self.naive is not None:
            self.naive.end(naive, insert)

    def _again(self, space: str | None, tokens: Tokens, count: int) -> None:
        """A lock that was taken back leaves its blocks at the end of the queues."""
        if self.naive is not None:
            self.naive.let_go(self.naive.hold(space, tokens, count))

    def _room(self) -> int:
        return min(pool.free + pool.evictable for pool in ledger(self.cache).values()) // self.page

    def _give(self, blocks: int) -> None:
        if self.naive is not None:
            self.naive.full.free += blocks
            self.naive.swa.free += blocks if self.naive.window is not None else 0

    def _fill(self, slots: array[int], space: str | None, tokens: Tokens, start: int) -> None:
        peers = dict(self.cache.loans.pairs())
        for position, slot in enumerate(slots, start):
            chain = space, tokens[: position + 1]
            self.contents._full[slot] = self.contents._swa[peers[slot]] = chain

    # -- comparison ----------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Both agree, the cache agrees with itself, and every slot holds what it should."""
        check_integrity(self.cache)
        chains = {node: chain_of(node) for node in self.cache.tree.descend()}
        for node, chain in chains.items():
            self.contents.verify_block(node, chain)
        for request, _ in self.requests:
            self.contents.verify_request(request)
        if self.naive is None:
            return
        assert {chain: node.lock for node, chain in chains.items()} == self.naive.full.holders
        assert [chains[node] for node in self.cache.blocks.queue.in_order()] == self.naive.full.queue
        held = sum(self.naive.own_blocks(naive) for _, naive in self.requests if naive is not None)
        held += sum(len(slots) // self.page for slots in self.lent)
        self._compare("full", self.naive.full.free, held)
        windows = self.cache.windows
        if windows is None:
            return
        live = {chain: node.swa_lock for node, chain in chains.items() if windows.is_live(node)}  # type: ignore
        assert live == self.naive.swa.holders
        by_id = {node.id: (node, chain) for node, chain in chains.items()}
        waiting = [by_id[number] for number in windows.oldest_first()]
        assert [chain for node, chain in waiting if not node.swa_lock] == self.naive.swa.queue
        self._compare("swa", self.naive.swa.free, held)

    def _compare(self, name: str, free: int, held: int) -> None:
        assert self.naive is not None
        kind = self.naive.full if name == "full" else self.naive.swa
        waiting = len(kind.queue)
        blocks = (free, waiting, len(kind.holders) - waiting, held)
        assert ledger(self.cache)[name][:4] == tuple(count * self.page for count in blocks)
