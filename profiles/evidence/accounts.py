"""One request's computed tokens by account, and the sums of all."""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping

from probes.lives.request_life import Life
from profiles.evidence.evidence import ACCOUNTS, Account

WORST = 5
"""Of each account so many requests are named."""

Lost = Mapping[str, int]
"""Computed tokens by account; an account without tokens may be left out."""


def accounts_of(life: Life, page_tokens: int, window_took: bool) -> dict[str, int]:
    """Return what a request computed, by account; `window_took`: what it lacked went for want of window slots.

    What was there before and never left, though no match found it, lies inside a page.
    """
    tokens = life.tokens()
    gone = "evicted_for_window" if window_took else "evicted"
    if page_tokens > 1 and life.evicted_at is None:
        gone = "page_inside"
    lost = {
        "first_seen": tokens.first_seen,
        gone: tokens.evicted,
        "window_never" if life.window_lost_at is None else "window_evicted": tokens.window_gone,
        "in_flight": tokens.in_flight,
        "unloaded": tokens.unloaded,
        "unknown": tokens.unknown,
    }
    lost |= _ends(tokens.rounding, life)
    return {name: count for name, count in lost.items() if count}


def _ends(rounding: int, life: Life) -> dict[str, int]:
    last = min(rounding, 1)
    rest = "page_rounding" if life.matchable else "below_page"
    return {"last_token": last, rest: rounding - last}


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
