"""Reports B30 to B40: window state that ages, is given back, is lost and comes back."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter_ns
from typing import Any

import pytest

from cache_core import CacheConfig
from radixtop.panel import Canvas
from radixtop.panels.branch_feed import BranchFeedPanel
from radixtop.panels.hit_rate import HitRatePanel
from radixtop.render.lines import plain
from tests.support.caches import admit, fresh_slots, hits, insert, key, run, tokens
from tests.support.checked_cache import checked_swa
from tests.support.observe import free, ledger, locks, reusable, rows, shape
from tests.support.watching import Watching


def usable(cache: object, text: str) -> tuple[int, int]:
    """Match a key and return what may be reused and how deep its Full KV goes."""
    found = cache.match(key(text))
    return found.hit_tokens, found.full_hit_tokens


def grown(cache: object, letter: str, end: int, step: int) -> None:
    """Insert the prefixes of one stream, `step` tokens longer each."""
    for upto in range(step, end + 1, step):
        insert(cache, f"{letter}{upto}")


# ---- B30: what a match keeps young


def test_b30_a_match_renews_one_window_and_leaves_the_rest_to_age() -> None:
    cache = checked_swa(page=10, window=100, slots=2000, swa_eviction="lru")
    grown(cache, "A", 1000, step=10)
    insert(cache, "B100")
    hits(cache, "A1000")
    # the window of A and the page before it are young; the 890 tokens in front of them are older than B
    assert cache.evict(swa_tokens=890).swa_tokens == 890
    assert (usable(cache, "A1000"), usable(cache, "B100")) == ((1000, 1000), (100, 100))


@pytest.mark.parametrize(("page", "window"), [(1, 4), (1, 16), (4, 8), (10, 30)])
@pytest.mark.parametrize("idle", [1, 3])
def test_b30_hot_windows_of_other_branches_outlive_old_parts_of_a_long_one(page: int, window: int, idle: int) -> None:
    cache = checked_swa(page=page, window=window, slots=40 * window * page, swa_eviction="lru")
    long = 10 * window // page * page
    step = page if page > 1 else window // 4
    grown(cache, "A", long, step)
    spans = -(-window // page) * page
    for letter in "BCD"[:idle]:
        insert(cache, f"{letter}{spans}")
    hits(cache, f"A{long}")
    old = long - spans - page  # at most so much lies behind the window and the page before it
    cache.evict(swa_tokens=old // step * step)
    assert usable(cache, f"A{long}") == (long, long)
    for letter in "BCD"[:idle]:
        assert usable(cache, f"{letter}{spans}") == (spans, spans)


def test_b30_the_old_part_of_one_long_node_goes_before_the_windows_of_both() -> None:
    # by age alone B would go: the match renews the window and a page, and with that page the node it lies in
    cache = checked_swa(page=10, window=100, slots=2000, swa_eviction="tail_window_last")
    insert(cache, "A1000")
    insert(cache, "B100")
    hits(cache, "A1000")
    gone = cache.evict(swa_tokens=900)
    assert (gone.full_tokens, gone.swa_tokens) == (0, 900)
    assert (usable(cache, "A1000"), usable(cache, "B100")) == ((1000, 1000), (100, 100))


# ---- B33: what was freed is not written back as if it were live


def test_b33_an_insert_is_live_from_where_its_windows_are() -> None:
    cache = checked_swa(window=64, slots=1024)
    insert(cache, "A512", swa_from=448)
    pool = ledger(cache)["swa"]
    assert (pool.evictable, pool.free) == (64, 1024 - 64)
    assert (usable(cache, "A512"), usable(cache, "A300")) == ((512, 512), (0, 300))


def test_b33_a_request_writes_back_one_window_and_the_token_before_it() -> None:
    cache = checked_swa(window=64, slots=1024)
    request = admit(cache, "A512")
    pool = ledger(cache)["swa"]
    assert (pool.evictable + pool.protected, pool.held) == (65, 0)
    assert (usable(cache, "A512"), usable(cache, "A300")) == ((512, 512), (0, 300))
    request.finish()
    assert reusable(cache) == (1024, 1024)


@pytest.mark.parametrize(("page", "window"), [(1, 64), (4, 64), (16, 64), (16, 40), (64, 64), (64, 100)])
@pytest.mark.parametrize("chunk", [64, 192, 512])
def test_b33_freed_window_slots_are_in_no_node(page: int, window: int, chunk: int) -> None:
    cache = checked_swa(page=page, window=window, slots=2048, swa_slots=1024)
    request = admit(cache, "A512 B100", prefilled=False)
    for upto in range(chunk, 513, chunk):
        request.prefill(upto)
    request.prefill(612)
    for token in tokens("C100"):
        request.decode(token)
    pool = ledger(cache)["swa"]
    assert pool.free + pool.evictable + pool.protected + pool.held == 1024
    request.finish()
    assert reusable(cache) == (2048, 1024)


# ---- B34: whose window slot is it


def test_b34_the_window_slots_of_a_tombstone_are_somebody_elses() -> None:
    cache = checked_swa(window=64, slots=512, swa_slots=128)
    insert(cache, "A64")
    insert(cache, "A128")
    assert cache.evict(swa_tokens=1).swa_tokens == 64
    assert shape(cache) == "0+64t 64+64S"
    request = admit(cache, "B64")
    mine = list(request.swa_row())
    assert cache.evict(full_tokens=128).full_tokens == 128
    assert (list(request.swa_row()), all(mine)) == (mine, True)
    assert ledger(cache)["swa"].protected == 64
    request.finish()
    assert usable(cache, "B64") == (64, 64)


def test_b34_healing_a_tombstone_leaves_other_windows_alone() -> None:
    cache = checked_swa(window=64, slots=512, swa_slots=192)
    insert(cache, "A64")
    insert(cache, "A128")
    cache.evict(swa_tokens=1)
    request = admit(cache, "B64")
    mine = list(request.swa_row())
    insert(cache, "A64")
    assert shape(cache) == "0+64S 64+64S 0+64S"
    assert list(request.swa_row()) == mine
    reader = admit(cache, "A128 C1", prefilled=False)
    assert (reader.hit_tokens, set(mine) & set(reader.swa_row())) == (128, set())
    reader.finish()
    request.finish()
    assert reusable(cache) == (512, 192)


@pytest.mark.parametrize("sizes", [(64, 576), (576, 64), (64, 64, 128), (100, 12, 300)])
@pytest.mark.parametrize("page", [1, 4])
def test_b34_an_eviction_credits_what_it_frees(sizes: tuple[int, ...], page: int) -> None:
    cache = checked_swa(page=page, window=1024, slots=2048)
    ends = [sum(sizes[: count + 1]) for count in range(len(sizes))]
    for end in ends:
        insert(cache, f"A{end}")
    for size in sizes[:-1]:
        before = free(cache)
        gone = cache.evict(swa_tokens=1)
        assert (gone.swa_tokens, gone.full_tokens) == (size, 0)
        assert free(cache) == (before[0], before[1] + size)
    gone = cache.evict(swa_tokens=1)
    assert (gone.swa_tokens, gone.full_tokens) == (sizes[-1], sizes[-1])


# ---- B35, B36: tombstones that are healed


def test_b35_full_kv_is_kept_without_any_window() -> None:
    cache = checked_swa(page=10, window=100, slots=2000)
    insert(cache, "A1000", swa_from=1000)
    assert (ledger(cache)["full"].evictable, ledger(cache)["swa"].evictable) == (1000, 0)
    assert usable(cache, "A1000") == (0, 1000)
    insert(cache, "A1000", swa_from=900)
    assert usable(cache, "A1000") == (1000, 1000)
    assert (ledger(cache)["full"].evictable, ledger(cache)["swa"].evictable) == (1000, 100)


@pytest.mark.parametrize(("page", "window"), [(1, 4), (4, 4), (4, 6), (10, 100), (16, 5)])
def test_b35_one_window_at_the_end_heals_any_length(page: int, window: int) -> None:
    span = -(-window // page) * page
    for pages in (1, 3, 7):
        length = span + pages * page
        cache = checked_swa(page=page, window=window, slots=64 * page * window)
        insert(cache, f"A{length}", swa_from=length)
        assert usable(cache, f"A{length}") == (0, length)
        insert(cache, f"A{length}", swa_from=length - span)
        assert usable(cache, f"A{length}") == (length, length)


def test_b36_a_healed_node_keeps_the_slots_that_a_request_reads() -> None:
    cache = checked_swa(window=64, slots=1024)
    insert(cache, "A128")
    reader = admit(cache, "A128 B1")
    held = list(reader.row())
    reader.release_window()
    assert cache.evict(swa_tokens=1000).full_tokens == 0
    assert {row.live for row in rows(cache)} == {False}
    before = free(cache)[0]
    newcomer = cache.admit(key("A128 C1"))
    assert (newcomer.hit_tokens, newcomer.full_hit_tokens) == (0, 128)
    newcomer.prefill(129)
    assert usable(cache, "A128") == (128, 128)
    assert list(reader.row()) == held
    assert list(newcomer.row()[:128]) == held[:128]
    assert free(cache)[0] == before - 1, "128 duplicates were freed once, the new token has a slot"
    newcomer.finish()
    assert list(reader.row()) == held
    reader.finish()
    assert reusable(cache) == (1024, 1024)


@pytest.mark.parametrize("locked", [False, True])
def test_b36_an_unlocked_node_may_take_the_newcomers_slots_and_a_locked_one_may_not(locked: bool) -> None:
    cache = checked_swa(window=64, slots=1024)
    insert(cache, "A128", swa_from=128)
    old = node_slots(cache)
    receipt = cache.lock(only_node(cache)) if locked else None
    fresh = fresh_slots(cache, 128)
    cache.insert(key("A128"), fresh)
    assert node_slots(cache) == (old if locked else list(fresh))
    assert (usable(cache, "A128"), free(cache)) == ((128, 128), (896, 896))
    if receipt is not None:
        assert set(locks(cache).split()) == {"1/1"}
        cache.unlock(receipt)
    assert reusable(cache) == (1024, 1024)


def only_node(cache: object) -> object:
    """Return the one node of the tree."""
    (node,) = cache.tree.descend()
    return node


def node_slots(cache: object) -> list[int]:
    """Return the Full slots of every node, parents first."""
    return [slot for node in cache.tree.descend() for slot in node.slots()]


# ---- B40: what is left of a system prompt below a long conversation


def test_b40_a_long_conversation_keeps_the_full_kv_of_its_prompt_and_not_the_window() -> None:
    cache = checked_swa(page=10, window=50, slots=4000)
    insert(cache, "S100 A1000")
    hits(cache, "S100 A1000")
    assert cache.evict(swa_tokens=1050).swa_tokens == 1050
    assert usable(cache, "S100 A1000") == (1100, 1100)
    assert usable(cache, "S100 B10") == (0, 100)
    assert hits(cache, "S100 B10") == (0, 100), "the branching point says where a window is missing"


def asked_without_its_window() -> Mapping[str, Any]:
    """Return what the probes say once a request came for a prompt that has lost its window."""
    watching = Watching(CacheConfig(page_size=10, window=50, full_slots=4000))
    insert(watching.cache, "S100 A1000")
    hits(watching.cache, "S100 A1000")
    watching.cache.evict(swa_tokens=1050)
    admit(watching.cache, "S100 B10", prefilled=False)
    return watching.snapshot().samples


def test_b40_what_the_window_lost_is_a_gap_and_no_miss() -> None:
    samples = asked_without_its_window()
    total, branching = samples["hit_rate"].total, samples["branching"]
    assert (total.hit_tokens, total.full_hit_tokens, total.gap_tokens) == (0, 100, 100)
    assert [(event.kind, event.position, event.gap_tokens) for event in branching.recent] == [("opened", 100, 100)]


def test_b40_the_screen_says_at_which_depth_the_window_is_gone_and_calls_it_no_miss() -> None:
    samples = asked_without_its_window()
    canvas = Canvas(116, 20, perf_counter_ns())
    (event,) = plain(BranchFeedPanel().paint(samples["branching"], canvas))[1:]
    assert event.split()[1:6] == ["◇", "opened", "#1", "100", "100"]
    (gap,) = [line for line in plain(HitRatePanel().paint(samples["hit_rate"], canvas)) if line.startswith("gap")]
    assert gap.split()[1:4] == ["100", "100", "100"]


@pytest.mark.parametrize("talk", [100, 1000])
@pytest.mark.parametrize(("page", "window"), [(10, 50), (1, 50), (4, 30)])
def test_b40_a_window_kept_at_the_fork_makes_the_prompt_usable(page: int, window: int, talk: int) -> None:
    cache = checked_swa(page=page, window=window, slots=8000)
    run(cache, f"S100 A{talk}", "")
    assert usable(cache, f"S100 B{page}") == (0, 100)
    run(cache, "S100 B40", "")
    assert usable(cache, f"S100 C{page}") == (100, 100)
