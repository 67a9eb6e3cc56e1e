"""Schedules: what every one of the table promises, and the rules of each."""

from __future__ import annotations

from random import Random

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.control import CACHES, build
from cache_core.errors import ConfigError
from cache_core.key import common_tokens
from cache_core.schedule import MOST_TOUCHED, SCHEDULES, Queue, ScheduleConfig, UnderWay
from tests.support.caches import chain, full_cache, hits, insert, key, run
from tests.support.queues import named, put_off, queue_of, schedule, waiting
from tests.support.scheduled import ScheduledEngine, serve

S62 = {
    "a": "A70", "b": "B110", "c": "C50", "d": "D70", "e": "D64 E10", "f": "D31 F50", "g": "D32 G50",
}  # fmt: skip
"""Hits a0 b100 c40 d0 e0 (shares 64 with d) f0 (shares 31) g0 (shares 32)."""


def s62_cache() -> PrefixCache:
    cache = full_cache(slots=4096)
    insert(cache, "B100")
    insert(cache, "C40")
    return cache


@pytest.mark.parametrize("name", SCHEDULES)
class TestContract:
    def test_every_waiting_request_is_in_the_order_once(self, name: str) -> None:
        plan = schedule(name, s62_cache()).plan(queue_of(S62))
        assert sorted(plan.order) == list(range(len(S62)))

    def test_those_put_off_are_at_the_end(self, name: str) -> None:
        plan = schedule(name, s62_cache()).plan(queue_of(S62))
        assert set(list(plan.order)[len(S62) - len(plan.deprioritised) :]) >= plan.deprioritised

    def test_nobody_waits_and_nothing_is_planned(self, name: str) -> None:
        assert list(schedule(name, full_cache()).plan(Queue(())).order) == []

    def test_equal_requests_stay_in_the_order_they_came_unless_they_are_shuffled(self, name: str) -> None:
        queue = Queue(tuple(waiting(i, f"{letter}20") for i, letter in enumerate("DACB")))
        assert (list(schedule(name, full_cache()).plan(queue).order) == [0, 1, 2, 3]) == (name != "random")

    def test_past_the_limit_the_limited_ones_fall_back_and_the_order_is_untouched(self, name: str) -> None:
        kind = SCHEDULES.load(name)
        cache = s62_cache()
        for count, limit, falls in ((128, 128, False), (129, 128, kind.limited), (129, None, False)):
            queue = Queue(tuple(waiting(i, "B110" if i == 7 else f"A{i}:{i + 1}") for i in range(count)))
            plan = schedule(name, cache, limit=limit).plan(queue)
            assert plan.fell_back == falls
            if falls:
                assert list(plan.order) == list(range(count))

    def test_a_cache_that_reuses_nothing_turns_cache_aware_ones_into_fcfs(self, name: str) -> None:
        cache = build("chunk", CacheConfig(components=("full",), full_slots=256))
        queue = queue_of({"a": "A40", "b": "A35", "c": "A33 C1", "d": "D8"})
        plan = schedule(name, cache).plan(queue)
        if SCHEDULES.load(name).cache_aware:
            assert (list(plan.order), plan.deprioritised, plan.fell_back) == ([0, 1, 2, 3], frozenset(), False)

    @pytest.mark.parametrize("kind", CACHES)
    def test_every_cache_can_be_asked(self, name: str, kind: str) -> None:
        engine = ScheduledEngine(build(kind, CacheConfig(window=16, full_slots=320)), name, chunk_size=32)
        ends = serve(engine, [f"A{40 + i} B{i}:20" for i in range(12)], output_tokens=3)
        assert [len(end.output) for end in ends] == [3] * 12

    def test_the_cache_keeps_what_it_has(self, name: str) -> None:
        cache = s62_cache()
        held = cache.stats()["components"]["full"]
        schedule(name, cache, touch_passes=1).plan(queue_of(S62))
        assert cache.stats()["components"]["full"] == held


def test_the_names_of_the_table() -> None:
    assert SCHEDULES.names == (
        "fcfs", "lpm", "dfs_weight", "lof", "random", "routing_key", "hrrn", "shortest_prefill_first",
    )  # fmt: skip
    assert [name for name in SCHEDULES if SCHEDULES.load(name).limited] == ["lpm", "hrrn"]


@pytest.mark.parametrize("settings", [{"check_tokens": -2}, {"defer_tokens": 0}, {"limit": -1}, {"aging_tokens": -1}])
def test_a_setting_that_makes_no_schedule_is_refused(settings: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(settings))} is -?\\d, at least"):
        ScheduleConfig(**settings)


class TestLongestPrefixMatch:
    @pytest.mark.parametrize(("shared", "later"), [(31, set()), (32, {"b"})])
    def test_a_prefix_of_32_tokens_shared_with_one_that_goes_first_is_waited_for(
        self, shared: int, later: set
    ) -> None:
        names = {"a": "A60", "b": f"A{shared} B40"}
        assert put_off(schedule("lpm", full_cache()).plan(queue_of(names)), names) == later

    @pytest.mark.parametrize(("cached", "later"), [(32, {"b"}), (33, set())])
    def test_who_hits_more_than_32_tokens_is_not_asked(self, cached: int, later: set[str]) -> None:
        cache = full_cache(slots=1024)
        insert(cache, f"A{cached}")
        names = {"a": "A100 B20", "b": "A100 C20"}
        assert put_off(schedule("lpm", cache).plan(queue_of(names)), names) == later

    def test_minus_one_turns_the_question_off(self) -> None:
        queue = queue_of(S62, under_way=(UnderWay(key("D70"), 0),))
        assert not schedule("lpm", s62_cache(), check_tokens=-1).plan(queue).deprioritised

    def test_namespaces_share_nothing(self) -> None:
        tokens = range(64)
        queue = Queue((waiting(0, RadixKey(tokens)), waiting(1, RadixKey(tokens, extra_key="x"))))
        assert not schedule("lpm", full_cache()).plan(queue).deprioritised

    def test_a_whole_hit_counts_as_all_but_one_token(self) -> None:
        cache = full_cache(slots=1024)
        insert(cache, "A50")
        names = {"a": "A50", "b": "A49 B9", "c": "A50 C9"}
        assert named(schedule("lpm", cache, check_tokens=-1).plan(queue_of(names)), names) == "c a b"

    def test_what_is_under_way_is_waited_for_up_to_the_end_of_what_is_shared(self) -> None:
        cache = full_cache(slots=1024)
        insert(cache, "A100")
        names = {"a": "A300 B9", "b": "A131 C200", "c": "C50"}
        queue = queue_of(names, under_way=(UnderWay(key("A300 Z9"), 100),))
        assert put_off(schedule("lpm", cache).plan(queue), names) == {"a"}
        queue = queue_of(names, under_way=(UnderWay(key("A300 Z9"), 269),))
        assert not schedule("lpm", cache).plan(queue).deprioritised

    def test_aging_is_worth_tokens_per_pass(self) -> None:
        cache = s62_cache()
        queue = Queue((waiting(0, "A70", queued_pass=0), waiting(1, "B110", queued_pass=9)), number=9)
        assert list(schedule("lpm", cache, aging_tokens=11).plan(queue).order) == [1, 0]
        assert list(schedule("lpm", cache, aging_tokens=12).plan(queue).order) == [0, 1]


def test_heads_say_the_same_as_a_scratch_tree() -> None:
    """The reference inserts whole keys into a tree and asks how far the next one agrees with it."""
    dice = Random(5)
    for _ in range(200):
        keys = [RadixKey([dice.randrange(2) for _ in range(dice.randrange(1, 9))]) for _ in range(8)]
        scratch: list[RadixKey] = []
        expected = set()
        for index, one in enumerate(keys):
            if max((common_tokens(one, other) for other in scratch), default=0) >= 3:
                expected.add(index)
            else:
                scratch.append(one)
        queue = Queue(tuple(waiting(i, one) for i, one in enumerate(keys)))
        assert schedule("lpm", full_cache(), defer_tokens=3).plan(queue).deprioritised == expected


class TestDepthFirst:
    def test_the_example_of_the_rules(self) -> None:
        """Tree A(10) / A5 + B5 and A5' / C10; a1, a2 below A5, b1 at B5, r at A5, c1, c2 at C10, n at the root."""
        cache = full_cache()
        for text in ("A15 B5", "A10 C10", "A15 D5"):
            insert(cache, text)
        names = {"a1": "A15 D5 X1", "a2": "A15 D5 Y1", "b1": "A15 B5 X1", "r": "A15 Z9", "c1": "A10 C10 X1",
                 "c2": "A10 C10 Y1", "n": "N5"}  # fmt: skip
        plan = schedule("dfs_weight", cache).plan(queue_of(names))
        assert named(plan, names) == "a1 a2 b1 r c1 c2 n"

    def test_equal_branches_come_in_the_order_of_the_tree(self) -> None:
        cache = full_cache()
        for text in ("C10", "A10", "B10"):
            insert(cache, text)
        names = {"a": "A10 X1", "b": "B10 X1", "c": "C10 X1"}
        assert named(schedule("dfs_weight", cache).plan(queue_of(names)), names) == "c a b"

    def test_weights_are_those_of_whole_subtrees(self) -> None:
        cache = full_cache()
        for text in ("A10", "B10 B10:20", "B10 C10", "B5 D5"):
            insert(cache, text)
        names = {"a1": "A10 X1", "a2": "A10 Y1", "b": "B20 X1", "c": "B10 C10 X1", "d": "B5 D5 X1"}
        assert named(schedule("dfs_weight", cache).plan(queue_of(names)), names) == "b c d a1 a2"

    def test_a_deep_tree_is_walked_without_recursion(self) -> None:
        cache = full_cache(slots=4096)
        chain(cache, 1_200)
        names = {"deep": "A1200 X1", "shallow": "A2 X1", "root": "N3"}
        assert named(schedule("dfs_weight", cache).plan(queue_of(names)), names) == "deep shallow root"


class TestOthers:
    def test_longest_output_first_within_priorities(self) -> None:
        queue = Queue(
            (
                waiting(0, "A9", 5, priority=1),
                waiting(1, "B9", 9),
                waiting(2, "C9", 7),
                waiting(3, "D9", 6, priority=1),
            )
        )
        cache = full_cache()
        assert list(schedule("lof", cache).plan(queue).order) == [1, 2, 3, 0]
        assert list(schedule("lof", cache, by_priority=True).plan(queue).order) == [3, 0, 1, 2]

    def test_priorities_then_arrival_under_fcfs(self) -> None:
        queue = Queue(
            (waiting(0, "A9", queued_at=8), waiting(1, "B9", priority=2), waiting(2, "C9", queued_at=3),
             waiting(3, "D9", priority=5))
        )  # fmt: skip
        cache = full_cache()
        assert list(schedule("fcfs", cache).plan(queue).order) == [0, 1, 2, 3]
        assert list(schedule("fcfs", cache, by_priority=True).plan(queue).order) == [3, 1, 2, 0]
        assert list(schedule("fcfs", cache, by_priority=True, low_priority_first=True).plan(queue).order) == [
            2,
            0,
            1,
            3,
        ]

    def test_highest_response_ratio_next(self) -> None:
        cache = full_cache(slots=1024)
        insert(cache, "B80")
        queue = Queue(
            (
                waiting(0, "A100", processed_tokens=100),  # 900 / 100
                waiting(1, "B80 C20", processed_tokens=500),  # 500 / 20
                waiting(2, "D200", processed_tokens=100),  # 900 / 200
                waiting(3, "B40 E8", prompt_tokens=40, processed_tokens=990),  # lacks nothing of its prompt
                waiting(4, "D60 E99", processed_tokens=0),  # shares 60 with a request before it
            ),
            processed_tokens=1000,
        )
        plan = schedule("hrrn", cache).plan(queue)
        assert list(plan.order) == [3, 1, 0, 2, 4]
        assert plan.deprioritised == {4}

    def test_equal_response_ratios_go_by_request(self) -> None:
        queue = Queue((waiting(5, "A9"), waiting(2, "B9"), waiting(7, "C9")))
        assert list(schedule("hrrn", full_cache()).plan(queue).order) == [1, 0, 2]

    def test_routing_keys_that_run_go_first(self) -> None:
        keys = ("q", "y", None, "x", "y", "p")
        requests = tuple(waiting(i, f"A{i}:{i + 5}", routing_key=k) for i, k in enumerate(keys))
        cache = full_cache()
        ordered = schedule("routing_key", cache).plan(Queue(requests, routing_keys=("x", "y", "x", "z")))
        assert list(ordered.order) == [3, 1, 4, 2, 5, 0]
        assert list(schedule("routing_key", cache).plan(Queue(requests)).order) == [0, 1, 2, 3, 4, 5]

    def test_shortest_prefill_first_counts_what_the_cache_lacks(self) -> None:
        cache = full_cache(slots=1024)
        insert(cache, "B80")
        names = {"a": "A20", "b": "B80 C9", "c": "C10"}
        assert named(schedule("shortest_prefill_first", cache).plan(queue_of(names)), names) == "b c a"

    def test_a_shuffle_is_its_seeds(self) -> None:
        queue = Queue(tuple(waiting(i, f"A{i}:{i + 5}") for i in range(20)))
        first, same, other = (schedule("random", full_cache(), seed=seed) for seed in (1, 1, 2))
        orders = [[list(one.plan(queue).order) for _ in range(3)] for one in (first, same, other)]
        assert orders[0] == orders[1] != orders[2]
        assert orders[0][0] != orders[0][1]


class TestTouch:
    @staticmethod
    def crowded(policy: str = "lru") -> PrefixCache:
        """A cache of three prefixes, the one that waits the oldest."""
        cache = full_cache(slots=30, policy=policy)
        for text in ("A10", "B10", "C10"):
            insert(cache, text)
        return cache

    @staticmethod
    def survivors(cache: PrefixCache) -> str:
        cache.evict(full_tokens=10)
        return "".join(letter for letter in "ABC" if hits(cache, f"{letter}10")[0])

    @pytest.mark.parametrize(("number", "left"), [(30, "BC"), (31, "AC"), (32, "BC"), (63, "AC")])
    def test_every_32nd_pass_keeps_what_waits_from_being_evicted(self, number: int, left: str) -> None:
        cache = self.crowded()
        schedule("fcfs", cache).plan(Queue((waiting(0, "A10 X5"),), number=number))
        assert self.survivors(cache) == left

    def test_the_head_of_the_queue_is_the_freshest(self) -> None:
        cache = self.crowded()
        queue = Queue((waiting(0, "A10 X5"), waiting(1, "B10 X5"), waiting(2, "C10 X5")), number=31)
        schedule("fcfs", cache).plan(queue)
        cache.evict(full_tokens=20)
        assert hits(cache, "A10")[0] == 10

    def test_only_the_first_128_are_touched(self) -> None:
        cache = self.crowded()
        others = tuple(waiting(i, f"Z{i}:{i + 1}") for i in range(MOST_TOUCHED))
        schedule("fcfs", cache).plan(Queue((*others, waiting(999, "A10 X5")), number=31))
        assert self.survivors(cache) == "BC"

    def test_other_orders_of_eviction_are_left_alone(self) -> None:
        cache = self.crowded("fifo")
        schedule("fcfs", cache).plan(Queue((waiting(0, "A10 X5"),), number=31))
        assert cache.match(key("A10")).node.access > 0
        assert self.survivors(cache) == "BC"

    def test_zero_turns_it_off(self) -> None:
        cache = self.crowded()
        schedule("fcfs", cache, touch_passes=0).plan(Queue((waiting(0, "A10 X5"),), number=31))
        assert self.survivors(cache) == "BC"

    def test_a_schedule_that_fell_back_touches_as_fcfs_does(self) -> None:
        cache = self.crowded()
        schedule("lpm", cache, limit=0).plan(Queue((waiting(0, "A10 X5"),), number=31))
        assert self.survivors(cache) == "AC"


def test_a_served_prefix_is_found_by_the_next_plan() -> None:
    cache = full_cache(slots=1024)
    names = {"cold": "A40", "warm": "B40 C5"}
    assert named(schedule("lpm", cache).plan(queue_of(names)), names) == "cold warm"
    run(cache, "B40")
    assert named(schedule("lpm", cache).plan(queue_of(names)), names) == "warm cold"
