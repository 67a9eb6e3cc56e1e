"""One request's computed tokens by account, and the sums of all."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence

from probes.lives.gaps import STATES, WINDOWS
from probes.lives.misses import MissClass, PromptTokens
from probes.lives.request_life import Life
from profiles.evidence.evidence import ACCOUNTS, Account

WORST = 5
"""Of each account so many requests are named."""

Lost = Mapping[str, int]
"""Computed tokens by account; an account without tokens may be left out."""

_IN_PAGES: tuple[MissClass, ...] = ("page_rounding", "below_page")
"""The classes of what no page is whole with: known tokens where a prompt parts from others, and ends of prompts."""

_EVICTED_FOR = {WINDOWS: "evicted_for_window", STATES: "evicted_for_state"}
_PLAIN: tuple[MissClass, ...] = ("other_namespace", "in_flight", "unloaded", "last_token", "unknown")
"""The classes that are accounts as they are."""


def accounts_of(life: Life, components: Sequence[str] = ()) -> dict[str, int]:
    """Return what a request computed of its prompt, by account: as many tokens as its misses, in all and of each
    class. `components` are the names of the cache's."""
    tokens = life.tokens()
    lost: dict[str, int] = {name: tokens.of(name) for name in _PLAIN}
    lost["first_seen"] = tokens.first_seen + tokens.diverged
    for account, count in (
        *_evicted(life, components, tokens.evicted), *_gap(life, tokens.window_gone), *_rounding(life, tokens),
    ):  # fmt: skip
        lost[account] = lost.get(account, 0) + count
    return {name: count for name, count in lost.items() if count}


def _evicted(life: Life, components: Sequence[str], in_all: int) -> Iterator[tuple[str, int]]:
    """Yield what was evicted by the component that was short; of calls that nobody told it was the base."""
    left = in_all
    for number, count in life.evicted_by.items():
        name = components[number] if number is not None and 0 <= number < len(components) else ""
        if name in _EVICTED_FOR:
            count = min(count, left)
            left -= count
            yield _EVICTED_FOR[name], count
    yield "evicted", left


def _gap(life: Life, in_all: int) -> Iterator[tuple[str, int]]:
    """Yield what was known and lacked a window or a state, by whether somebody saw that there."""
    left = in_all
    for gap in life.gap_parts() if in_all else ():
        count = min(gap.end - gap.start, left)
        left -= count
        yield f"{gap.lacking}_{'never' if gap.left is None else 'evicted'}", count
    yield "window_never", left


def _rounding(life: Life, tokens: PromptTokens) -> Iterator[tuple[str, int]]:
    """Yield what lies inside pages, what past the last place for a state, and what behind the last whole page."""
    in_grid = life.past_grid(life.rounding.grid_tokens)
    for name in _IN_PAGES:
        left = tokens.of(name)
        inside = min(life.decided(name), left)
        grid = min(in_grid, left - inside)
        in_grid -= grid
        yield "page_inside", inside
        yield "state_grid", grid
        yield name, left - inside - grid


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
