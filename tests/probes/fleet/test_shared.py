"""What ranks have in common, kept block by block, is what comparing all of their blocks says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from probes.fleet.figures import RankName
from probes.fleet.naming import Naming, naming
from probes.fleet.rank_blocks import PREFIX_TOKENS, RankBlocks
from probes.fleet.shared import SharedBlocks
from probes.kv.wire import Cleared, Event, Hash, Removed, Stored, WireBatch
from probes.kv_mirror.rank import RankMirror
from tests.support.made_kv_events import REMOVALS, STORES, stored

BY_HASH = Naming(by_tokens=False)


class Ranks:
    """Some ranks whose blocks are compared."""

    def __init__(self, names: list[Naming]) -> None:
        self.shared = SharedBlocks()
        self.mirrors = [RankMirror() for _ in names]
        for number, (mirror, one) in enumerate(zip(self.mirrors, names, strict=True)):
            mirror.joined(0, 0)
            mirror.tree.audience = RankBlocks(self.shared, RankName("here", number), mirror.blocks, one)

    def tell(self, rank: int, *events: Event) -> None:
        self.mirrors[rank].apply(self.mirrors[rank].last_seq + 1, WireBatch(0.0, events), 0)

    def on_device(self, rank: int) -> dict[Hash, int]:
        """Return the blocks of a rank that are on the device, with their tokens, by asking the mirror for all."""
        blocks = self.mirrors[rank].blocks
        held = {
            name
            for place in blocks.places
            if place.tier == "device"
            for name, _ in blocks.blocks("device", place.group)
        }
        return {name: blocks.tokens_at(blocks._slots[name]) or 1 for name in held}


def compared(ranks: Ranks) -> tuple[list[list[int]], list[int], int]:
    """Return tokens shared by each two, tokens that one has alone, and different tokens."""
    held = [ranks.on_device(rank) for rank in range(len(ranks.mirrors))]
    shared = [[sum(size for name, size in a.items() if name in b) for b in held] for a in held]
    alone = [sum(size for name, size in one.items() if sum(name in other for other in held) == 1) for one in held]
    return shared, alone, sum({name: size for one in held for name, size in one.items()}.values())


EVENTS = STORES | REMOVALS | st.builds(Cleared)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 2), st.lists(EVENTS, min_size=1, max_size=4)), max_size=12))
def test_whatever_is_told_the_overlap_is_what_comparing_says(told: list[tuple[int, list[Event]]]) -> None:
    ranks = Ranks([BY_HASH] * 3)
    for rank, events in told:
        ranks.tell(rank, *events)
        overlap = ranks.shared.overlap()
        shared, alone, distinct = compared(ranks)
        assert [list(row) for row in overlap.shared] == shared
        assert list(overlap.alone) == alone
        assert overlap.distinct == distinct
        assert overlap.duplicates == sum(shared[rank][rank] for rank in range(3)) - distinct
    for rank in range(3):
        ranks.tell(rank, Cleared())
    assert (len(ranks.shared), ranks.shared.heaviest_prefixes()) == (0, ())


def prompt(*tokens: int, hashes: list[Hash], parent: Hash | None = None, lora: str | None = None) -> Stored:
    """Store blocks of 16 tokens, each 16 times one of `tokens`."""
    return Stored(hashes, parent, [token for token in tokens for _ in range(16)], 16, lora=lora)


def shared_tokens(names: list[Naming], first: list[Stored], second: list[Stored]) -> int:
    ranks = Ranks(names)
    for rank, events in enumerate((first, second)):
        ranks.tell(rank, *events)
    return ranks.shared.overlap().shared[0][1]


def test_hashes_with_a_seed_of_their_own_are_compared_by_tokens() -> None:
    seeded = [naming("vllm", "0.12.0")] * 2
    first = [prompt(1, 2, hashes=[b"a1", b"a2"]), prompt(3, hashes=[b"a3"], parent=b"a2")]
    second = [prompt(1, 2, 4, hashes=[b"b1", b"b2", b"b4"])]
    assert shared_tokens(seeded, first, second) == 32
    assert shared_tokens([naming("sglang", "0.5.23")] * 2, first, second) == 0


def test_the_same_tokens_behind_other_ones_are_not_the_same() -> None:
    seeded = [naming("vllm", "0.12.0")] * 2
    assert shared_tokens(seeded, [prompt(1, 2, hashes=[b"a", b"b"])], [prompt(9, 2, hashes=[b"c", b"d"])]) == 0


def test_namespaces_and_models_keep_the_same_tokens_apart() -> None:
    first, second = [prompt(1, hashes=[b"a"])], [prompt(1, hashes=[b"b"], lora="sql")]
    assert shared_tokens([naming("vllm", "0.12.0")] * 2, first, second) == 0
    others = [naming("sglang", "0.5.23"), naming("sglang", "0.5.23", 1)]
    assert shared_tokens(others, [prompt(1, hashes=[5])], [prompt(1, hashes=[5])]) == 0


def test_late_vllm_is_compared_by_its_hashes() -> None:
    assert not naming("vllm", "0.29.0").by_tokens
    assert not naming("vllm", "v1.0.1").by_tokens
    assert naming("vllm", "0.28.3").by_tokens
    assert naming("vllm", None).by_tokens


def test_the_hash_of_a_block_is_its_name_where_there_is_one_model() -> None:
    assert naming("sglang", "0.5.23").of_hash(77) == 77


def chain(start: int, blocks: int, parent: Hash | None = None) -> Stored:
    return stored(*range(start, start + blocks), parent=parent)


def test_prompts_that_begin_alike_are_a_prefix_and_who_lacks_it_is_seen() -> None:
    ranks = Ranks([BY_HASH] * 3)
    head = PREFIX_TOKENS // 16
    for rank in (0, 2):
        ranks.tell(rank, chain(1, head), chain(1_000 * (rank + 1), 5, parent=head))
    ranks.tell(1, chain(500, 3))
    (prefix,) = ranks.shared.heaviest_prefixes()
    assert prefix.tokens == (16 * 6, 0, 16 * 6)  # from the block that completes the beginning on
    assert prefix.holders == 2


def test_the_heaviest_prefixes_come_first() -> None:
    ranks = Ranks([BY_HASH] * 2)
    ranks.tell(0, chain(1, 20), chain(100, 40))
    ranks.tell(1, chain(200, 30))
    assert [max(prefix.tokens) for prefix in ranks.shared.heaviest_prefixes()] == [16 * 25, 16 * 15, 16 * 5]


def test_blocks_below_what_nobody_told_of_are_of_no_prefix() -> None:
    ranks = Ranks([BY_HASH] * 2)
    ranks.tell(0, chain(50, 40, parent=49))
    assert ranks.shared.heaviest_prefixes() == ()
    assert ranks.shared.overlap().alone == (640, 0)


def test_what_goes_takes_its_prefix_along() -> None:
    ranks = Ranks([BY_HASH] * 2)
    ranks.tell(0, chain(1, 30))
    ranks.tell(0, Removed(range(1, 31)))
    assert ranks.shared.heaviest_prefixes() == ()
