"""The comparison of our switches: its document, and what it says of hits and nodes, which no machine changes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from cache_core import check_integrity
from cache_core.bench.same_work import DifferentWorkError
from cache_core.bench.switches import queues, reads, windows
from cache_core.bench.switches.comparison import Comparison, in_turns, least_us
from cache_core.bench.switches.loads import chats, cliff, forks, own_loads
from cache_core.bench.switches.queues import Waiters
from radixtop.bench.switch_loads import served_loads
from radixtop.bench.switches import text

SMALL = 0.25
ORDERS = ("lru", "tail_window_last")
KINDS = [(place, components) for place in queues.PLACES for components in queues.COMPONENTS]


@pytest.fixture(scope="module")
def comparisons() -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "radixtop", "bench", "switches", "--quick", "--runs", "1", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=200, check=True)
    found: list[dict[str, Any]] = json.loads(ran.stdout)["comparisons"]
    return found


def test_the_command_measures_every_switch_and_load(comparisons: list[dict[str, Any]]) -> None:
    switches = [windows.SWITCH, queues.LOOK, queues.BATCHED, queues.LIMIT, reads.SWITCH]
    assert list(dict.fromkeys(each["switch"] for each in comparisons)) == switches
    loads = {each["load"] for each in comparisons if each["switch"] == windows.SWITCH}
    assert loads == {load.name for load in (*own_loads(SMALL), *served_loads(SMALL))}


def test_both_figures_and_how_they_compare_are_stated(comparisons: list[dict[str, Any]]) -> None:
    for each in comparisons:
        assert each["off"] >= 0 and each["on"] >= 0
        assert each["ratio"] == pytest.approx(each["on"] / each["off"])


def test_hit_rates_are_rates_and_every_size_has_one(comparisons: list[dict[str, Any]]) -> None:
    of_windows = [each for each in comparisons if each["switch"] == windows.SWITCH]
    rates = [each for each in of_windows if each["figure"] == "hit rate"]
    assert all(0 < each["off"] < 1 and 0 < each["on"] < 1 for each in rates)
    sizes = {(each["load"], each["case"]) for each in of_windows}
    assert {(each["load"], each["case"]) for each in rates} == sizes


def rates_of(load: Any, slots: int) -> tuple[float, float]:
    """Return the hit rates of a load by recency and with tails last, on caches that are sound afterwards."""
    found = []
    for order in ORDERS:
        cache = windows.cache_for(load, slots, order)
        found.append(windows.serve(load, cache).hit_rate)
        check_integrity(cache)
    return found[0], found[1]


def room(load: Any) -> int:
    return windows.serve(load, windows.cache_for(load, load.tokens, "lru")).room_slots


def test_idle_chats_keep_their_hits_when_tails_go_last() -> None:
    load = cliff(SMALL)
    by_recency, tails_last = rates_of(load, room(load) // 4)
    assert tails_last > by_recency


@pytest.mark.parametrize("divisor", [2, 4, 8])
def test_chats_in_random_order_never_hit_less_when_tails_go_last(divisor: int) -> None:
    load = chats(SMALL)
    by_recency, tails_last = rates_of(load, room(load) // divisor)
    assert tails_last >= by_recency


@pytest.mark.parametrize("load", [*own_loads(SMALL), *served_loads(SMALL)], ids=lambda load: load.name)
def test_no_load_loses_a_hundredth_of_its_hits_when_tails_go_last(load: Any) -> None:
    taken = room(load)
    for divisor in load.divisors:
        by_recency, tails_last = rates_of(load, taken // divisor)
        assert tails_last > 0.99 * by_recency, divisor


@pytest.mark.parametrize("make", [cliff, chats, forks])
def test_where_there_is_room_for_all_windows_the_order_does_not_matter(make: Any) -> None:
    load = make(SMALL)
    by_recency, tails_last = rates_of(load, load.tokens)
    assert by_recency == tails_last


def test_a_conversation_goes_on_from_its_answer() -> None:
    mixed = served_loads(SMALL)[-1]
    said = [visit.prompt + b"".join(token.to_bytes(4, "little") for token in visit.reply) for visit in mixed.visits]
    assert any(
        later.prompt.startswith(text)
        for number, text in enumerate(said)
        for later in mixed.visits[number + 1 : number + 60]
    )


@pytest.mark.parametrize(("place", "components"), KINDS)
def test_a_look_at_a_queue_finds_what_one_match_each_finds(place: Any, components: tuple[str, ...]) -> None:
    hits = queues.at_once(queues.stored(components), queues.keys_of(60, place))
    assert hits == queues.one_by_one(queues.stored(components), queues.keys_of(60, place))
    assert any(hits) == (place == "behind" or components == ("full",))


def test_times_of_looks_that_found_different_things_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "at_once", lambda cache, keys: [0] * len(keys))
    with pytest.raises(DifferentWorkError, match=r"what a look finds differs: match .*2000, .*, match_queue .*0, 0"):
        next(queues.compare_looks(Waiters(8, "behind"), runs=1))


def test_a_longer_queue_hits_more_once_the_limit_of_lpm_is_lifted() -> None:
    by_figure = {each.figure: each for each in queues.compare_limits(160, runs=1)}
    assert by_figure["hit rate"].on > by_figure["hit rate"].off


@pytest.mark.parametrize("components", queues.COMPONENTS)
def test_a_look_leaves_the_tree_as_it_is_and_matches_split_it(components: tuple[str, ...]) -> None:
    stored = queues.stored(components).stats()["nodes"]
    nodes = next(reads.compare(Waiters(20, "inside", components), runs=1))
    assert (nodes.figure, nodes.on) == ("nodes", stored)
    assert stored + 15 < nodes.off <= stored + 20


def test_calls_count_by_their_least_times_and_sides_take_turns() -> None:
    order: list[str] = []
    in_turns(2, lambda: order.append("off"), lambda: order.append("on"))
    assert order == ["off", "on", "off", "on"]
    assert least_us([[3_000, 9_000], [5_000, 4_000]]) == 7.0


def test_a_table_has_a_row_for_each_size_and_shows_both_figures() -> None:
    found = [
        Comparison("one", "cliff", "4 slots", "hit rate", 0.5, 0.625),
        Comparison("one", "cliff", "4 slots", "us a request", 1_234.5, 12.34),
        Comparison("one", "cliff", "8 slots", "hit rate", 0.0, 0.5),
        Comparison("two", "forks", "128 waiting", "nodes", 64, 32),
    ]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text(found).splitlines() if "|" in line]
    assert rows[0] == ["load", "size", "hit rate", "us a request"]
    assert rows[2:4] == [
        ["cliff", "4 slots", "50.0% / 62.5% x1.25", "1,234 / 12.3 x0.01"],
        ["cliff", "8 slots", "0.0% / 50.0% -", "-"],
    ]
    assert rows[-1] == ["forks", "128 waiting", "64 / 32 x0.50"]
