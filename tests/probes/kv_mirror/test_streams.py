"""What real engines told of themselves ends in what they really held."""

from __future__ import annotations

from pathlib import Path

import pytest

from probes.kv.wire import decode
from probes.kv_mirror.rank import RankMirror
from tests.support.kv_streams import BROKEN, CUTS, assert_holds, checkpoints, messages, names, truth, whole_streams

SOUND = [name for name in names() if name not in BROKEN]


def engine_of(name: str) -> str:
    return name.partition("_")[0]


def follow(name: str, folder: Path) -> tuple[RankMirror, int]:
    """Apply a stream, compare at every checkpoint, and return the mirror and how many checkpoints were not met."""
    mirror, wanted = RankMirror(), checkpoints(name, folder)
    for seq, payload in messages(name, folder):
        if mirror.last_seq < 0:
            mirror.joined(seq, 0)
        mirror.apply(seq, decode(payload), 0)
        if seq in wanted:
            assert_holds(mirror.blocks, wanted.pop(seq), engine_of(name))
    return mirror, len(wanted)


@pytest.mark.parametrize("name", SOUND)
def test_a_stream_leads_to_what_its_engine_held(name: str) -> None:
    mirror, unmet = follow(name, CUTS)
    assert unmet == 0 < len(checkpoints(name))
    assert mirror.last_seq == truth(name)["checkpoints"][-1]["after_seq"]
    assert mirror.badge.word == "complete"
    assert not mirror.skipped


def assert_doubted(folder: Path) -> None:
    """Follow the broken stream: wherever it was compared it is wrong, and is not believed."""
    mirror, wanted = RankMirror(), checkpoints("sglang_0.5.6_radix_page16", folder)
    mirror.joined(0, 0)
    for seq, payload in messages("sglang_0.5.6_radix_page16", folder):
        mirror.apply(seq, decode(payload), 0)
        if seq in wanted:
            with pytest.raises(AssertionError):
                assert_holds(mirror.blocks, wanted[seq], "sglang")
            assert mirror.badge.word == "unsure"


def test_a_broken_stream_is_doubted() -> None:
    assert_doubted(CUTS)


@pytest.mark.needs("kv_streams")
def test_a_whole_broken_stream_is_doubted_after_its_flush_too() -> None:
    assert_doubted(whole_streams())


def test_a_stream_without_a_truth_of_names_has_as_many_tokens_as_its_engine_held() -> None:
    name, mirror = "sglang_0.5.1_radix_page4", RankMirror()
    wanted = {each["after_seq"]: each["tokens"] for each in truth(name)["checkpoints"]}
    mirror.joined(0, 0)
    for seq, payload in messages(name):
        mirror.apply(seq, decode(payload), 0)
        if seq in wanted:
            assert mirror.blocks.places[0].tokens == wanted.pop(seq)
    assert not wanted


def test_hashes_that_say_nothing_of_their_place_are_kept_without_a_loop() -> None:
    mirror = RankMirror()
    mirror.joined(0, 0)
    for seq, payload in messages("sglang_0.5.1_radix_page4"):
        mirror.apply(seq, decode(payload), 0)
    (place,) = mirror.blocks.places
    assert 0 < place.blocks <= place.copies
    for name, _ in mirror.blocks.blocks("device"):
        climbed = 0
        above = mirror.blocks.parent(name)
        while above is not None:
            above, climbed = mirror.blocks.parent(above), climbed + 1
            assert climbed < len(mirror.blocks)


@pytest.mark.needs("kv_streams")
@pytest.mark.parametrize("name", SOUND)
def test_a_whole_stream_leads_to_what_its_engine_held(name: str) -> None:
    mirror, unmet = follow(name, whole_streams())
    assert unmet == 0 < len(checkpoints(name, whole_streams()))
    assert mirror.badge.word == "complete"


@pytest.mark.needs("kv_streams")
def test_after_a_restart_only_the_second_process_counts() -> None:
    mirror, last = RankMirror(), -1
    wanted = {
        each["after_seq"]: each for each in truth("derived_restart", whole_streams())["second_process_checkpoints"]
    }
    met, restarts = 0, 0
    for seq, payload in messages("derived_restart", whole_streams()):
        if last < 0 or seq < last:
            restarts += last >= 0
            mirror.joined(seq, 0)
        mirror.apply(seq, decode(payload), 0)
        last = seq
        if restarts and seq in wanted:
            assert_holds(mirror.blocks, wanted[seq], "sglang")
            met += 1
    assert restarts == 1
    assert met >= 10
    assert mirror.badge.word == "complete"


@pytest.mark.needs("kv_streams")
def test_after_a_gap_the_mirror_is_unsure_until_a_flush_and_right_from_then_on() -> None:
    mirror, wanted, met, badges = RankMirror(), checkpoints("sglang_0.5.23_page16", whole_streams()), 0, set()
    for seq, payload in messages("derived_gap", whole_streams()):
        if mirror.last_seq < 0:
            mirror.joined(seq, 0)
        elif seq != mirror.last_seq + 1:
            mirror.lost(mirror.last_seq + 1, seq - 1)
        mirror.apply(seq, decode(payload), 0)
        if seq > 1040:
            badges.add((seq > 1756, mirror.badge.word))
        if seq in wanted and seq > 1756:
            assert_holds(mirror.blocks, wanted[seq], "sglang")
            met += 1
    assert met >= 10
    assert (False, "unsure") in badges
    assert {word for after, word in badges if after} == {"complete"}
