"""Fleets that are made up by hand: servers and ranks with their metrics, alike but for what a test changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sin

from probes.builtin.engine import EngineRank, EngineSample
from probes.builtin.fleet import FleetRank, FleetSample
from probes.fleet.figures import Overlap, Prefix, RankName, RankState
from probes.kv_feed.happenings import FeedState
from probes.kv_mirror.badge import Badge
from probes.kv_mirror.turnover import Turnover
from probes.scrapes.buckets import Estimate, Spread
from probes.scrapes.counter_windows import Increase
from probes.scrapes.figures import SERVER
from probes.scrapes.hits import HitWindow
from probes.snapshot import SourceState
from tests.support.watched import FakeSource

SECOND = 1_000_000_000
NOW = 1_000 * SECOND
MODEL = "meta-llama/Llama-3.1-8B-Instruct"
REFUSED = "nothing listens at http://gpu4.prod.example:30000: is the server up?"
BADGES = (
    Badge("complete"),
    Badge("repaired", why="3 from the replay"),
    Badge("partial", NOW - 200 * SECOND, "what was stored before is not known"),
    Badge("unsure", why="batches 12 to 14 never came; all is known again when the cache is flushed"),
)


def names(ranks: int = 8, of_each: int = 2) -> list[RankName]:
    """Return ranks of several servers, so many of each."""
    return [
        RankName(f"sglang://gpu{rank // of_each + 1}.prod.example:30000", rank % of_each) for rank in range(ranks)
    ]


def rank(place: int, name: RankName) -> FleetRank:
    """Return one rank that is up, none quite like another."""
    badge = BADGES[(0, 0, 0, 1, 0, 2, 0, 3)[place % 8]]
    tokens = 301_000 + 4_096 * (place % 5)
    feed = FeedState(
        is_connected=True,
        last_seq=4_711 + place,
        received=4_711,
        gaps=badge.word == "unsure",
        missing=3 if badge.word == "unsure" else 0,
    )
    state = RankState(
        name, "sglang", "live", "", badge, MODEL, "0.5.23", 400_000, tokens // 16, tokens, 120_000 + 1_024 * place,
        9_000_000, 8_600_000, NOW - 400_000_000, feed,
        turnover=Turnover(8_200.0 + 31 * place, 8_100.0 - 17 * place),
    )  # fmt: skip
    return FleetRank(state)


def away(name: RankName, message: str = REFUSED) -> FleetRank:
    """Return a server that tells nothing."""
    return FleetRank(RankState(RankName(name.server, SERVER), "sglang", "lost", message))


def overlap(ranks: list[RankName], prefixes: int = 12) -> Overlap:
    """Return what ranks have in common: much with their neighbours, less with those further away."""
    count = len(ranks)
    held = [301_000 + 4_096 * (place % 5) for place in range(count)]
    shared = tuple(
        tuple(
            held[a] if a == b else (0 if abs(a - b) > 5 else int(min(held[a], held[b]) * (0.86 - 0.17 * abs(a - b))))
            for b in range(count)
        )
        for a in range(count)
    )
    alone = tuple(int(tokens * (0.07 + 0.03 * (place % 3))) for place, tokens in enumerate(held))
    heaviest = tuple(
        Prefix(
            0x9E37_79B9_7F4A_7C15 * (number + 1) & (1 << 64) - 1,
            tuple(
                0 if (place + number) % (2 + number % 5) == 0 and number else 41_000 - 2_900 * number
                for place in range(count)
            ),
        )
        for number in range(prefixes)
    )
    return Overlap(tuple(ranks), shared, alone, int(sum(held) * 0.62), heaviest)


def fleet(ranks: int = 8, of_each: int = 2, is_one_away: bool = False) -> FleetSample:
    """Return a fleet whose first rank is followed."""
    all_names = names(ranks, of_each)
    told = [rank(place, name) for place, name in enumerate(all_names)]
    up = all_names
    if is_one_away:
        lost = all_names[-1].server
        up = [name for name in all_names if name.server != lost]
        told = [one for one in told if one.name.server != lost] + [away(all_names[-1])]
    return FleetSample(NOW, tuple(told), all_names[0], overlap(up))


def hits(queried: float, device: float, host: float, seconds: int) -> HitWindow:
    """Return hits of a time."""
    return HitWindow("scheduler", seconds * SECOND, queried, {"device": device, "host": host, "storage": 0.0})


def wave(level: float, swing: float, phase: float = 0.0) -> tuple[float | None, ...]:
    """Return a minute around a level, of which the first seconds are not known."""
    return tuple(None if at < 8 else level + swing * sin(at / 5 + phase) for at in range(60))


def spread(middle: float, count: float = 240.0) -> Spread:
    """Return a distribution around a middle."""
    return Spread(count, middle * 1.2, Estimate(middle), Estimate(middle * 2.4), Estimate(middle * 4.1))


def engine_rank(place: int, name: RankName) -> EngineRank:
    """Return what the metrics of a rank tell."""
    rates = {
        "decoded_tokens": 1_840.0, "prompt_tokens": 9_200.0, "prefill_computed_tokens": 3_550.0,
        "evicted_tokens": 1_210.0, "load_back_tokens": 310.0, "backup_tokens": 1_190.0, "dropped_tokens": 21.0,
        "finished_requests": 3.1, "retracted_requests": 0.2,
        "load_back_bytes": 40_600_000.0, "backup_bytes": 156_000_000.0,
    }  # fmt: skip

    def grown(seconds: int) -> dict[str, Increase]:
        return {role: Increase(each * seconds, seconds * SECOND) for role, each in rates.items()}

    gauges = {
        "running_requests": 17.0 + place % 3, "waiting_requests": 5.0 - place % 2, "full_total_tokens": 400_000.0,
        "full_used_tokens": 164_000.0 + 900 * place, "full_evictable_tokens": 217_000.0 - 900 * place,
        "full_available_tokens": 19_000.0, "full_usage": 0.41 + place / 400, "usage": 0.83,
        "swa_total_tokens": 80_000.0, "swa_used_tokens": 66_400.0, "swa_evictable_tokens": 9_600.0,
        "swa_available_tokens": 4_000.0, "swa_usage": 0.83, "mamba_total_states": 512.0, "mamba_used_states": 120.0,
        "mamba_usage": 0.23, "host_used_tokens": 180_224.0, "host_total_tokens": 262_144.0, "page_tokens": 16.0,
    }  # fmt: skip
    spreads = {
        "ttft_seconds": spread(0.118), "inter_token_seconds": spread(0.0131, 18_000), "e2e_seconds": spread(2.9),
        "queue_seconds": spread(0.021), "prefill_seconds": spread(0.084), "eviction_seconds": spread(0.0004, 88),
        "load_back_seconds": spread(0.0021, 31), "backup_seconds": spread(0.0012, 90),
    }  # fmt: skip
    return EngineRank(
        server=name.server, engine="sglang", rank=name.rank, at=NOW, gauges=gauges,
        hits_10s=hits(71_000, 41_000, 5_600, 10), hits_minute=hits(412_000, 241_000 + 300 * place, 31_000, 60),
        hits_total=hits(8_400_000, 4_900_000, 610_000, 1_200), rates_10s=grown(10), rates_minute=grown(60),
        rates_total=grown(1_200), spreads_minute=spreads, spreads_total=spreads, hit_rate_history=wave(0.64, 0.12),
        generation_history=wave(1_840, 420, 1.0), usage_history=wave(0.42, 0.06, 2.0),
    )  # fmt: skip


def engine(ranks: int = 8, of_each: int = 2) -> EngineSample:
    """Return what the metrics of a fleet tell."""
    return EngineSample(tuple(engine_rank(place, name) for place, name in enumerate(names(ranks, of_each))))


def slow_to_hit(sample: EngineSample, place: int) -> EngineSample:
    """Return metrics of which one rank hits little and lets many wait."""
    one = sample.ranks[place]
    worse = replace(one, hits_minute=hits(412_000, 50_000, 0, 60), gauges={**one.gauges, "waiting_requests": 48.0})
    return EngineSample((*sample.ranks[:place], worse, *sample.ranks[place + 1 :]))


@dataclass
class FleetSource(FakeSource):
    """A source of several ranks; it notes which was followed last."""

    followed: tuple[str, int] | None = None

    def follow(self, server: str, rank: int) -> str:
        """Note what was asked for."""
        self.followed = server, rank
        return f"following rank {rank} of {server}"


def fleet_source(
    ranks: int = 8, of_each: int = 2, is_one_away: bool = False, unlike: int | None = None
) -> FleetSource:
    """Return a source whose snapshots are of a fleet."""
    told = engine(ranks, of_each)
    if unlike is not None:
        told = slow_to_hit(told, unlike)
    kept = FakeSource().samples
    return FleetSource(
        samples={"fleet": fleet(ranks, of_each, is_one_away), "engine": told, "tree_shape": kept["tree_shape"]},
        state=SourceState("fleet", "live", config={"engine": "sglang", "page_size": 16}),
        now=NOW,
    )
