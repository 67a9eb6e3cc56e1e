"""Recorded streams with faults made on purpose: the rank ends in what its engine held, or does not claim to."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.kv_feed.feed import Feed
from probes.kv_feed.file_feed import FileFeed
from probes.kv_feed.limits import FeedOptions, Limits
from probes.kv_mirror.follower import RankFollower
from tests.support.faulty_publisher import Faults, FaultyPublisher
from tests.support.kv_streams import BROKEN, CUTS, assert_holds, checkpoints, messages, names, truth, whole_streams
from tests.support.lossy_wire import actions
from tests.support.recorded_wire import CLOCKS, RecordedWire

SOUND = [name for name in names() if name not in BROKEN]
LOSSES = st.sampled_from((0.0, 0.1, 0.5))
KEPT = st.sampled_from((1, 5, 30, 1000))
ACTIONS = st.one_of(*actions(LOSSES), st.tuples(st.just("cut"), st.integers(0, 500)))
SCRIPTS = st.lists(ACTIONS, min_size=20, max_size=40)


@cache
def stream(name: str, folder: Path = CUTS) -> list[bytes]:
    return [payload for _, payload in messages(name, folder)]


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from(SOUND), min_size=1, max_size=2),
    st.integers(0, 1000), KEPT, st.booleans(), st.sampled_from(sorted(CLOCKS)), SCRIPTS,
)  # fmt: skip
def test_whatever_goes_wrong_nothing_false_is_called_complete(
    of: list[str], seed: int, kept: int, can_replay: bool, clock: str, script: list[tuple[object, ...]]
) -> None:
    wire = RecordedWire([stream(name) for name in of], seed, kept, can_replay, clock)
    for name, *arguments in script:
        getattr(wire, str(name))(*arguments)
        wire.assert_honest()
    wire.settle()
    wire.assert_honest()


@settings(max_examples=40)
@given(st.sampled_from(SOUND), st.integers(0, 1000), LOSSES, st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_what_the_engine_keeps_makes_good_for_every_loss(
    name: str, seed: int, loss: float, bursts: list[int]
) -> None:
    wire = RecordedWire([stream(name)], seed, kept=100_000)
    for turn, burst in enumerate([*bursts, len(stream(name))]):
        wire.publish(burst, loss)
        wire.arrive(burst)
        wire.ask(loss if turn == 1 else 0.0)
        wire.answer(1000)
        wire.wait()
    wire.settle()
    assert wire.assert_honest().word in ("complete", "repaired")
    assert_holds(wire.rank.rank.blocks, checkpoints(name)[len(stream(name)) - 1], name.partition("_")[0])


EVERYTHING = Faults(drop=0.1, double=0.1, swap=0.1, cut=0.02, lose_answers=0.2)
UNHARMED = Faults(drop=0.1, double=0.1, swap=0.1, lose_answers=0.2)
FORGETFUL = Faults(drop=0.1, kept=3)
TIMEOUT_S = 20
BURST = 20
OPTIONS = FeedOptions(limits=Limits(silence_ns=50_000_000, look_again_ns=100_000_000))


def played(
    name: str, processes: list[tuple[list[bytes], Faults]], asks: bool = True, rests_at: int | None = None
) -> RankFollower:
    """Return a rank that followed publishers one after the other over real sockets, to the last batch of the last.

    One that `rests_at` a batch publishes the rest once all before it is known.
    """
    random, at, rank, joined_anew = Random(name), ("tcp://127.0.0.1:0",) * 2, None, 0
    for before, (payloads, faults) in enumerate(processes):
        with FaultyPublisher(payloads, faults, random, at) as server:
            at = server.at
            if rank is None:
                feed = Feed(at[0], at[1] if asks else None, options=OPTIONS)
                rank = RankFollower(feed, name)
            deadline = time.monotonic() + TIMEOUT_S
            server.subscribed()
            while not server.is_done or rank.rank.last_seq != len(payloads) - 1 or joined_anew < before:
                assert time.monotonic() < deadline, (rank.rank.last_seq, feed.state(), rank.rank.badge)
                rests = server.sent == rests_at and rank.rank.badge.word != "complete"
                server.serve(0 if rests else BURST if rests_at is None else min(BURST, rests_at))
                joined_anew += rank.poll().resync
    assert rank is not None
    rank.close()
    return rank


def assert_right_or_unsure(rank: RankFollower, name: str, folder: Path = CUTS) -> str:
    """Compare with what the engine held at its end, and return the badge."""
    word = rank.rank.badge.word
    if word in ("complete", "repaired"):
        wanted = checkpoints(name, folder)
        assert_holds(rank.rank.blocks, wanted[max(wanted)], name.partition("_")[0])
    return word


@pytest.mark.parametrize("name", ["sglang_0.5.23_hicache_wt", "sglang_0.5.18_radix_page16_ns", "vllm_0.33.0_hybrid"])
def test_over_real_sockets_what_is_lost_is_replayed(name: str) -> None:
    rank = played(name, [(stream(name), UNHARMED)], rests_at=10)
    assert assert_right_or_unsure(rank, name) == "repaired"


def test_over_real_sockets_a_restart_among_faults_leaves_the_second_process_alone() -> None:
    name = "sglang_0.5.23_page16"
    first = (stream("sglang_0.5.20_page16"), EVERYTHING)
    rank = played(name, [first, (stream(name), UNHARMED)])
    assert assert_right_or_unsure(rank, name) in ("complete", "repaired"), rank.rank.badge
    assert played(name, [(stream(name), FORGETFUL)]).rank.badge.word == "unsure"
    assert played(name, [(stream(name), UNHARMED)], asks=False).rank.badge.word == "unsure"


@pytest.mark.needs("kv_streams")
def test_recordings_with_a_gap_and_a_restart_in_them_end_in_what_was_held_then() -> None:
    folder = whole_streams()
    after_gap = checkpoints("sglang_0.5.23_page16", folder).values()
    after_restart = truth("derived_restart", folder)["second_process_checkpoints"]
    for name, of in (("derived_gap", after_gap), ("derived_restart", after_restart)):
        rank = RankFollower(FileFeed(folder / f"{name}.bin.gz"), name)
        words = set()
        while rank.state().state != "ended":
            rank.poll()
            words.add(rank.rank.badge.word)
        assert_holds(rank.rank.blocks, max(of, key=lambda each: each["after_seq"]), "sglang")
        assert rank.rank.badge.word == "complete"
        assert ("unsure" in words) == (name == "derived_gap")


@pytest.mark.needs("kv_streams")
@pytest.mark.parametrize("name", SOUND)
def test_a_whole_stream_with_faults_ends_in_what_its_engine_held(name: str) -> None:
    whole = stream(name, whole_streams())
    rank = played(name, [(whole[:300], EVERYTHING), (whole, UNHARMED)])
    assert assert_right_or_unsure(rank, name, whole_streams()) in ("complete", "repaired"), rank.rank.badge
