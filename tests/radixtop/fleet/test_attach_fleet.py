"""Attaching to several servers and ranks: the fleet is shown, reported, and who is away is named."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from probes.engines.access import Access
from radixtop import cli
from radixtop.engine_target import network_targets_of, title_of
from radixtop.network_session import NetworkSession
from radixtop.screenless.telling import line_of
from radixtop.settings.setting import Settings
from tests.support.fake_server import unused_port
from tests.support.kv_streams import CUTS
from tests.support.screen import dashboard
from tests.support.served_fleet import served_fleet

SOME, MORE = 40, 60
CACHED = (5_568, 7_008)
"""Tokens that are cached when so many messages of the stream were published."""


def attach(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli.main(["attach", *words])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_a_report_tells_of_every_rank_and_what_they_share() -> None:
    with served_fleet([(SOME,), (MORE,)]) as fleet:
        told = told_of(fleet.targets, *CACHED)
    assert [rank["server"] for rank in told["ranks"]] == fleet.targets
    shared, alone = told["overlap"]["shared_tokens"], told["overlap"]["alone_tokens"]
    assert shared[0][1] == shared[1][0] == shared[0][0] > 0 and alone[0] == 0 < alone[1]
    assert told["overlap"]["duplicate_tokens"] == shared[0][0]


def told_of(targets: list[str], *cached: int) -> dict[str, Any]:
    """Return what a report tells of servers once their ranks have what they published."""
    session = NetworkSession(network_targets_of(targets), Access())
    try:
        for _ in range(2_000):
            told: Any = json.loads(line_of(session.tick(time.perf_counter_ns())))["fleet"]
            if told is not None and [rank["cached_tokens"] for rank in told["ranks"]] == [*cached]:
                return dict(told)
            threading.Event().wait(0.01)
        raise AssertionError(told)
    finally:
        session.close()


@pytest.mark.parametrize("how", ["--once", "--watch"])
def test_what_is_told_first_has_the_date_the_metrics_and_the_tree(
    how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = datetime.now(UTC)
    with served_fleet([(SOME,)]) as fleet:
        flags = ("--once",) if how == "--once" else ("--watch", "--duration", "0.9")
        code, out, _ = attach(capsys, fleet.targets[0], "--json", "--interval", "0.04", *flags)
    assert code == 0
    told = json.loads(out) if how == "--once" else json.loads(out.splitlines()[0])
    (rank,) = told["fleet"]["ranks"]
    assert (rank["known"], rank["cached_tokens"]) == ("complete", CACHED[0])
    assert None not in (rank["running"], rank["waiting"], rank["pool_usage"])
    assert rank["metrics"]["gauges"]["waiting_requests"] == rank["waiting"]
    assert (
        timedelta(0) <= datetime.fromisoformat(told["at"]) + timedelta(milliseconds=1) - before < timedelta(minutes=2)
    )


def test_the_fleet_is_what_is_told_first_of_a_server_with_several_ranks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    with served_fleet([(SOME, MORE)]) as fleet:
        code, out, _ = attach(capsys, fleet.targets[0], "--once")
    assert code == 0
    assert "rank 0" in out and "rank 1" in out and "[ranks]" in out


def test_a_server_that_is_away_is_named_and_the_others_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NetworkSession, "patience_s", 1.5)
    nobody = f"sglang://127.0.0.1:{unused_port()}"
    with served_fleet([(SOME,)]) as fleet:
        code, out, err = attach(capsys, f"{fleet.targets[0]},{nobody}", "--once", "--json")
        assert code == 1
        assert nobody in err and fleet.targets[0] not in err
        assert len(json.loads(out)["fleet"]["ranks"]) == 2
        code, out, err = attach(capsys, fleet.targets[0], nobody, "--headless", "--duration", "1")
    assert code == 1
    assert nobody in err and "copies" not in out and "rank        " in out


def test_saved_events_that_were_read_to_their_end_are_not_away(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(next(CUTS.glob(f"{name}.bin.*"))) for name in ("sglang_0.5.20_page16", "sglang_0.5.23_page16")]
    code, out, err = attach(capsys, *paths, "--headless", "--json")
    assert err == ""
    assert (code, [rank["state"] for rank in json.loads(out)["fleet"]["ranks"]]) == (0, ["ended", "ended"])
    assert json.loads(out)["at"].startswith("20")
    code, out, _ = attach(capsys, *paths, "--once")
    assert code == 0
    assert "away" not in out and "cached" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sglang://gpu1", "4711"), "'4711' is a cache of this machine, others are not"),
        (("4711", "4712"), "2 caches of this machine are named"),
        (("sglang://gpu1", "http://gpu2"), "'http://gpu2' is no target"),
        (("",), "argument 1 is empty"),
    ],
)
def test_targets_that_do_not_go_together_are_refused(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = attach(capsys, *words, "--json", "--once")
    assert (code, out) == (2, "")
    assert said in err


def test_several_targets_are_called_after_the_first() -> None:
    targets = network_targets_of(["sglang://gpu1,vllm://gpu2", "tcp://gpu3:5557"])
    assert title_of(targets) == "sglang://gpu1:30000 and 2 more"
    assert title_of(targets[:1]) == "sglang://gpu1:30000"


@pytest.mark.parametrize(("chosen", "opened"), [(Settings(), "fleet"), (Settings(chooses_view=True), "overview")])
def test_the_screen_opens_the_fleet_unless_a_view_was_chosen_and_another_rank_can_be_followed(
    chosen: Settings, opened: str
) -> None:
    async def main() -> None:
        with served_fleet([(SOME,), (MORE,)]) as fleet:
            session = NetworkSession(network_targets_of(fleet.targets), Access())
            try:
                async with dashboard(120, 40, session, chosen) as running:
                    await until(running, lambda: "rank" in str(session.tick(0).samples.get("fleet", "")))
                    await until(running, lambda: len(session.mirror.nodes) > 1)
                    assert running.app.view_name == opened
                    before = session.mirror
                    await running.press("0", "G", "enter")
                    await until(running, lambda: session.mirror is not before or "showing" in running.text())
                    await until(running, lambda: "▶" in row_of(running.text(), fleet.targets[1]))
            finally:
                session.close()

    asyncio.run(main())


async def until(running: Any, is_so: Any) -> None:
    """Tick until something is so."""
    for _ in range(500):
        await running.tick()
        if is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(running.text())


def row_of(text: str, target: str) -> str:
    """Return the row of a server, which goes by its port."""
    port = f":{target.rpartition(':')[2]}"
    return next((line for line in text.split("\n") if f" {port} " in line and "│" in line), "")
