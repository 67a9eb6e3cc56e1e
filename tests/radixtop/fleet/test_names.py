"""Servers and ranks are called as short as tells them apart."""

from __future__ import annotations

import pytest

from probes.fleet.figures import RankName
from probes.scrapes.figures import SERVER
from radixtop.fleet.names import Names, shortened, whole


@pytest.mark.parametrize(
    ("servers", "short"),
    [
        (["sglang://gpu1.prod.example:30000"], ["gpu1.prod.example:30000"]),
        (["sglang://gpu1.prod.example:30000", "sglang://gpu2.prod.example:30000"], ["gpu1", "gpu2"]),
        (["sglang://gpu1.a.example:30000", "sglang://gpu1.b.example:30000"], ["gpu1.a", "gpu1.b"]),
        (["sglang://127.0.0.1:30000", "sglang://127.0.0.1:30001"], [":30000", ":30001"]),
        (["sglang://gpu1:30000", "sglang://gpu2:30001"], ["gpu1:30000", "gpu2:30001"]),
        (["sglang://gpu1:8000", "vllm://gpu1:8000"], ["sglang://gpu1:8000", "vllm://gpu1:8000"]),
        (["tcp://10.0.0.1:5557", "tcp://10.0.0.2:5557"], ["10.0.0.1", "10.0.0.2"]),
        (["sglang://[::1]:30000", "sglang://[fe80::1]:30000"], ["[::1]", "[fe80::1]"]),
        (["vllm://llm-serving-eu-01:8000", "vllm://llm-serving-eu-02:8000"], ["…01", "…02"]),
        (["/data/kv/monday.bin.xz", "/data/kv/sunday.bin.xz"], ["/data/kv/monday.bin.xz", "/data/kv/sunday.bin.xz"]),
        (["/data/recorded/a.bin", "/data/recorded/b.bin"], ["…a.bin", "…b.bin"]),
        (["sglang://a.example:1", "sglang://example:1"], ["a.example", "example"]),
    ],
)
def test_what_all_servers_share_is_left_out(servers: list[str], short: list[str]) -> None:
    assert shortened(servers) == short
    assert len({*short}) == len(servers)


def test_a_rank_is_named_after_its_server_where_that_has_several() -> None:
    ranks = [RankName("sglang://gpu1:1", 0), RankName("sglang://gpu1:1", 1), RankName("sglang://gpu2:1", 0)]
    names = Names(ranks)
    assert [names.short(rank) for rank in ranks] == ["gpu1/0", "gpu1/1", "gpu2"]
    assert [names.spoken(rank) for rank in ranks] == ["rank 0 of gpu1", "rank 1 of gpu1", "gpu2"]


def test_the_ranks_of_one_server_need_no_name_of_it() -> None:
    names = Names([RankName("sglang://gpu1:1", rank) for rank in range(3)])
    assert names.short(RankName("sglang://gpu1:1", 2)) == "rank 2"


def test_a_server_that_has_told_of_no_rank_is_not_called_one() -> None:
    assert whole(RankName("sglang://gpu1:1", SERVER)) == "sglang://gpu1:1"
    names = Names([RankName("sglang://gpu1:1", SERVER), RankName("sglang://gpu2:1", 0)])
    assert names.short(RankName("sglang://gpu1:1", SERVER)) == "gpu1"
