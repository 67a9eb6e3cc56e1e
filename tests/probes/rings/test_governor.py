"""The governor: what it finds watching to cost, and when a cache is told to tell less."""

from __future__ import annotations

from cache_core.event_codec import decode
from cache_core.events import FULL_DETAIL, KIND_MASK, SPARSE, UNTIMED, ProbeCost
from probes.rings.governor import JUDGE_EVERY_NS, OVER_TIMES, UNDER_TIMES, Governor, calibrate

SECOND = JUDGE_EVERY_NS


class Run:
    """A governor on a clock of its own that is told each second what was spent."""

    def __init__(self, budget: float = 0.01) -> None:
        self.now = 0
        self.telling_ns = 0
        self.governor = Governor(lambda: self.now, budget, record_ns=100.0)

    def second(self, records: int = 0, flush_ns: int = 0, telling_ns: int = 0, snapshot_ns: int = 0) -> ProbeCost:
        self.now += SECOND
        self.telling_ns += telling_ns
        self.governor.flushed(records, flush_ns, snapshot_ns)
        assert self.governor.is_due(self.now)
        raw = self.governor.judge(self.now, self.telling_ns)
        cost = decode(raw[0] & KIND_MASK, raw[1:])
        assert isinstance(cost, ProbeCost)
        return cost


def test_the_cost_is_records_flushes_and_the_telling_of_that_second() -> None:
    run = Run()
    run.second(telling_ns=7_000)
    cost = run.second(records=10, flush_ns=2_000, telling_ns=300)
    assert (cost.spent_ns, cost.elapsed_ns, cost.detail) == (1_000 + 2_000 + 300, SECOND, FULL_DETAIL)


def test_it_is_not_due_before_its_time() -> None:
    run = Run()
    run.now = SECOND - 1
    assert not run.governor.is_due(run.now)


def test_too_much_for_long_is_answered_step_by_step_and_no_further() -> None:
    run = Run()
    details = [run.second(flush_ns=SECOND // 50).detail for _ in range(OVER_TIMES * 3)]
    assert details == [*[FULL_DETAIL] * 4, *[UNTIMED] * 5, *[SPARSE] * 6]


def test_bursts_change_nothing() -> None:
    run = Run()
    bursts = [run.second(flush_ns=SECOND // 2 if second % 5 < 2 else 0).detail for second in range(40)]
    assert set(bursts) == {FULL_DETAIL}


def test_quiet_brings_the_detail_back() -> None:
    run = Run()
    for _ in range(OVER_TIMES * 2):
        run.second(flush_ns=SECOND // 50)
    details = [run.second().detail for _ in range(UNDER_TIMES * 2)]
    assert details[UNDER_TIMES - 2 : UNDER_TIMES] == [SPARSE, UNTIMED]
    assert details[-1] == FULL_DETAIL


def test_what_is_near_the_budget_stays_as_it_is() -> None:
    run = Run()
    for _ in range(OVER_TIMES):
        run.second(flush_ns=SECOND // 50)
    assert {run.second(flush_ns=SECOND * 8 // 1000).detail for _ in range(3 * UNDER_TIMES)} == {UNTIMED}


def test_snapshots_are_in_the_figure_and_change_nothing() -> None:
    run = Run()
    costs = [run.second(flush_ns=SECOND // 5, snapshot_ns=SECOND // 5) for _ in range(2 * OVER_TIMES)]
    assert {(cost.spent_ns, cost.detail) for cost in costs} == {(SECOND // 5, FULL_DETAIL)}


def test_calibration_finds_a_price() -> None:
    ticks = iter(range(0, 10**9, 50))
    assert calibrate(lambda: next(ticks)) >= 100
