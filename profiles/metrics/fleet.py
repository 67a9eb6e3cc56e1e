"""Every rank of the servers that are watched, by their KV events; their own metrics are on their own pages."""

from __future__ import annotations

from collections.abc import Callable

from probes.builtin.fleet import FleetSample
from probes.fleet.figures import RankState
from profiles.metric import Metric, Value, Values, one, read_off


def _of_ranks(name: str, help_: str, read: Callable[[RankState], Value]) -> Metric:
    """Return a metric with a value for each rank that was told of."""

    def each_rank(sample: FleetSample) -> Values:
        return {(server, str(rank)): read(one.state) for one in sample.ranks for server, rank in [one.state.name]}

    return read_off(FleetSample, name, help_, each_rank, ("server", "rank"))


def _if_told(state: RankState, tokens: int) -> int | None:
    return None if state.badge is None else tokens


METRICS = (
    _of_ranks(
        "radixtop_rank_up",
        "1 while a rank is followed, 0 while it is away; rank -1 is a server that told of none yet.",
        lambda state: int(state.is_up),
    ),
    _of_ranks(
        "radixtop_rank_unsure",
        "1 while what is known of a rank's blocks may be wrong, 0 while it is not.",
        lambda state: None if state.badge is None else int(state.badge.word == "unsure"),
    ),
    _of_ranks(
        "radixtop_rank_device_tokens",
        "Tokens on the device of a rank.",
        lambda state: _if_told(state, state.device_tokens),
    ),
    _of_ranks(
        "radixtop_rank_host_tokens",
        "Tokens in host memory of a rank.",
        lambda state: _if_told(state, state.host_tokens),
    ),
    _of_ranks(
        "radixtop_rank_stored_tokens_total",
        "Tokens that came to the device of a rank, by all that it told, what it told before included.",
        lambda state: _if_told(state, state.stored_tokens),
    ),
    _of_ranks(
        "radixtop_rank_removed_tokens_total",
        "Tokens that went from the device of a rank, by all that it told.",
        lambda state: _if_told(state, state.removed_tokens),
    ),
    _of_ranks(
        "radixtop_rank_missed_batches_total",
        "Batches of KV events of a rank that never came.",
        lambda state: None if state.feed is None else state.feed.missing,
    ),
    read_off(
        FleetSample,
        "radixtop_fleet_distinct_tokens",
        "Tokens on the devices of all ranks, each counted once; absent where one rank is watched.",
        lambda sample: one(None if sample.overlap is None else sample.overlap.distinct),
    ),
    read_off(
        FleetSample,
        "radixtop_fleet_duplicate_tokens",
        "Tokens on the devices that another rank has, too: all copies but one.",
        lambda sample: one(None if sample.overlap is None else sample.overlap.duplicates),
    ),
)
