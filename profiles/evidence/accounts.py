"""One request's computed tokens by account, and the sums of all."""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping

from probes.lives.misses import MissClass
from probes.lives.request_life import Life
from profiles.evidence.evidence import ACCOUNTS, Account

WORST = 5
"""Of each account so many requests are named."""

_IN_PAGES: tuple[MissClass, ...] = ("page_rounding", "below_page")
"""The classes of what no page is whole with: known tokens where a prompt parts from others, and ends of prompts."""

Lost = Mapping[str, int]
"""Computed tokens by account; an account without tokens may be left out."""


def accounts_of(life: Life, window_took: bool) -> dict[str, int]:
    """Return what a request computed, by account; `window_took`: what it lacked went for want of window slots."""
    tokens = life.tokens()
    inside = sum(piece.end - piece.start for piece in life.pieces if piece.miss in _IN_PAGES)
    in_pages: dict[str, int] = {name: tokens.of(name) for name in _IN_PAGES}
    for piece in life.pieces:
        if piece.miss in in_pages:
            in_pages[piece.miss] -= piece.end - piece.start
    evicted = min(tokens.window_gone, max(0, life.window_lost_to - life.device - life.host))
    lost: dict[str, int] = {
        "first_seen": tokens.first_seen + tokens.diverged,
        "other_namespace": tokens.other_namespace,
        "evicted_for_window" if window_took else "evicted": tokens.evicted,
        "window_evicted": evicted,
        "window_never": tokens.window_gone - evicted,
        "in_flight": tokens.in_flight,
        "unloaded": tokens.unloaded,
        "unknown": tokens.unknown,
        "page_inside": inside,
        "last_token": tokens.last_token,
        **in_pages,
    }
    return {name: count for name, count in lost.items() if count}


class Sums:
    """Adds up the accounts of requests."""

    def __init__(self) -> None:
        self._tokens = dict.fromkeys(ACCOUNTS, 0)
        self._requests = dict.fromkeys(ACCOUNTS, 0)
        self._since: dict[str, int] = {}
        self._worst: dict[str, list[tuple[int, int]]] = {name: [] for name in ACCOUNTS}

    def add(self, lost: Lost, request: int, at: int) -> None:
        """Count what a request admitted at a time computed."""
        for name, tokens in lost.items():
            self._tokens[name] += tokens
            self._requests[name] += 1
            self._since[name] = min(at, self._since.get(name, at))
            worst = self._worst[name]
            if len(worst) < WORST or tokens > -worst[-1][0]:
                insort(worst, (-tokens, request))
                del worst[WORST:]

    def frozen(self, began_at: int) -> dict[str, Account]:
        """Return the sums, with times since `began_at`."""
        return {
            name: Account(
                self._tokens[name],
                self._requests[name],
                max(0, self._since[name] - began_at),
                tuple((request, -tokens) for tokens, request in self._worst[name]),
            )
            for name in ACCOUNTS
            if self._tokens[name]
        }
