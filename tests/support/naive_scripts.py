"""Short ways to drive the naive model by the numbers of the specification."""

from __future__ import annotations

from typing import Any

from tests.support.caches import tokens
from tests.support.naive_cache import NaiveCache
from tests.support.naive_checks import check_model
from tests.support.naive_request import NaiveRequest
from tests.support.naive_results import NaiveConfig, NaiveHit
from tests.support.naive_tree import Node


def model(page: int = 1, window: int | None = 4, slots: int = 256, **more: Any) -> NaiveCache:
    """Return a model with pools of `slots`; a host tier comes with `host_slots`, states with `mamba_slots`."""
    swa = slots if window is not None else 0
    return NaiveCache(NaiveConfig(page=page, full_slots=slots, window=window, swa_slots=swa, **more))


def hosted(window: int | None = 4, page: int = 1, **more: Any) -> NaiveCache:
    """Return a model with a roomy host tier."""
    more = {"host_slots": 256, "swa_host_slots": 256 if window is not None else 0} | more
    return model(page, window, **more)


def insert(cache: NaiveCache, text: str, swa_from: int = 0, state: bool = False, **more: Any) -> Node:
    """Insert a key on slots of its own; return the node it ends on."""
    key = tuple(tokens(text))
    whole = cache.down(cache.unit_count(len(key)))
    assert cache.take(whole, states=int(state))
    if cache.window is not None:
        cache.swa_free += min(swa_from, whole)
    _, node = cache.insert(key, swa_from=swa_from, state=state, **more)
    check_model(cache)
    return node


def chain(cache: NaiveCache, *ends: int) -> list[Node]:
    """Insert growing prefixes of stream A; return the nodes they ended on."""
    return [insert(cache, f"A{end}") for end in ends]


def settle(cache: NaiveCache) -> None:
    """Take and complete every transfer."""
    cache.take_transfers()
    for transfer in list(cache.transfers):
        cache.complete(transfer)
    check_model(cache)


def look(cache: NaiveCache, text: str) -> NaiveHit:
    """Match a key."""
    return cache.match(tuple(tokens(text)))


def hits(cache: NaiveCache, text: str) -> tuple[int, int, int | None]:
    """Match a key; return device hit, host hit and branching point."""
    found = look(cache, text)
    return found.hit, found.host, found.branch


def shape(cache: NaiveCache) -> str:
    """Return the tree, preorder, as "start+length" per node and what it has.

    F, S, M on the device, f, s, m on the host; t where there is a window component and no window on the device.
    """
    words = []
    for node in cache.nodes():
        marks = "F" * node.full + "f" * node.host_full
        if cache.window is not None:
            marks += ("S" if node.live else "t") + "s" * node.host_live
        words.append(f"{node.end - len(node)}+{len(node)}{marks}{'M' * node.state}{'m' * node.host_state}")
    return " ".join(words)


def serve(cache: NaiveCache, text: str, outputs: int = 2) -> NaiveRequest:
    """Serve a whole request and return it."""
    request = NaiveRequest(cache, tuple(tokens(text)))
    assert request.prefill(len(request.prompt))
    for number in range(outputs):
        assert request.decode(10_000_000 + number)
    request.finish()
    check_model(cache)
    return request
