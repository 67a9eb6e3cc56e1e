"""What one live run is: the flags of `radixtop live` as a value that travels to the worker as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Literal

from radixtop.errors import UsageError


@dataclass(frozen=True, slots=True)
class RunConfig:
    """A workload, the model that serves it and the cache it goes through. None means: chosen by the worker.

    A `schedule_limit` of None is none at all.
    """

    workload: str = "mixed"
    workload_options: tuple[tuple[str, str], ...] = ()
    model: str = "tiny"
    device: str = "auto"
    cache: str = "prefix"
    page_size: int = 1
    window: int = 128
    full_slots: int | None = None
    swa_slots: int | None = None
    swa_eviction: Literal["lru", "tail_window_last"] = "tail_window_last"
    components: str = "full,swa"
    mamba_slots: int | None = None
    mamba_chunk: int = 64
    host_slots: int = 0
    write_policy: Literal["write_through", "write_through_selective", "write_back"] = "write_through"
    policy: str = "lru"
    policy_options: tuple[tuple[str, int], ...] = ()
    evictor: str = "incremental"
    branching: bool = True
    chunk_size: int = 512
    schedule: str = "fcfs"
    schedule_limit: int | None = 128
    concurrency: int = 4
    rate: float | None = None
    seed: int = 0
    duration_s: float | None = None
    requests: int | None = None
    record: str | None = None
    kv_events: str | None = None
    probe_budget: float = 0.03
    pools_hold_everything: bool = False

    def __post_init__(self) -> None:
        """Have the pairs that JSON makes lists of as they were."""
        for field in ("policy_options", "workload_options"):
            object.__setattr__(self, field, tuple((name, value) for name, value in getattr(self, field)))

    def describe(self) -> dict[str, object]:
        """Return the run by field name."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the run as one line of JSON."""
        return json.dumps(self.describe())

    @classmethod
    def from_json(cls, text: str) -> RunConfig:
        """Read a run back; raise UsageError for text that is no run of this version."""
        try:
            values = json.loads(text)
        except ValueError as error:
            raise UsageError(f"the run configuration is no JSON: {error}") from None
        known = {field.name for field in fields(cls)}
        if not isinstance(values, dict) or not values.keys() <= known:
            raise UsageError("the run configuration has unknown fields", f"known are: {', '.join(sorted(known))}")
        return cls(**values)
