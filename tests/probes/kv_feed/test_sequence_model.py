"""The rules of putting in order against a wire that does everything a wire can do."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lossy_wire import LossyWire, actions

LOSSES = st.sampled_from((0.0, 0.1, 0.5, 1.0))
ACTIONS = st.one_of(*actions(LOSSES))
EVERYTHING = 1000
SCRIPTS = st.lists(ACTIONS, max_size=40)


def played(wire: LossyWire, script: list[tuple[object, ...]]) -> LossyWire:
    """Return a wire on which a script was played and that has settled."""
    for name, *arguments in script:
        getattr(wire, str(name))(*arguments)
        assert not wire.sequencer.is_contested(wire.now)
    wire.settle()
    return wire


@settings(max_examples=300)
@given(st.integers(0, 1000), st.sampled_from((1, 5, 30, EVERYTHING)), SCRIPTS)
def test_all_is_delivered_once_and_in_order_or_told_as_a_gap(
    seed: int, kept: int, script: list[tuple[object, ...]]
) -> None:
    wire = played(LossyWire(seed, kept), script)
    assert wire.follower.next == len(wire.sent)
    assert wire.follower.process == b"%d" % wire.process
    assert wire.follower.restarts == wire.sequencer.restarts
    if kept == EVERYTHING:
        assert wire.sequencer.restarts <= wire.process
    assert not wire.sequencer.held


@settings(max_examples=300)
@given(st.integers(0, 1000), SCRIPTS)
def test_without_replay_every_hole_is_a_gap_at_once(seed: int, script: list[tuple[object, ...]]) -> None:
    wire = played(LossyWire(seed, kept=EVERYTHING, can_replay=False), script)
    assert wire.follower.next == len(wire.sent)
    assert wire.sequencer.wanted is None
    assert not wire.sequencer.held


@settings(max_examples=100)
@given(st.integers(0, 1000), LOSSES, st.lists(st.integers(1, 12), min_size=1, max_size=10))
def test_what_is_kept_is_never_a_gap(seed: int, loss: float, bursts: list[int]) -> None:
    wire = LossyWire(seed, kept=EVERYTHING)
    for burst in bursts:
        wire.publish(burst, loss)
        wire.arrive(burst)
        wire.ask(loss=0.0)
        wire.answer(burst)
    wire.settle()
    assert wire.follower.delivered == [frame.payload for frame in wire.sent]
    assert wire.follower.gaps == []
    assert wire.follower.joined_at == [0]
