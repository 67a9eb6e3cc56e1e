"""What an engine is started with. Needs no torch, so that a screen may read and print it."""

from __future__ import annotations

from dataclasses import dataclass, field

from cache_core.engine.shape import SHAPES, ModelShape
from cache_core.errors import ConfigError
from cache_core.schedule import SCHEDULES, ScheduleConfig

DEVICES = ("auto", "cpu", "cuda")
DTYPES = ("float32", "bfloat16")


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """The switches of one engine. Raises ConfigError for a value that no engine can run with.

    `chunk_size` is how many prompt tokens one step computes at most, `concurrency` how many requests run at
    once. `dtype` None means bfloat16 on CUDA and float32 on a CPU. `threads` is torch's thread count on a CPU,
    a setting of the whole process; None leaves it alone. `reserve_tokens` is the room that admission keeps
    for the output of each running request. Two best logits closer than `near_tie` count as a tie. `schedule` says
    who of those that wait is admitted next, by the switches of `schedule_config`.
    """

    model: str = "tiny"
    device: str = "cpu"
    dtype: str | None = None
    chunk_size: int = 512
    concurrency: int = 4
    seed: int = 0
    threads: int | None = 1
    reserve_tokens: int = 32
    near_tie: float = 1e-4
    schedule: str = "fcfs"
    schedule_config: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __post_init__(self) -> None:
        _choice("model", self.model, tuple(SHAPES))
        _choice("device", self.device, DEVICES)
        _choice("schedule", self.schedule, SCHEDULES.names)
        if self.dtype is not None:
            _choice("dtype", self.dtype, DTYPES)
        for name in ("chunk_size", "concurrency"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.threads is not None and self.threads < 1:
            raise ConfigError(f"threads must be at least 1, not {self.threads}")
        if self.reserve_tokens < 0:
            raise ConfigError(f"reserve_tokens must not be negative, but is {self.reserve_tokens}")

    @property
    def shape(self) -> ModelShape:
        """The sizes of the model."""
        return SHAPES[self.model]


def _choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"unknown {name} {value!r}; choose from: {', '.join(choices)}")
