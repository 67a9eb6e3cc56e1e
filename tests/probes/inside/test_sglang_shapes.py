"""What calls on caches of every known shape tell, and that what is not known is not told as 0."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import pytest

from cache_core.events import (
    SPARSE,
    CacheReset,
    Evict,
    Insert,
    Lock,
    Match,
    Namespace,
    NodeAdded,
    NodeSplit,
    Pool,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRetracted,
    Unlock,
)
from probes.inside import attaching, sglang
from probes.inside.wrapping import MOST_FAULTS
from tests.probes.inside.conftest import Attach
from tests.support.engine_shapes import (
    Cache,
    DeviceIndices,
    DeviceLength,
    Key,
    Node,
    Params,
    RadixCache,
    Request,
    SWARadixCache,
)
from tests.support.inside_tree import decoded

PROMPT = list(range(10))


def test_a_match_of_a_newer_version_is_told_whole(attach: Attach) -> None:
    here = attach(SWARadixCache, DeviceLength)
    here.cache.answer = DeviceLength(4, 7, 2, 8, None, 9)
    assert here.cache.match_prefix(Params(Key(PROMPT))) is here.cache.answer
    (match,) = here.told(Match)
    assert match[3:8] == (10, 4, 2, 9, 8) and match.node == 7 and match.request == -1


def test_states_have_branching_points_as_well(attach: Attach) -> None:
    here = attach(SWARadixCache, DeviceLength)
    here.cache.answer = DeviceLength(4, mamba_branching_seqlen=6, full_kv_hit_length=8)
    here.cache.match_prefix(Params(Key(PROMPT)))
    assert [match.branching_point for match in here.told(Match)] == [6]


def test_an_older_version_with_windows_does_not_know_the_full_hit(attach: Attach) -> None:
    here = attach(SWARadixCache, DeviceIndices)
    here.cache.answer = DeviceIndices([1, 2, 3], Node(5))
    here.cache.match_prefix(Params(Key(PROMPT)))
    (match,) = here.told(Match)
    assert (match.device_hit_tokens, match.full_hit_tokens, match.node, match.nodes_walked) == (3, -1, 5, -1)


def test_a_full_hit_that_nobody_filled_in_is_unknown(attach: Attach) -> None:
    here = attach(SWARadixCache, DeviceLength)
    here.cache.answer = DeviceLength(4)
    here.cache.match_prefix(Params(Key(PROMPT)))
    assert [match.full_hit_tokens for match in here.told(Match)] == [-1]


def test_with_full_attention_alone_all_that_is_known_hits(attach: Attach) -> None:
    here = attach(RadixCache, DeviceIndices)
    here.cache.answer = DeviceIndices([1, 2, 3], Node(5), 4)
    here.cache.match_prefix(Params(Key(PROMPT)))
    assert [match.full_hit_tokens for match in here.told(Match)] == [7]


def test_what_an_eviction_does_not_tell_is_unknown(attach: Attach) -> None:
    here = attach(RadixCache, DeviceLength)
    here.cache.evict(Params(num_tokens=6))
    (evict,) = here.told(Evict)
    assert (evict.component, evict.asked_tokens, evict.freed_tokens, evict.leaves_considered) == (0, 6, (6,), 3)
    assert (evict.pops, evict.stale_pops, evict.victims, evict.cascades) == (-1, -1, -1, -1)
    assert evict.duration_ns > 0 and evict.queue_build_ns == -1


def test_leaves_are_unknown_of_a_cache_without_a_set_of_them(attach: Attach) -> None:
    here = attach(Cache, DeviceLength)
    here.cache.evict(Params(num_tokens=6))
    assert [evict.leaves_considered for evict in here.told(Evict)] == [-1]


def test_an_eviction_of_two_components_is_told_of_each_and_counted_once(attach: Attach) -> None:
    here = attach(SWARadixCache, DeviceLength)
    here.cache.evict(Params(num_tokens=6, swa_num_tokens=4))
    full, swa = here.told(Evict)
    assert (full.component, full.asked_tokens, full.freed_tokens) == (0, 6, (6, 0))
    assert (swa.component, swa.asked_tokens, swa.freed_tokens, swa.duration_ns) == (1, 4, (0, 4), 0)


def test_locks_tell_what_moved(attach: Attach) -> None:
    here = attach(RadixCache, DeviceLength)
    here.cache.inc_lock_ref(Node(3))
    here.cache.dec_lock_ref(3)
    assert [record[1:] for record in here.told(Lock, Unlock)] == [(3, (5,)), (3, (5,))]


def test_a_reset_and_the_pools_are_told(attach: Attach) -> None:
    here = attach(RadixCache, DeviceLength)
    here.cache.reset()
    reset, pool = here.told(CacheReset, Pool)
    assert isinstance(reset, CacheReset) and pool[1:] == (0, 80, 20, 0, 0)


def test_the_life_of_a_request_is_told_with_the_match_it_was_admitted_on(attach: Attach) -> None:
    here = attach(RadixCache, DeviceIndices)
    request = Request("a", PROMPT, fill_ids=PROMPT)
    for hit in (1, 4):
        here.cache.answer = DeviceIndices(list(range(hit)), Node(5))
        here.cache.match_prefix(Params(Key(PROMPT), request))
    here.cache.cache_unfinished_req(request)
    request.finished_reason = "length"
    here.cache.cache_finished_req(request)
    bare, own, admitted, insert, prefilled, last, finished = here.told(
        Match, Insert, RequestAdmitted, RequestPrefilled, RequestFinished
    )
    assert isinstance(bare, Match) and (bare.request, bare.device_hit_tokens) == (-1, 1)
    assert isinstance(own, Match) and (own.request, own.device_hit_tokens) == (1, 4)
    assert admitted[1:] == (1, 10, 4, 0, 0, 6, 0, 0)
    assert isinstance(insert, Insert) and isinstance(last, Insert) and insert.request == last.request == 1
    assert isinstance(prefilled, RequestPrefilled) and prefilled.new_tokens == 6
    assert isinstance(finished, RequestFinished) and finished.request == 1


def test_a_preempted_request_is_retracted_and_may_come_back(attach: Attach) -> None:
    here = attach(RadixCache, DeviceIndices)
    request = Request("a", PROMPT, fill_ids=PROMPT)
    here.cache.cache_unfinished_req(request)
    here.cache.cache_finished_req(request, False)
    here.cache.cache_unfinished_req(request)
    told = [type(record) for record in here.told(RequestAdmitted, RequestRetracted)]
    assert told == [RequestAdmitted, RequestRetracted, RequestAdmitted]


def test_an_insert_after_a_failed_call_for_a_request_is_nobodys(attach: Attach) -> None:
    here = attach(RadixCache, DeviceLength)
    with pytest.raises(LookupError, match="the engine's own"):
        here.cache.cache_unfinished_req(Request("a", PROMPT, is_broken=True))
    here.cache.insert(Params(Key(PROMPT)))
    assert [insert.request for insert in here.told(Insert)] == [-1]


def test_namespaces_are_told_by_hash_unless_asked(attach: Attach, monkeypatch: pytest.MonkeyPatch) -> None:
    here = attach(RadixCache, DeviceLength)
    monkeypatch.setenv("RADIXTOP_PROBE_NAMES", "1")
    open_here = attach(RadixCache, DeviceLength)
    for place in (here, open_here):
        place.cache.answer = DeviceLength(0)
        for name in (None, "customer", "customer"):
            place.cache.match_prefix(Params(Key(PROMPT, name)))
    told = here.told(Namespace, Match)
    texts = [record.text for record in told if isinstance(record, Namespace)]
    assert texts[0] == "" and texts[1].startswith("ns-") and "customer" not in texts[1] and len(texts) == 2
    assert [record.namespace for record in told if isinstance(record, Match)] == [0, 1, 1]
    assert [record.text for record in open_here.told(Namespace)] == ["", "customer"]


def test_over_the_budget_bare_matches_are_sampled_and_nothing_is_timed(attach: Attach) -> None:
    here = attach(RadixCache, DeviceLength)
    here.seat.set_detail(SPARSE)
    here.cache.answer = DeviceLength(0)
    for _ in range(32):
        here.cache.match_prefix(Params(Key(PROMPT)))
    here.cache.evict(Params(num_tokens=1))
    told = here.told(Match, Evict)
    assert [type(record) for record in told] == [Match, Match, Evict]
    assert {record.duration_ns for record in told if isinstance(record, Match | Evict)} == {0}


def test_another_shape_is_left_alone_and_the_ring_says_why(attach: Attach) -> None:
    class Odd(Cache):
        def match_prefix(self, key: Any) -> Any:  # type: ignore[override]
            return key

    here = attach(Odd, DeviceLength)
    assert here.cache.match_prefix("key") == "key" and "match_prefix" not in type(here.cache).__dict__
    assert here.told(Match, Pool) == []
    state = here.reader.state()
    assert state.message == "nothing is probed: Odd.match_prefix takes (key), not (params, ...)"
    assert state.config["probed"] == ["insert", "evict", "inc_lock_ref", "dec_lock_ref", "reset"]


def test_a_teller_that_fails_is_switched_off_and_the_ring_says_so(attach: Attach) -> None:
    here = attach(RadixCache, DeviceLength)
    here.cache.answer = DeviceLength(0)
    for _ in range(MOST_FAULTS + 1):
        assert here.cache.match_prefix(None) is here.cache.answer  # no parameters of the known kind
    here.cache.evict(Params(num_tokens=1))
    assert [type(record) for record in here.told(Match, Evict)] == [Evict]
    assert f"match: AttributeError: 'NoneType' object has no attribute 'key'; after {MOST_FAULTS} errors" in (
        here.reader.state().message
    )


def test_pools_that_cannot_be_read_are_told_no_more(attach: Attach) -> None:
    here = attach(RadixCache, DeviceLength)
    here.cache.token_to_kv_pool_allocator.available_size = lambda: 1 / 0
    here.cache.reset()
    assert here.told(Pool) == [] and "the pools are not told: ZeroDivisionError" in here.reader.state().message


def test_a_thread_of_ours_says_that_an_idle_cache_lives_and_takes_no_call_of_the_cache(attach: Attach) -> None:
    here = attach(RadixCache, DeviceLength)
    callers: set[int] = set()
    here.cache.token_to_kv_pool_allocator.available_size = lambda: callers.add(threading.get_ident()) or 100
    here.cache.reset()
    before = here.reader.state().heartbeat_age_ns
    assert before is not None
    beat = threading.Event()
    flush = here.seat.recorder.flush
    here.seat.recorder.flush = lambda: (flush(), beat.set())  # type: ignore[assignment,method-assign,func-returns-value]
    assert beat.wait(20) and callers == {threading.get_ident()}


def test_a_cache_that_goes_ends_its_ring(attach: Attach) -> None:
    here = attach(RadixCache, DeviceLength)
    attaching.detach(id(here.cache))
    here.seat.close()
    assert here.reader.state().state == "ended" and attaching.seat_of(here.cache) is None


def test_kv_events_that_the_engine_takes_are_teed(attach: Attach) -> None:
    class Publishing(RadixCache):
        def take_events(self) -> list[str]:
            return ["stored"]

    here = attach(Publishing, DeviceLength)
    teed: list[object] = []
    here.seat.tee = teed.extend
    assert here.cache.take_events() == ["stored"] == teed


def test_two_caches_of_a_process_have_rings_of_their_own(attach: Attach) -> None:
    first, second = attach(RadixCache, DeviceLength), attach(RadixCache, DeviceLength)
    second.cache.reset()
    assert [len(place.told(CacheReset)) for place in (first, second)] == [0, 1]


@dataclass
class BlockStored:
    """An event of the engine."""

    block_hashes: list[int]
    parent_block_hash: int | None = None
    block_size: int = 1
    medium: str | None = "GPU"


class EventfulCache(RadixCache):
    """A cache that makes KV events, and whose nodes know the hashes of their blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.enable_kv_cache_events = True
        self.events: list[object] = []

    def take_events(self) -> list[object]:
        taken, self.events = self.events, []
        return taken


def of_blocks(*hashes: int) -> Any:
    node = Node(0)
    node.hash_value = [f"{number:016x}" + "0" * 48 for number in hashes]  # type: ignore[attr-defined]
    return node


def test_the_tree_of_an_engine_that_publishes_follows_what_it_takes(attach: Attach) -> None:
    here = attach(EventfulCache, DeviceLength)
    here.cache.events.append(BlockStored([1, 2, 3]))
    here.cache.insert(Params(Key(PROMPT)))
    assert here.told(NodeAdded) == []
    assert here.cache.take_events() == [BlockStored([1, 2, 3])]
    here.cache.answer = DeviceLength(2, of_blocks(1, 2))  # type: ignore[arg-type]
    here.cache.match_prefix(Params(Key(PROMPT)))
    here.cache.inc_lock_ref(of_blocks(1, 2, 3))
    added, split, match, lock = here.told(NodeAdded, NodeSplit, Match, Lock)
    assert added.length == 3 and split.node == added.node == lock.node and match.node == split.upper
    assert "NodeAdded" in here.reader.state().config["provides"]


def test_events_that_we_asked_for_are_taken_after_each_call_and_not_left_for_the_engine(
    attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[int, object] = {}
    monkeypatch.setattr(sglang, "_switched_on", made)

    class Prepared(EventfulCache):
        def __init__(self) -> None:
            super().__init__()
            made[id(self)] = Params()  # as `prepare` leaves it

    here = attach(Prepared, DeviceLength)
    here.cache.events.append(BlockStored([1, 2, 3]))
    here.cache.insert(Params(Key(PROMPT)))
    assert here.cache.take_events() == [] and len(here.told(NodeAdded)) == 1
    late = [decoded(raw) for raw in here.seat.snapshot_records()]
    assert [type(record) for record in late] == [Namespace, NodeAdded, Pool]


def test_events_that_make_no_sense_cost_the_tree_and_nothing_else(attach: Attach) -> None:
    here = attach(EventfulCache, DeviceLength)
    here.cache.events.append(BlockStored(None))  # type: ignore[arg-type]
    here.cache.take_events()
    here.cache.evict(Params(num_tokens=6))
    assert len(here.told(Evict)) == 1 and "the tree is not known any more: TypeError" in here.reader.state().message
    assert not here.reader.state().tree_known


def test_a_cache_without_events_says_that_its_tree_is_not_known(attach: Attach) -> None:
    state = attach(RadixCache, DeviceLength).reader.state()
    assert not state.tree_known and "makes no KV events (RADIXTOP_PROBE_TREE=1" in state.message
