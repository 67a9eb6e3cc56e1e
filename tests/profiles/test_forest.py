"""The forest: what each stretch of tokens weighs, whatever the order of splits, evictions and ids."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from cache_core.events import CacheReset, Match, RequestAdmitted, RequestRetracted
from probes.content_hash import hash6
from probes.mirror import Mirror
from profiles.forest import TOP, Forest, Frame
from profiles.growth.forest_builder import grow
from profiles.growth.live_forest import from_mirror
from tests.support.tree_script import Script, content_key

NAMES = ((0, "system prompt 1"), (4, "question 1"))


def weights(forest: Forest, weight: str) -> dict[tuple[int, int], int]:
    """(start, end) -> weight, of what has some."""
    pairs = zip(forest.frames, forest.weights[weight], strict=True)
    return {(frame.start, frame.end): own for frame, own in pairs if own}


def name(frame: Frame) -> str:
    return frame.label.rpartition(" ·")[0]


def content(forest: Forest) -> list[tuple[object, ...]]:
    """The frames that have tokens, and what they weigh in all weights but time."""
    columns = [values for weight, values in forest.weights.items() if weight != "time_ns"]
    return [(frame, *(values[place] for values in columns)) for place, frame in enumerate(forest.frames) if frame.end]


def picture(forest: Forest) -> list[tuple[object, ...]]:
    """Everything that a viewer of the forest can see."""
    return [
        (frame, *(values[place] for values in forest.weights.values())) for place, frame in enumerate(forest.frames)
    ]


def test_parents_come_first_and_end_where_their_children_start() -> None:
    script = Script()
    for text in ("aaaabb", "aaaacc", "aaaabbdd", "xyz"):
        script.insert(text)
    frames = grow(script.records).frames
    for place, frame in enumerate(frames):
        assert frame.parent < place
        assert frame.start == (0 if frame.parent == TOP else frames[frame.parent].end)


def test_tokens_are_those_resident_at_the_end() -> None:
    script = Script()
    script.insert("aaaabb")
    script.insert("aaaaccc")
    script.evict("aaaabb")
    assert weights(grow(script.records), "tokens") == {(0, 4): 4, (4, 7): 3}


def test_evicted_tokens_stay_at_what_was_evicted_as_often_as_it_was() -> None:
    script = Script()
    for _ in range(3):
        script.insert("aaaabb")
        script.evict("aaaabb")
    forest = grow(script.records)
    assert weights(forest, "evicted") == {(0, 6): 18}
    assert weights(forest, "tokens") == {}
    assert not forest.frames[0].resident


def test_a_hit_before_a_split_is_divided_by_it() -> None:
    script = Script()
    script.insert("aaaabb")
    script.request("aaaabbx", hit=6)
    script.insert("aaaacc")
    assert weights(grow(script.records), "hits") == {(0, 4): 4, (4, 6): 2}


def test_what_was_loaded_from_the_host_is_a_hit_and_what_was_not_is_recomputed() -> None:
    script = Script()
    script.insert("aaaabbcc")
    script.insert("aaaabb")
    script.insert("aaaa")
    script.request("aaaabbccx", hit=4, full_hit=8, on_host=4, loaded=2)
    forest = grow(script.records)
    assert weights(forest, "hits") == {(0, 4): 4, (4, 6): 2}
    assert weights(forest, "recomputed") == {(6, 8): 2}
    mirror = Mirror(("full",))
    for record in script.records:
        mirror.apply(record)
    taken = from_mirror(mirror)
    assert weights(taken, "hits") == weights(forest, "hits")
    assert weights(taken, "recomputed") == weights(forest, "recomputed")


def test_an_eviction_before_the_content_returns_in_two_pieces_is_divided() -> None:
    script = Script()
    script.insert("aaaabb")
    script.evict("aaaabb")
    script.insert("aaaa")
    script.insert("aaaabb")
    assert weights(grow(script.records), "evicted") == {(0, 4): 4, (4, 6): 2}


def test_cuts_of_two_lives_meet_in_one_path() -> None:
    script = Script()
    script.insert("aaaa")
    script.insert("aaaabbbb")
    script.evict("aaaabbbb")
    script.evict("aaaa")
    script.insert("aa")
    script.insert("aaaabbbb")
    forest = grow(script.records)
    assert weights(forest, "tokens") == {(0, 2): 2, (2, 4): 2, (4, 8): 4}
    assert [frame.parent for frame in forest.frames] == [TOP, 0, 1]


def test_a_match_that_ends_inside_a_node_weighs_what_it_covers() -> None:
    script = Script()
    script.insert("aaaabb")
    script.records += [
        Match(1, 1, 0, 5, 5, 0, 5, -1, 1, 1, 1, 7),
        RequestAdmitted(1, 7, 5, 5, 0, 0, 0, 0, 0),
    ]
    assert weights(grow(script.records), "hits") == {(0, 6): 5}


def test_the_gap_between_the_hits_is_recomputed() -> None:
    script = Script()
    script.insert("aaaabb")
    script.insert("aaaacc")
    script.request("aaaabbx", hit=4, full_hit=6)
    forest = grow(script.records)
    assert weights(forest, "hits") == {(0, 4): 4}
    assert weights(forest, "recomputed") == {(4, 6): 2}


def test_a_match_that_admits_no_request_is_no_hit() -> None:
    script = Script()
    script.insert("aaaabb")
    script.request("aaaabb", hit=6)
    matches_only = [record for record in script.records if not isinstance(record, RequestAdmitted)]
    assert weights(grow(matches_only), "hits") == {}


def test_a_request_that_returns_after_a_retraction_is_counted_once() -> None:
    script = Script()
    script.insert("aaaabb")
    script.request("aaaabb", hit=6)
    again = script.records[-2:]
    script.records += [RequestRetracted(1, 1, 6, 6, 0, 0, 0, 0, 1), *again]
    assert weights(grow(script.records), "hits") == {(0, 6): 6}


def test_a_reset_leaves_hits_and_evicts_nothing() -> None:
    script = Script()
    script.insert("aaaabb", NAMES)
    script.request("aaaabb", hit=6)
    script.reset()
    forest = grow(script.records)
    assert weights(forest, "hits") == {(0, 6): 6}
    assert weights(forest, "evicted") == weights(forest, "tokens") == {}
    assert name(forest.frames[0]) == "system prompt 1 + question 1"


def test_a_frame_is_named_by_the_segments_that_reach_into_it() -> None:
    script = Script()
    script.insert("aaaabb", NAMES)
    script.insert("aaaaccddee", ((0, "system prompt 1"), (4, "document 2"), (6, "question 2"), (8, "answer 2")))
    texts = {(frame.start, frame.end): name(frame) for frame in grow(script.records).frames}
    assert texts == {(0, 4): "system prompt 1", (4, 6): "question 1", (4, 10): "document 2 … answer 2"}


def test_content_that_left_keeps_its_names() -> None:
    script = Script()
    script.insert("aaaabb", NAMES)
    script.evict("aaaabb")
    assert [name(frame) for frame in grow(script.records).frames] == ["system prompt 1 + question 1"]


def test_the_segment_of_a_frame_is_the_one_most_of_its_tokens_belong_to() -> None:
    script = Script()
    script.insert("aaabbbbb", ((0, "answer 1"), (3, "user turn 2"), (8, "answer 2")))
    script.insert("aaaaa")
    segments = {(frame.start, frame.end): frame.segment for frame in grow(script.records).frames}
    assert segments == {(0, 3): "answer 1", (3, 8): "user turn 2", (3, 5): "tokens"}


def test_content_without_segments_is_called_tokens() -> None:
    script = Script()
    script.insert("aaaa")
    assert grow(script.records).frames[0].label == f"tokens ·{hash6(content_key('aaaa'))}"


def test_a_named_namespace_is_a_frame_above_its_nodes() -> None:
    plain, adapter = Script(), Script(namespace="adapter 1", first_id=100)
    plain.insert("aaaa")
    adapter.insert("aaaa")
    frames = grow(plain.records + adapter.records).frames
    assert [(name(frame), frame.parent) for frame in frames if frame.end == 0] == [("adapter 1", TOP)]
    assert sorted(frame.parent for frame in frames[1:]) == [TOP, 0]


def test_a_tombstone_says_what_it_lost() -> None:
    script = Script()
    script.insert("aaaabb")
    script.insert("aaaacc")
    script.tombstone("aaaa")
    lost = {(frame.start, frame.end): frame.lost for frame in grow(script.records, ("full", "swa")).frames}
    assert lost == {(0, 4): ("swa",), (4, 6): ()}


def test_ids_do_not_show() -> None:
    forests = []
    for first_id in (1, 500):
        script = Script(first_id=first_id)
        for text in ("aaaabb", "aaaacc"):
            script.insert(text, NAMES)
        forests.append(picture(grow(script.records)))
    assert forests[0] == forests[1]


def test_the_order_of_inserts_does_not_show_in_frames_or_tokens() -> None:
    texts = ("aaaabb", "aaaacc", "aaaaccdd", "xyz")
    forests = []
    for order in (texts, texts[::-1]):
        script = Script()
        for text in order:
            script.insert(text)
        forests.append(picture(grow(script.records)))
    assert forests[0] == forests[1]


def test_a_stream_that_starts_again_keeps_what_was_counted() -> None:
    script = Script()
    script.insert("aaaabb", NAMES)
    script.request("aaaabb", hit=6)
    again = [record for record in script.records if not isinstance(record, Match | RequestAdmitted)]
    forest = grow([*script.records, CacheReset(1), *again])
    assert weights(forest, "hits") == weights(forest, "tokens") == {(0, 6): 6}


def test_a_mirror_gives_the_same_frames_and_knows_no_evictions() -> None:
    script = Script()
    for text in ("aaaabb", "aaaacc", "aaaaccdd"):
        script.insert(text, NAMES)
    script.request("aaaaccdd", hit=8)
    mirror = Mirror(("full", "swa"))
    for record in script.records:
        mirror.apply(record)
    live, grown = from_mirror(mirror), grow(script.records, ("full", "swa"))
    assert content(live) == [(*row[:4], row[5]) for row in content(grown)]
    assert list(live.weights) == ["tokens", "hits", "recomputed", "tombstoned"]


def each_token(text: str, first: int) -> list[str]:
    """One name per token of `text` from `first` on: all that was said up to it."""
    return [text[:end] for end in range(first + 1, len(text) + 1)]


@given(st.lists(st.tuples(st.sampled_from(["insert", "request", "evict"]), st.text("ab", min_size=1, max_size=6))))
def test_every_weight_lies_on_the_tokens_it_came_from(steps: list[tuple[str, str]]) -> None:
    """Against counts per single token, the finest cut there is."""
    script = Script()
    expected: dict[str, Counter[str]] = {"hits": Counter(), "evicted": Counter()}
    for step, text in steps:
        leaves = [node for node in script.nodes() if node.text.startswith(text) and not node.children]
        if step == "insert":
            script.insert(text)
        elif step == "request":
            hit = script.known_tokens(text)
            script.request(text, hit)
            expected["hits"].update(each_token(text[:hit], 0))
        elif leaves:
            expected["evicted"].update(each_token(leaves[0].text, leaves[0].start))
            script.evict(leaves[0].text)
    expected["tokens"] = Counter(token for node in script.nodes() for token in each_token(node.text, node.start))
    forest = grow(script.records)
    for weight, counted in expected.items():
        found: Counter[str] = Counter()
        for frame, own in zip(forest.frames, forest.weights[weight], strict=True):
            if not own:
                continue
            assert own % (frame.end - frame.start) == 0
            for token in each_token(script.text_of[frame.key], frame.start):
                found[token] += own // (frame.end - frame.start)
        assert +found == counted


def test_operations_stand_beside_namespaces() -> None:
    script = Script(namespace="adapter 1")
    script.insert("aaaa")
    script.request("aaaab", hit=4)
    frames = grow(script.records).frames
    tops = {frame.label.partition(" ·")[0] for frame in frames if frame.parent == TOP}
    assert tops == {"adapter 1", "match"}
    assert [frames[frame.parent].label for frame in frames if frame.label == "walk"] == ["match"]
