"""Runs in a peer's interpreter: SGLang's own caches under random requests, their events, and what they hold.

What a cache holds is asked of its own match, once for every prompt that was ever inserted; where its tree is written
in Python, the tree is walked as well. Names of blocks are worked out from the tokens, after the published recipe.
"""

from __future__ import annotations

import os
import time
from array import array
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from typing import Any

from tests.support.peer_server import quiet_stdout, serve

say = quiet_stdout()

from cache_core.bench.sglang import stand_ins  # noqa: E402

stand_ins.install(first=True)

from cache_core.bench.sglang.modules import Modules, load  # noqa: E402
from cache_core.bench.sglang.pools import Built, Shape, build, build_as  # noqa: E402
from cache_core.bench.sglang.requests import OutOfRoomError, scheduler  # noqa: E402
from tests.support.peer_prompts import Prompts, Tokens  # noqa: E402
from tests.support.peer_told import Published, ToFile, Told  # noqa: E402

SHARES = (None, None, "red", "blue")
LEGACY = {
    "radix": ("sglang.srt.mem_cache.radix_cache", "RadixCache"),
    "swa": ("sglang.srt.mem_cache.swa_radix_cache", "SWARadixCache"),
}
MOST_ALIVE = 5
Block = tuple[int, int | None]
"""The name of a block and of the one above it."""


class Cache:
    """A cache, the scheduler's part, and whoever is told of its events. Makes `step`s of random requests."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.sglang: Modules = load()
        self.page = order["page"]
        window = order["window"] * self.page if order["window"] else None
        slots = order["pages"] * self.page
        shape = Shape(self.page, window, slots, max(slots // 2, 4 * (window or 0)), kv_events=True)
        self.built: Built = _built(self.sglang, shape, order["kind"], order["core"])
        self.cache = self.built.cache
        self.life = scheduler(self.sglang, self.built)
        self.prompts = Prompts(order["seed"], slots // 6, SHARES)
        self.dice = self.prompts.dice
        self.alive: list[Any] = []
        self.ever: dict[tuple[str | None, tuple[int, ...]], None] = {}
        self.counts: Counter[str] = Counter()
        self._events: list[Any] = []
        self._told: Told = _told(order)
        self.batches = 0

    # ---- what a test asks for

    def run(self, operations: int) -> dict[str, Any]:
        """Do so many operations; some of them share a batch, as they do in a server."""
        for number in range(operations):
            self.step()
            self._events.extend(self.cache.take_events())
            if self.dice.random() < 0.4 or number == operations - 1:
                self._flush()
        return {"batches": self.batches, "operations": dict(self.counts)}

    def truth(self) -> dict[str, Any]:
        """Return what the cache holds, and what its match says of every prompt there ever was."""
        asked = [self._asked(share, list(tokens)) for share, tokens in self.ever]
        held = self._copies((share, self._chain(list(tokens))[:whole]) for share, tokens, whole, _ in asked)
        walked = self._walked()
        self._events.extend(self.cache.take_events())
        self._flush()
        return {
            "after": self.batches - 1,
            "blocks": held,
            "walked": walked,
            "size": int(_first(self.cache.total_size())) // self.page,
            "looks": [
                [[name for name, _ in self._chain(tokens)], real * self.page] for _, tokens, _, real in asked[-400:]
            ],
        }

    def empty(self) -> dict[str, Any]:
        """End all requests and flush the cache."""
        for request in list(self.alive):
            self._end(request, True)
        self.cache.reset()
        self.built.allocator.clear()
        self.ever.clear()
        self._events.extend(self.cache.take_events())
        self._flush()
        return {"batches": self.batches}

    def end(self) -> dict[str, Any]:
        """Hand out what waits."""
        self._told.close()
        return {"process_s": time.process_time()}

    # ---- operations

    def step(self) -> None:
        """Do one operation."""
        if len(self.alive) < MOST_ALIVE and self.dice.random() < 0.25:
            return self._start()
        draw = self.dice.random()
        if draw < 0.06 or not self.alive:
            return self._look()
        if draw < 0.1:
            return self._evict()
        request = self.dice.choice(self.alive)
        rest = len(request.origin_input_ids) - self._done(request)
        if rest > 0:
            return self._chunk(request, rest)
        return self._decode(request) if draw < 0.55 else self._finish(request)

    def _start(self) -> None:
        tokens, share = self.prompts.next()
        request = self.life.request(array("q", tokens), share)
        self.life.start(request)
        self.alive.append(request)
        self.counts["start"] += 1

    def _chunk(self, request: Any, rest: int) -> None:
        upto = self._done(request) + self.dice.choice((rest, rest, self.dice.randrange(rest) + 1))
        self.counts["chunk"] += 1
        try:
            self.life.extend(request, upto)
        except OutOfRoomError:
            self._end(request, False)
        else:
            self.life.write_back(request, chunked=upto < len(request.origin_input_ids))
            self._inserted(request, upto)

    def _decode(self, request: Any) -> None:
        self.counts["decode"] += 1
        try:
            for token in self.prompts.fresh(self.dice.randrange(1, 4)):
                self.life.slide(request)
                self.life.decode(request, [token])
        except OutOfRoomError:
            self._end(request, True)

    def _finish(self, request: Any) -> None:
        self.counts["finish"] += 1
        self._end(request, self.dice.random() < 0.85)

    def _end(self, request: Any, insert: bool) -> None:
        self.alive.remove(request)
        if not request.kv.holds_kv:
            return self.life.abandon(request)
        length = request.kv.kv_committed_len
        self.life.finish(request, insert)
        if insert:
            self._inserted(request, length)
            self.prompts.answered(_tokens(request)[:length], request.extra_key)
        return None

    def _look(self) -> None:
        self.counts["match"] += 1
        tokens, share = self.prompts.next()
        self._asked(share, tokens)

    def _evict(self) -> None:
        self.counts["evict"] += 1
        full = self.dice.randrange(self.built.shape.full_slots // 4)
        window = self.dice.randrange(full + 1) if self.life.windowed else 0
        self.cache.evict(self.sglang.base.EvictParams(num_tokens=full, swa_num_tokens=window))

    # ---- what is known of it

    def _done(self, request: Any) -> int:
        return int(request.kv.kv_allocated_len) if request.kv.holds_kv else self.life.cached_tokens(request)

    def _inserted(self, request: Any, length: int) -> None:
        self.ever[request.extra_key, tuple(_tokens(request)[:length])] = None

    def _flush(self) -> None:
        if self._events:
            self._told.tell(self._events)
            self._events = []
            self.batches += 1

    def _asked(self, share: str | None, tokens: Tokens) -> tuple[str | None, Tokens, int, int]:
        """Return a prompt with how many of its pages there are, and how many would be reused."""
        key = self.sglang.radix_key(array("q", tokens), share)
        found = self.cache.match_prefix(self.sglang.base.MatchPrefixParams(key=key))
        real = self.life.hit_tokens(found) // self.page
        whole = max(real, int(getattr(found, "full_kv_hit_length", None) or 0) // self.page)
        return share, tokens, whole, real

    def _chain(self, tokens: Tokens) -> list[Block]:
        """Return the blocks of a prompt: each named by a hash of the one above it and of its own tokens."""
        above, name, chain = b"", None, []
        for start in range(0, len(tokens) - self.page + 1, self.page):
            raw = b"".join(token.to_bytes(4, "little") for token in tokens[start : start + self.page])
            above = sha256(above + raw).digest()
            parent, name = name, int.from_bytes(above[:8], "big")
            chain.append((name, parent))
        return chain

    def _copies(self, held: Iterator[tuple[str | None, list[Block]]]) -> list[list[Any]]:
        """Count blocks by their namespaces, which share names and no memory."""
        apart = {(share, block) for share, chain in held for block in chain}
        return sorted([*block, count] for block, count in Counter(block for _, block in apart).items())

    def _walked(self) -> list[list[Any]] | None:
        """Return what a walk of the tree finds, where there is a way."""
        try:
            root = self.cache.root_node
        except NotImplementedError:  # of the Rust core
            return None
        return self._copies(self._paths(root))

    def _paths(self, root: Any) -> Iterator[tuple[str | None, list[Block]]]:
        below: list[tuple[Any, Tokens]] = [(node, []) for node in root.children.values()]
        while below:
            node, before = below.pop()
            tokens = [*before, *node.key.token_ids[: len(node.key)]]
            yield node.key.extra_key, self._chain(tokens)
            below += [(child, tokens) for child in node.children.values()]


def _built(sglang: Modules, shape: Shape, kind: str, core: str) -> Built:
    if kind == "unified":
        return build(sglang, shape, core)
    module, name = LEGACY[kind]
    return build_as(sglang, shape, getattr(import_module(module), name))


def _told(order: dict[str, Any]) -> Told:
    """Return where the events of a cache go: a file, or SGLang's own publisher."""
    events: Any = import_module("sglang.srt.disaggregation.kv_events")
    if "file" in order:
        return ToFile(order["file"], events.KVEventBatch)
    publisher = events.ZmqEventPublisher(0, endpoint=order["live"], replay_endpoint=order["replay"])
    return Published(publisher, events.KVEventBatch)


def _tokens(request: Any) -> Tokens:
    return [*request.origin_input_ids, *request.output_ids]


def _first(sizes: Any) -> Any:
    return sizes[0] if isinstance(sizes, tuple) else sizes


def begin(**order: Any) -> Cache:
    """Make a cache, as its order says."""
    return Cache(order)


def warm_up() -> None:
    """Have SGLang import what it imports late, so that not each process does."""
    begin(kind="unified", core="python", page=1, window=2, pages=100, seed=1, file=os.devnull).run(200)


if __name__ == "__main__":
    warm_up()
    serve(begin, ready=lambda: say({"engine": "sglang", "version": load().version}))
