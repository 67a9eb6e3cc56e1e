"""What a replay of a trace goes by: the cache, the engine around it, its speed, and what of the trace is taken."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from cache_core.branching import floor_page
from cache_core.config import CacheConfig
from cache_core.control import CACHES
from cache_core.engine.config import EngineConfig
from cache_core.errors import ConfigError
from cache_core.schedule import SCHEDULES, ScheduleConfig
from profiles.step_costs import LLAMA_3_8B_STEPS, StepCosts

Granularity = Literal["all", "blocks"]
"""Whether a replay works on every token of a prompt, or on the blocks of its trace."""

_LEAST = {"chunk_size": 1, "concurrency": 1, "closed_loop": 1, "limit": 1, "warm_up": 0, "schedule_limit": 0}
_POOLS = ("full_slots", "swa_slots", "mamba_slots", "host_slots", "swa_host_slots", "mamba_host_slots")
_OF_STATES = {"mamba_slots", "mamba_host_slots"}
"""Pools of states, which know no pages."""


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """The settings of one replay; JSON-able both ways. Raises ConfigError for what cannot be replayed.

    `cache` is the kind of cache. `chunk_size` is how many prompt tokens a step computes at most, `concurrency` how
    many requests run at once. With `tokens` "blocks" each block of the trace is one token of the cache and weighs as
    many as it stands for: much faster, for a cache of one component and page 1, and nothing is decoded. `outputs`
    says whether answers are decoded and cached; without, a request ends with its first token.

    Requests arrive `speed` times as fast as the trace says, or with a `closed_loop` whenever fewer than so many are
    outstanding. With `sessions` a request waits for the one before it in its session. `limit` is how many requests of
    the trace are taken, the first `warm_up` of which do not count. `misses` says whether the missed tokens are told
    apart by cause, which takes a few times as long.
    """

    config: CacheConfig
    cache: str = "prefix"
    tokens: Granularity = "all"
    outputs: bool = True
    chunk_size: int = 8192
    concurrency: int = 64
    schedule: str = "fcfs"
    schedule_limit: int | None = 128
    costs: StepCosts = LLAMA_3_8B_STEPS
    speed: float = 1.0
    closed_loop: int | None = None
    sessions: bool = True
    limit: int | None = None
    warm_up: int = 0
    seed: int = 0
    misses: bool = False

    def __post_init__(self) -> None:
        if self.tokens not in get_args(Granularity):
            raise ConfigError(f"tokens is {self.tokens!r}; choose from: {', '.join(get_args(Granularity))}")
        for name, table in (("cache", CACHES), ("schedule", SCHEDULES)):
            if getattr(self, name) not in table:
                raise ConfigError(f"unknown {name} {getattr(self, name)!r}; choose from: {', '.join(table)}")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            optional = name in ("closed_loop", "limit", "schedule_limit")
            if not (optional and value is None) and (type(value) is not int or value < least):
                raise ConfigError(f"{name} is {value!s:.40}; a whole number of at least {least} is needed")
        if type(self.seed) is not int:
            raise ConfigError(f"seed is {self.seed!s:.40}; a whole number is needed")
        if not isinstance(self.speed, int | float) or not 0 < self.speed < math.inf:
            raise ConfigError(f"speed is {self.speed}; it must be above 0")
        if self.tokens == "blocks":
            self._check_blocks()

    def _check_blocks(self) -> None:
        config = self.config
        fits = (
            config.components == ("full",) and config.page_size == 1 and not config.bigram and not config.host_slots
        )
        if not fits:
            raise ConfigError(
                "tokens 'blocks' needs the component full alone, page_size 1, no bigram and no host_slots"
            )
        if self.cache == "block_hash":
            raise ConfigError("tokens 'blocks' is for the cache 'prefix' and 'chunk': use tokens 'all'")
        if self.outputs:
            raise ConfigError("tokens 'blocks' decodes nothing: turn outputs off, or use tokens 'all'")
        if self.misses:
            raise ConfigError("tokens 'blocks' tells no misses apart: use tokens 'all'")

    def engine_config(self) -> EngineConfig:
        """Return the settings of the engine."""
        return EngineConfig(
            chunk_size=self.chunk_size,
            concurrency=self.concurrency,
            seed=self.seed,
            schedule=self.schedule,
            schedule_config=ScheduleConfig(limit=self.schedule_limit, seed=self.seed),
        )

    def changed(self, **values: Any) -> ReplaySettings:
        """Return settings in which some differ, of these or of the cache's, by name; nothing else does.

        With another `page_size` all pools are rounded down to pages. Raises ConfigError for a name that does not
        exist.
        """
        of_config = {field.name for field in fields(CacheConfig)}
        unknown = values.keys() - of_config - {field.name for field in fields(self)}
        if unknown:
            raise ConfigError(f"a replay has no setting {', '.join(sorted(unknown))}")
        for_config = {name: values.pop(name) for name in [*values] if name in of_config}
        if for_config:
            values["config"] = _changed_cache(values.pop("config", self.config), for_config)
        return replace(self, **values)

    def scaled(self, **values: Any) -> ReplaySettings:
        """Return settings as `changed` does; with other `full_slots` pools not named keep their ratio to it."""
        config, full_slots = self.config, values.get("full_slots")
        page = values.get("page_size", config.page_size)
        if type(full_slots) is int:
            for name in _POOLS:
                slots = getattr(config, name)
                if name not in values and slots:
                    scaled = slots * full_slots // config.full_slots
                    values[name] = max(1, scaled) if name in _OF_STATES else max(page, floor_page(scaled, page))
        return self.changed(**values)

    def document(self) -> dict[str, object]:
        """Return every setting as JSON-able values."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**plain, "config": asdict(self.config), "costs": self.costs.document()}

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> ReplaySettings:
        """Read back what `document` returned. Raises ConfigError for what is none."""
        unknown = document.keys() - {field.name for field in fields(cls)}
        config, costs = document.get("config"), document.get("costs")
        if unknown or not isinstance(config, dict) or not isinstance(costs, dict):
            raise ConfigError("these are no settings of a replay")
        options = tuple((name, number) for name, number in config.get("policy_options", ()))
        made = CacheConfig(**{**config, "policy_options": options})
        return cls(**{**document, "config": made, "costs": StepCosts.from_document(costs)})  # type: ignore[arg-type]


def _changed_cache(config: CacheConfig, values: dict[str, Any]) -> CacheConfig:
    if "policy" in values and "policy_options" not in values and values["policy"] != config.policy:
        values["policy_options"] = ()
    for name in ("page_size", "full_slots"):
        value = values.get(name, 1)
        if type(value) is not int or value < 1:
            raise ConfigError(f"{name} is {value!s:.40}; a whole number of at least 1 is needed")
    page = values.get("page_size", config.page_size)
    components = values.get("components", config.components)
    for name in _POOLS:
        slots = getattr(config, name)
        if slots and name not in values and name not in _OF_STATES:
            values[name] = max(page, floor_page(slots, page))
    for component in ("swa", "mamba"):
        if component not in components:
            for name in (f"{component}_slots", f"{component}_host_slots"):
                values[name] = None
    return replace(config, **values)
