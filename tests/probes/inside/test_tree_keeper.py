"""The tree gets no more of the engine's thread than it may: it is late, then let go, and comes back when it can."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import pytest

from cache_core.events import CacheReset, NodeAdded, RawRecord
from probes.inside import tree_keeper
from probes.inside.allowance import TREE_SHARE, Allowance, share_from
from probes.inside.structure import Happened, Structure
from probes.inside.tree_keeper import TreeKeeper
from probes.recorder import FlightRecorder, RecorderOptions
from probes.rings import ring
from tests.support.inside_tree import decoded

SECOND = 1_000_000_000


class Kept:
    """A tree, its keeper, and a clock that goes when it is told to."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, share: float = 0.1) -> None:
        self.now = 100 * SECOND
        monkeypatch.setattr(tree_keeper, "clock", lambda: self.now)
        monkeypatch.setattr(tree_keeper, "thread_time_ns", lambda: self.now)
        self.recorder = FlightRecorder({}, RecorderOptions(folder=folder))
        self.said: list[str] = []
        self.structure = Structure(self.recorder.records.append)
        self.keeper = TreeKeeper(self.structure, self.recorder, self.said.append, Allowance(share, self.now))

    def happens(self, *names: int, takes_ns: int = 0, after: int | None = None) -> list[type]:
        """Have blocks stored, for which the engine's thread takes so long; return what is told."""
        self.keeper.spent_ns += takes_ns
        event = ("block_stored", list(names), after, [7] * len(names), 1, "GPU", None)
        return self.settle(Happened([event], 0, self.now))

    def settle(self, *items: Any) -> list[type]:
        waiting: deque[Any] = deque(items)
        self.keeper.settle(waiting, self.recorder.records)
        records: list[RawRecord] = self.recorder.records
        told = [type(decoded(record)) for record in records]
        records.clear()
        return told

    @property
    def is_known(self) -> bool:
        return not self.recorder._words[ring.TREE_UNKNOWN]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    kept = Kept(tmp_path / "rings", monkeypatch)
    yield kept
    kept.recorder.close()


def test_what_there_is_no_time_for_is_settled_later(kept: Kept) -> None:
    assert kept.happens(1, takes_ns=SECOND) == [] and kept.is_known
    kept.now += 5 * SECOND
    assert kept.happens(2, after=1) == []
    assert kept.said == ["the tree is behind: it gets no more of the engine's thread"]
    kept.now += 5 * SECOND
    assert kept.settle() == [NodeAdded, NodeAdded]
    kept.settle()
    assert kept.said[-1] == "" and len(kept.structure.tree) == 2


def test_a_load_that_is_always_too_dear_costs_the_tree_and_a_reset_brings_it_back(kept: Kept) -> None:
    kept.happens(1)
    for number in range(2, 70):
        kept.now += SECOND
        told = kept.happens(number, takes_ns=SECOND)
        if told:
            break
    assert told == [CacheReset] and not kept.is_known
    assert kept.said[-1].startswith("the tree is not known any more: it takes more") and TREE_SHARE in kept.said[-1]
    assert kept.happens(99) == []
    assert kept.keeper.may_begin_again()
    kept.keeper.begin_again()
    kept.now += 1_000 * SECOND
    assert kept.happens(5) == [NodeAdded] and kept.is_known and kept.said[-1] == ""


def test_what_is_put_off_keeps_no_token_of_a_prompt(kept: Kept) -> None:
    kept.happens(1, 2, takes_ns=SECOND)
    (late,) = kept.keeper._late
    assert isinstance(late, Happened) and 7 not in late.events[0] and None in late.events[0]


def test_a_tree_that_an_error_cost_does_not_begin_again(kept: Kept) -> None:
    kept.settle(Happened([("gone_fishing",)], 0, 1))
    kept.settle()
    assert not kept.is_known and "gone_fishing" in kept.said[-1] and not kept.keeper.may_begin_again()


def test_an_allowance_saves_up_for_a_while_and_may_be_in_debt() -> None:
    allowance = Allowance(0.5, 0)
    assert allowance.left_ns(100 * SECOND) == 2 * SECOND
    allowance.take(3 * SECOND)
    assert allowance.left_ns(101 * SECOND) == -SECOND / 2


@pytest.mark.parametrize(("told", "share"), [("0.2", 0.2), ("2", 0.05), ("much", 0.05)])
def test_a_share_that_is_none_is_not_taken(told: str, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TREE_SHARE, told)
    assert share_from(TREE_SHARE, 0.05) == share
