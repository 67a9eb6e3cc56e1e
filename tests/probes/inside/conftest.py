"""Caches of known shapes with a ring in a folder of their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cache_core.events import Record
from probes.adapters.shm import ShmAdapter
from probes.inside import attaching, sglang
from probes.inside.seat import CacheSeat
from tests.support.engine_shapes import Results


class Attached:
    """A cache that is attached, and the reader of its ring."""

    def __init__(self, cache: Any, seat: CacheSeat, folder: Path) -> None:
        self.cache = cache
        self.seat = seat
        self.reader = ShmAdapter(os.getpid(), seat.recorder.options.rank, folder=folder)

    def told(self, *kinds: type) -> list[Record]:
        """Return what is new in the ring, of some kinds or all."""
        self.seat.publish()
        return [record for _, record in self.reader.poll().records if not kinds or isinstance(record, kinds)]


Attach = Callable[..., Attached]


@pytest.fixture
def attach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Attach]:
    """Attach a new cache of a class; `match` is the class of what its matches return."""
    monkeypatch.setattr("probes.recorder.default_folder", lambda: tmp_path / "rings")
    monkeypatch.setattr(attaching, "_wrapped", {})
    made: list[Attached] = []

    def attached(cls: type, match: type, **options: Any) -> Attached:
        monkeypatch.setitem(sys.modules, "sglang.srt.mem_cache.base_prefix_cache", Results(match))
        cache = type(cls.__name__, (cls,), {})()  # a class of its own: wrappers go with the test
        seat = sglang.attach(cache)
        assert seat is not None
        made.append(Attached(cache, seat, tmp_path / "rings"))
        return made[-1]

    yield attached
    for each in made:
        each.reader.close()
        attaching.detach(id(each.cache))
        each.seat.close()
