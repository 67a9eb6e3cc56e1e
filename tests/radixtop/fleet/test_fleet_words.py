"""What the view of the fleet says first."""

from __future__ import annotations

from dataclasses import replace

from probes.builtin.engine import EngineSample
from probes.builtin.fleet import FleetSample
from probes.fleet.figures import RankName
from probes.snapshot import Snapshot, SourceState
from radixtop.messages import Frame
from radixtop.render.lines import plain
from radixtop.words.fleet import answer, headline, tells_away
from tests.support.fleets import engine, fleet, fleet_source, slow_to_hit


def said(sample: FleetSample, metrics: object = None, width: int = 200) -> list[str]:
    return plain(answer(sample, metrics or engine(len(sample.ranks)), width))  # type: ignore[arg-type]


def test_ranks_that_are_alike_are_said_to_be() -> None:
    assert said(fleet())[0] == "all 8 ranks are alike"


def test_where_no_metrics_are_told_nothing_is_claimed_of_them() -> None:
    assert plain(answer(fleet(), None, 200))[0].endswith("in how much they cache; metrics are not told")


def test_ranks_are_not_said_to_be_alike_before_all_are_read() -> None:
    sample = fleet(8, 8)
    late = [replace(one, state=replace(one.state, is_read=False)) for one in sample.ranks[:3]]
    line = said(replace(sample, ranks=(*late, *sample.ranks[3:])))[0]
    assert line == "what 3 of 8 ranks told before is being read: not compared yet"


def test_the_rank_that_differs_is_named_with_what_and_by_how_much() -> None:
    line = said(fleet(), slow_to_hit(engine(), 5))[0]
    assert line.startswith("out of balance: rank 1 of gpu3 hits 12.1%, the others 66.")
    assert "rank 1 of gpu3 has 48 requests waiting, the others 5" in line


def test_half_a_request_is_not_rounded_away() -> None:
    metrics = slow_to_hit(engine(), 5)
    assert "the others 4.5" in said(fleet(), EngineSample((metrics.ranks[1], *metrics.ranks[3:])))[0]


def test_a_server_that_is_away_comes_first_with_its_reason_where_there_is_room() -> None:
    sample = fleet(is_one_away=True)
    assert said(sample)[0].startswith("away: gpu4: nothing listens at ")
    assert said(sample, width=70)[0] == "away: gpu4"


def test_who_is_away_is_not_told_once_more_where_the_title_tells_it() -> None:
    snapshot = fleet_source(is_one_away=True).tick(0)
    told = replace(snapshot, source=replace(snapshot.source, message="away: gpu4:30000 (nothing listens)"))
    assert (tells_away(snapshot), tells_away(told)) == (True, False)
    line = headline(Frame(told), 200)
    assert line is not None and "away" not in plain([line])[0]


def test_ranks_of_which_the_metrics_do_not_tell_are_not_said_to_be_alike_in_them() -> None:
    bare = EngineSample(engine(8, 8).ranks[:1])
    line = said(fleet(8, 8), bare)[0]
    assert line == "all 8 ranks are alike in how much they cache; of their own metrics 1 of 8 tell"


def test_what_is_with_another_server_is_said_once_and_of_the_followed_one_by_the_title() -> None:
    sample = fleet(8, 2)
    remark = "metrics of 1 of 2 ranks"
    noted = [replace(rank, state=replace(rank.state, remark=remark)) for rank in sample.ranks]
    lines = said(replace(sample, ranks=tuple(noted)))
    assert [line for line in lines if remark in line] == [f"gpu2, gpu3, gpu4: {remark}"]


def test_tokens_that_are_there_more_than_once_are_counted() -> None:
    assert said(fleet())[1].startswith(
        "38.0% of the cached tokens are copies of what another rank has: 935k of 2.46M"
    )


def test_no_copy_is_said_to_be_none() -> None:
    sample = fleet()
    assert sample.overlap is not None
    distinct = replace(sample, overlap=replace(sample.overlap, distinct=sample.overlap.held))
    assert said(distinct)[1].startswith("no token is cached on more than one rank")


def test_one_rank_has_nothing_to_be_compared_with() -> None:
    assert said(fleet(1, 1)) == ["one rank is up: nothing to compare it with"]
    assert headline(Frame(fleet_source(1, 1).tick(0)), 80) is None


def test_the_overview_of_several_ranks_begins_with_it() -> None:
    line = headline(Frame(fleet_source().tick(0)), 78)
    assert line is not None
    assert plain([line])[0] == "all 8 ranks are alike"
    assert headline(Frame(Snapshot(0, 0, 0, SourceState("x", "live"), {})), 78) is None


def test_one_server_under_two_names_of_this_machine_is_said_to_be_one() -> None:
    def lines(*servers: str) -> list[str]:
        ranks = [
            replace(rank, state=replace(rank.state, name=RankName(server, 0)))
            for rank, server in zip(fleet().ranks, servers, strict=False)
        ]
        return said(replace(fleet(), ranks=tuple(ranks), overlap=None))

    one = "sglang://127.0.0.1:30000 and sglang://localhost:30000 seem to be one server: leave one of them out"
    assert lines("sglang://127.0.0.1:30000", "sglang://localhost:30000", "sglang://gpu1:30000")[-1] == one
    for other in ("sglang://localhost:30001", "vllm://localhost:30000", "sglang://gpu1:30000", "a file.rxkv"):
        assert "one server" not in str(lines("sglang://127.0.0.1:30000", other))
    assert "[::1]:5557 and tcp://localhost:5557 seem" in lines("tcp://[::1]:5557", "tcp://localhost:5557")[-1]
