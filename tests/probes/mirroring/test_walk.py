"""A mirror told as records gives the same mirror: at rest, and while it changes under the walk."""

from __future__ import annotations

import random
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core.event_codec import decode
from cache_core.events import KIND_MASK, Label, Lock, Namespace, NodeAdded, RawRecord, Unlock
from probes.blocks import SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, decode_block
from probes.mirror import Mirror
from probes.mirroring.walk import state_records
from probes.recordings.statement import Statement
from probes.rings.slices import BLOCK_RECORDS
from tests.probes.test_mirror_agrees import bound
from tests.probes.test_mirror_converges import assert_same
from tests.support.cache_runs import RUNS
from tests.support.recorded_tree import counts, told
from tests.support.records import added, record
from tests.support.toy_tree import ToyTree

SEEDS = st.integers(0, 2**32)


def apply_raw(mirror: Mirror, raw: RawRecord) -> None:
    decoded = decode(raw[0] & KIND_MASK, raw[1:])
    assert decoded is not None
    mirror.apply(decoded)


@given(st.sampled_from(RUNS), SEEDS)
@settings(max_examples=25)
def test_a_mirror_of_a_mirror_is_the_same(setup: tuple[str, object], seed: int) -> None:
    kind, config = setup
    run, adapter, aggregator = bound(config, seed, kind)  # type: ignore[arg-type]
    for _ in range(150):
        run.step()
    adapter.flush()
    aggregator.tick(run.cache.clock())
    mirror = aggregator.mirror
    copy = Mirror(mirror.components)
    for raw in state_records(mirror, 1):
        apply_raw(copy, raw)
    assert told(copy) == told(mirror)
    assert counts(copy) == counts(mirror)
    assert (copy.labels, copy.namespaces) == (mirror.labels, mirror.namespaces)
    for node in mirror.nodes.values():
        if node.parent:
            twin = copy.nodes[node.id]
            assert twin.created_at == node.created_at
            # A copy takes whatever was touched below a node for a touch of that; a load from the host is none.
            loaded_at = latest(mirror, node.id) if config.host_slots else node.touched_at  # type: ignore[attr-defined]
            assert node.touched_at <= twin.touched_at <= loaded_at


def latest(mirror: Mirror, id_: int) -> int:
    """Return when a node or anything below it was touched last."""
    node = mirror.nodes[id_]
    return max(node.touched_at, *(latest(mirror, child) for child in node.children), -1)


@given(SEEDS, st.integers(0, 60), st.floats(0.05, 0.95))
@settings(max_examples=150)
def test_whoever_reads_a_walk_and_the_deltas_between_has_the_same_mirror(seed: int, before: int, pace: float) -> None:
    tree = ToyTree(random.Random(seed))
    interleaving = random.Random(seed + 1)
    mirror, copy = Mirror(("full", "swa")), Mirror(("full", "swa"))
    for _ in range(before):
        tree.step()
    for one in tree.stream:
        mirror.apply(one)
    tree.stream.clear()
    walk = state_records(mirror, 1)
    walking = True
    while walking:
        if interleaving.random() < pace:
            tree.step()
            for one in tree.stream:
                mirror.apply(one)
                copy.apply(one)
            tree.stream.clear()
        else:
            raw = next(walk, None)
            walking = raw is not None
            if raw is not None:
                apply_raw(copy, raw)
    assert_same(copy, tree)


def test_names_that_no_node_uses_are_told_too() -> None:
    mirror = Mirror()
    mirror.apply(Namespace(3, "tenant"))
    mirror.apply(Label(9, "system"))
    assert len([*state_records(mirror, 1)]) == 2


def statement_of(mirror: Mirror, budget_ns: int) -> tuple[list[bytes], int]:
    """Return the blocks of a statement and how many slices it took."""
    blocks: list[bytes] = []
    statement = Statement(mirror, lambda: 3)
    slices = 0
    while not statement.is_over:
        statement.write(5, 7, budget_ns, blocks.append)
        slices += 1
    return blocks, slices


def wide_mirror(nodes: int) -> Mirror:
    mirror = Mirror(("full",))
    for node in range(1, nodes + 1):
        mirror.apply(added(node, 0, 1))
    return mirror


def test_a_statement_lies_between_its_two_ends_and_says_where_it_is_true() -> None:
    blocks = [decode_block(raw) for raw in statement_of(wide_mirror(3 * BLOCK_RECORDS), 1)[0]]
    assert [block.kind for block in blocks] == [SNAPSHOT_BEGIN, SLICE, SLICE, SLICE, SNAPSHOT_END]
    assert {(block.first_seq, block.flushed_at, block.sequence) for block in blocks} == {(5, 7, 0)}
    assert sum(block.record_count for block in blocks) == 3 * BLOCK_RECORDS


def test_a_statement_takes_a_slice_at_a_time() -> None:
    assert statement_of(wide_mirror(1000), 0)[1] > 20


def test_an_empty_tree_is_stated_in_one_slice() -> None:
    blocks, slices = statement_of(Mirror(), 0)
    assert ([decode_block(raw).kind for raw in blocks], slices) == ([SNAPSHOT_BEGIN, SNAPSHOT_END], 1)


def test_what_fits_no_word_is_left_out_of_a_statement() -> None:
    mirror = wide_mirror(3)
    mirror.apply(Label(2**63, "beyond"))
    blocks, _ = statement_of(mirror, 0)
    stated = [one for raw in blocks for _, one in decode_block(raw).records()]
    assert sorted(one.node for one in stated if isinstance(one, NodeAdded)) == [1, 2, 3]
    assert len(stated) == 3


def test_receipts_beyond_a_word_begin_again_and_can_be_given_back() -> None:
    mirror = wide_mirror(3)
    mirror.apply(record(NodeAdded, node=2, length=1, anchored=2**63 - 1))
    mirror.apply(record(Lock, node=2))
    assert mirror.nodes[2].anchored == mirror.nodes[2].locks == -(2**63)
    mirror.apply(record(Unlock, node=2))
    assert mirror.nodes[2].anchored == mirror.nodes[2].locks == 2**63 - 1


def test_a_long_name_is_cut_to_a_block() -> None:
    mirror = Mirror()
    mirror.apply(Label(9, "x" * 300_000))
    (told_label,) = [one for raw in statement_of(mirror, 0)[0] for _, one in decode_block(raw).records()]
    assert isinstance(told_label, Label)
    assert 100_000 < len(told_label.text) < 300_000


def test_a_walk_over_a_cleared_mirror_ends() -> None:
    mirror = wide_mirror(50)
    walk = state_records(mirror, 1)
    assert len([*islice(walk, 10)]) == 10
    mirror.clear()
    assert [*walk] == []
