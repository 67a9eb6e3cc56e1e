"""The log of requests: what became of a prompt, told of single records and held against real caches."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core import CacheConfig, Request
from cache_core.events import (
    OUT_OF_SLOTS,
    Insert,
    Match,
    NodeLabelled,
    NodeMarked,
    NodeRemoved,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestPrefilled,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
    Tombstoned,
)
from probes.adapters.embedded import EmbeddedAdapter
from probes.aggregator import Aggregator
from probes.builtin.request_log import RequestLogProbe, RequestLogSample
from probes.lives.gap_causes import GapCauses
from probes.lives.misses import COLUMNS, RETRACTED, PromptTokens
from probes.lives.request_life import MOST_STEPS, Life
from probes.lives.request_log import MOST_ALIVE, MOST_DONE
from tests.support.cache_runs import RUNS, CacheRun
from tests.support.observing import S, feed, probe_of
from tests.support.records import added, record

QUEUED = record(RequestQueued, at=1, request=7, prompt_tokens=101)
MATCH = record(Match, at=5, request=7, queried_tokens=100)
ADMITTED = record(RequestAdmitted, at=6, request=7, prompt_tokens=101, new_tokens=101)
STORED = record(Insert, at=20, request=7, key_tokens=101, new_tokens=101, node=1)
PREFILLED = record(RequestPrefilled, at=8, request=7, prompt_tokens=101, new_tokens=101)
FINISHED = record(RequestFinished, at=30, request=7, prompt_tokens=101, output_tokens=9)
NODE = added(1, 0, 101, content_key=1010)
MARKS = record(NodeMarked, node=1, first=32, step=32, content_keys=(32, 64, 96))
NOTHING = (0,) * COLUMNS
NEW = (QUEUED, MATCH, ADMITTED, NODE, MARKS, STORED)


def sample_of(*records: Record) -> RequestLogSample:
    return probe_of(RequestLogProbe, records).sample(S)


def life_of(*records: Record) -> Life:
    life = sample_of(*records).log.find(7)
    assert life is not None
    return life


def test_a_prompt_that_nothing_knew_was_first_seen_but_for_its_last_token() -> None:
    sample = sample_of(*NEW)
    assert sample.total == sample.last_minute == PromptTokens(1, 101, first_seen=100, last_token=1)
    assert sample.remembers_all


def test_content_that_left_and_comes_back_was_evicted_up_to_its_last_known_mark() -> None:
    gone = [record(NodeRemoved, at=40, node=1)]
    again = [
        MATCH._replace(at=50, request=8), ADMITTED._replace(at=51, request=8),
        added(2, 0, 101, content_key=2020), MARKS._replace(node=2, content_keys=(32, 64, 97)),
        STORED._replace(at=60, request=8, node=2),
    ]  # fmt: skip
    sample = sample_of(*NEW, FINISHED, *gone, *again)
    assert sample.total == PromptTokens(2, 202, first_seen=100, diverged=36, evicted=64, last_token=2)
    life = sample.log.find(8)
    assert life is not None and (life.evicted_at, life.parted_at) == (40, 64)


def test_a_node_whose_keys_are_not_told_leaves_unknown_what_it_holds() -> None:
    assert sample_of(QUEUED, MATCH, ADMITTED, NODE, STORED, FINISHED).total == PromptTokens(
        1, 101, unknown=100, last_token=1
    )


def test_a_prompt_that_is_not_stored_yet_is_not_counted() -> None:
    assert sample_of(QUEUED, MATCH, ADMITTED).total == PromptTokens()
    assert life_of(QUEUED, MATCH, ADMITTED).tokens() == PromptTokens(1, 101, last_token=1, unknown=100)
    assert life_of(QUEUED).tokens() == PromptTokens(1, 101, unknown=101)


def test_what_another_request_stored_meanwhile_was_in_flight() -> None:
    stored = STORED._replace(present_tokens=60, new_tokens=41)
    rest = added(2, 1, 41, start=60, content_key=2020)
    marks = record(NodeMarked, node=2, first=64, step=32, content_keys=(65, 97))
    records = (MATCH, ADMITTED, added(1, 0, 60, content_key=6), rest, marks, stored._replace(node=2))
    assert life_of(*records).tokens() == PromptTokens(1, 101, first_seen=40, in_flight=60, last_token=1)


@pytest.mark.parametrize(
    ("lost_at", "causes"),
    [(None, GapCauses(never=30)), (4, GapCauses(early=30, requests=1)), (-70 * S, GapCauses(late=30))],
)
def test_a_gap_is_of_windows_that_left_early_or_late_or_never_were(lost_at: int | None, causes: GapCauses) -> None:
    lost = [] if lost_at is None else [record(Tombstoned, at=lost_at, node=1, component=1)]
    gap = [
        MATCH._replace(full_hit_tokens=70, device_hit_tokens=40, full_node=1, branching_point=70),
        ADMITTED._replace(device_hit_tokens=40, recomputed_tokens=30, new_tokens=31), FINISHED,
    ]  # fmt: skip
    sample = sample_of(added(1, 0, 70), *lost, *gap)
    assert sample.total == PromptTokens(1, 101, device=40, window_gone=30, last_token=1, unknown=30)
    assert sample.gaps == sample.gaps_last_minute == causes


@pytest.mark.parametrize(
    ("after_s", "causes"), [(30, GapCauses(unknown=30)), (70, GapCauses(never=30))], ids=["at once", "a minute later"]
)
def test_who_missed_records_does_not_say_that_no_window_was_kept(after_s: int, causes: GapCauses) -> None:
    probe = probe_of(RequestLogProbe, [added(1, 0, 70)])
    probe.lost()
    probe.advance(1, 0, S)
    at = S + after_s * S
    feed(
        probe,
        [
            MATCH._replace(at=at, full_hit_tokens=70, device_hit_tokens=40, full_node=1, branching_point=70),
            ADMITTED._replace(at=at, device_hit_tokens=40, recomputed_tokens=30, new_tokens=31),
            FINISHED._replace(at=at),
        ],
    )
    assert probe.sample(at).gaps == causes


def test_what_the_host_had_is_loaded_or_missed() -> None:
    admitted = ADMITTED._replace(host_hit_tokens=100, new_tokens=1)
    told = record(RequestPrefilled, at=8, request=7, prompt_tokens=101, host_hit_tokens=64, new_tokens=37)
    assert sample_of(MATCH, admitted).total == PromptTokens()
    assert sample_of(MATCH, admitted, told).total == PromptTokens(1, 101, loaded=64, unloaded=36, last_token=1)


def test_pages_round_what_can_be_hit() -> None:
    probe = RequestLogProbe(probe_of(RequestLogProbe, []).mirror)
    probe.configured({"page_size": 16})
    feed(probe, NEW)
    assert probe.sample(S).total == PromptTokens(1, 101, first_seen=96, page_rounding=4, last_token=1)


def test_what_is_computed_again_after_a_retraction_comes_on_top_of_what_was_counted() -> None:
    retracted = record(RequestRetracted, at=25, request=7, prompt_tokens=101, reason=OUT_OF_SLOTS)
    found = {"device_hit_tokens": 90, "new_tokens": 11}
    back = [ADMITTED._replace(at=40, **found), FINISHED._replace(at=50, device_hit_tokens=90)]
    sample = sample_of(*NEW, PREFILLED, retracted, *back)
    assert sample.total == PromptTokens(1, 101, first_seen=100, last_token=1, retracted=11)
    assert sample.total.asked == sample.total.missed == 112
    life = sample.log.find(7)
    assert life is not None and (life.state, life.retractions, life.output_tokens) == ("done", 1, 9)


def test_times_and_steps_of_a_life() -> None:
    first = record(RequestFirstToken, at=15, request=7)
    life = life_of(*NEW[:3], first, NODE, record(NodeLabelled, node=1, start=0, label=3), STORED, FINISHED)
    assert (life.queued_ns, life.ttft_ns, life.prefill_ns, life.ended_at) == (5, 14, 9, 30)
    assert life.steps == [QUEUED, MATCH, ADMITTED, first, STORED, FINISHED]
    assert (life.hit_label, life.last_label) == (None, 3)


def test_a_request_of_very_many_steps_keeps_a_bounded_number_of_them() -> None:
    chunk = record(RequestPrefilled, at=8, request=7, new_tokens=2)
    life = life_of(QUEUED, *[chunk] * 5 * MOST_STEPS)
    assert len(life.steps) == MOST_STEPS
    assert (life.steps[0], life.steps[-1], life.steps_left_out) == (QUEUED, chunk, 4 * MOST_STEPS + 1)


def test_refused_ones_are_kept_and_count_nowhere() -> None:
    sample = sample_of(QUEUED, record(RequestRefused, at=2, request=7, prompt_tokens=101, reason=3))
    life = sample.log.find(7)
    assert life is not None and (life.state, life.reason) == ("refused", 3)
    assert sample.total == PromptTokens()


def test_no_more_requests_are_kept_than_is_said() -> None:
    queued = [QUEUED._replace(request=number) for number in range(MOST_ALIVE + 5)]
    refused = [record(RequestRefused, request=number) for number in range(MOST_DONE + 5)]
    assert len(sample_of(*queued).log.alive) == MOST_ALIVE
    assert len(sample_of(*refused).log.done) == MOST_DONE


def test_after_a_loss_content_is_not_called_new_for_sure() -> None:
    probe = probe_of(RequestLogProbe, NEW)
    probe.lost()
    assert not probe.sample(S).remembers_all


@given(st.sampled_from(RUNS), st.integers(0, 2**32))
@settings(max_examples=40)
def test_classes_add_up_and_say_only_what_is_true(setup: tuple[str, CacheConfig], seed: int) -> None:
    kind, config = setup
    adapter = EmbeddedAdapter(config.describe())
    run = CacheRun(config, adapter, seed, kind)
    aggregator = Aggregator(adapter, ["request_log"])
    truth = Truth(run)
    for _ in range(60):
        run.step()
        truth.look()
    adapter.flush()
    sample = aggregator.tick(0).get(RequestLogSample)
    if sample is None:
        return
    lives = list(sample.log.lives())
    counted = [(*life.counted[:RETRACTED], 0, life.counted[-1]) for life in lives if life.counted is not None]
    again = [(*NOTHING[:RETRACTED], life.again, 0) for life in lives]
    assert sample.total == PromptTokens(*(sum(column) for column in zip(NOTHING, *counted, *again, strict=True)))
    for life in lives:
        tokens = life.tokens()
        assert sum(life.amounts()[2:]) == tokens.asked == life.prompt_tokens + life.again
        known = max(0, min(truth.known.get(life.request, 0), life.matchable) - life.full_boundary)
        assert tokens.evicted + tokens.in_flight <= known


class Truth:
    """How much of each request's prompt was ever in the tree, read off the real tree after each step."""

    def __init__(self, run: CacheRun) -> None:
        self._run = run
        self._ever: set[tuple[int, bytes]] = set()
        self.known: dict[int, int] = {}

    def look(self) -> None:
        cache = self._run.cache
        paths = {cache.tree.root.id: b""}
        for node in cache.tree.descend():
            assert node.parent is not None
            path = paths[node.id] = paths[node.parent.id] + node.edge
            for end in range(len(paths[node.parent.id]), len(path), node.unit_bytes):
                self._ever.add((node.namespace.id, path[: end + node.unit_bytes]))
        for request in self._run.admitted:
            self.known[request.request_id] = max(self.known.get(request.request_id, 0), self._of(request))

    def _of(self, request: Request) -> int:
        raw, space = request.key.tokens, request.key.namespace.id
        length = 0
        while (space, bytes(raw[: 4 * (length + 1)])) in self._ever and length < len(request.key):
            length += 1
        return length
