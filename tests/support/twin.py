"""A real cache and the naive model, doing the same; after every step they must agree in everything."""

from __future__ import annotations

import pytest

from cache_core import LockError, OutOfSlotsError
from tests.support.naive_request import NaiveRequest
from tests.support.twin_base import NAMESPACES
from tests.support.twin_checks import check
from tests.support.twin_host import TwinHost

MOST_REQUESTS = 4


class Twin(TwinHost):
    """The pair with requests, and the comparison."""

    def admit(self, doc: int, length: int, tail: int, tail_length: int, ns: int) -> None:
        tokens, space = self.tokens(doc, length, tail, tail_length), NAMESPACES[ns % 5]
        if not tokens or len(self.requests) >= MOST_REQUESTS:
            return
        real, naive = self.real.admit(self.key(tokens, space), doc), NaiveRequest(self.naive, tokens, space, doc)
        hit = naive.start
        assert (real.hit_tokens, real.full_hit_tokens, real.branching_point) == (hit.hit, hit.full, hit.branch)
        self.requests.append((real, naive))

    def admit_and_load(self, doc: int, length: int, tail: int, tail_length: int, ns: int) -> None:
        """Admit a request and load back what the host has of it, as an engine does."""
        before = len(self.requests)
        self.admit(doc, length, tail, tail_length, ns)
        if len(self.requests) > before:
            self.load_back(len(self.requests) - 1)

    def load_back(self, which: int) -> None:
        """Load back for any request; only one that has not begun can gain by it."""
        if self.requests and self.naive.host:
            real, naive = self.requests[which % len(self.requests)]
            assert real.load_back() == naive.load_back()
            self.take_transfers()

    def prefill(self, which: int, amount: int, cache: int) -> None:
        """Compute some of a prompt and write back after it, or with taking its slots, or, one in three, not now.

        States and copies to the host need what was computed, so with these a write-back comes after it.
        """
        if not self.requests:
            return
        real, naive = self.requests[which % len(self.requests)]
        begin, upto = naive.length, self.stop(naive, amount)
        if naive.outputs or naive.held.swa_released:
            return
        at_once = cache % 3 == 1 and not self.mamba and not self.naive.host
        if not naive.prefill(upto, at_once):
            self.seen["out of slots"] += 1
            with pytest.raises(OutOfSlotsError):
                real.prefill(upto, cache=at_once)
            return
        real.prefill(upto, cache=at_once)
        self.forward(begin, which)
        if cache % 3 and not at_once:
            assert naive.prefill(upto)
            real.prefill(upto)

    def stop(self, naive: NaiveRequest, amount: int) -> int:
        """Choose where a chunk ends; one in six, where a branch is if that is ahead."""
        branch = naive.state_branch if naive.state_branch is not None else naive.branch
        if amount % 6 == 0 and branch is not None and naive.length < branch:
            return branch
        return min(len(naive.prompt), naive.length + amount % self.reach)

    def forward(self, begin: int, which: int) -> None:
        """Compute what a request took slots for, from `begin` on."""
        real, naive = self.requests[which % len(self.requests)]
        if naive.length > begin:
            assert real.checkpoint_due == naive.due
            self.before_writing()
            self.shadow.forward(real, (naive.prompt + naive.outputs)[: naive.length], naive.ns, begin)

    def decode(self, which: int, amount: int, token: int) -> None:
        if not self.requests:
            return
        real, naive = self.requests[which % len(self.requests)]
        if naive.length < len(naive.prompt):
            return
        for number in range(amount % (self.page + 3) + 1):
            begin, sampled = naive.length, token % 2 * 10_000 + number % 3
            if not naive.decode(sampled):
                self.seen["out of slots"] += 1
                with pytest.raises(OutOfSlotsError):
                    real.decode(sampled)
                return
            real.decode(sampled)
            self.forward(begin, which)

    def release_window(self, which: int) -> None:
        if self.requests:
            real, naive = self.requests[which % len(self.requests)]
            if naive.length >= len(naive.prompt):
                assert real.release_window() == naive.release_window()

    def finish(self, which: int, how: int) -> None:
        """End a request; one in four is retracted."""
        if self.requests:
            real, naive = self.requests.pop(which % len(self.requests))
            insert = bool(how % 4)
            self.seen["finish at a branch"] += insert and naive.branch is not None and naive.branch <= naive.length
            if insert:
                real.finish()
            else:
                real.retract()
            naive.finish(insert)
            with pytest.raises(LockError):
                real.finish()

    def check(self) -> None:
        """Compare everything that can be seen, and let both check themselves."""
        check(self)
