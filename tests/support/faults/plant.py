"""What a recording of the lab is made from: a live run, and what is done to its workload."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from profiles.workload import Workload
from profiles.workload_options import make_workload
from radixtop.serving.embedded import build_workload
from radixtop.serving.run_config import RunConfig
from tests.support.faults.loads import Flood, Habits, Spoiled

Names = Literal["texts", "roles", "none"]

LEAF_TOKENS = 4
"""The length of an entry that is in the cache before the run."""


@dataclass(frozen=True, slots=True)
class Plant:
    """A run as `radixtop live` would make it, with habits of some prompts from number `first` on.

    `habits` are workload options of so many of the prompts (0..1) by name and value; `flood` is the share of prompts
    that a tenant floods the cache with. `leaves` are short entries that are in the cache before the run; with any the
    clock goes on, too, while the cache works. Parts of prompts have the `names` of their
    texts, of roles, or none.
    """

    run: RunConfig
    habits: tuple[tuple[str, str, float], ...] = ()
    flood: float = 0.0
    first: int = 0
    leaves: int = 0
    names: Names = "texts"

    def told(self, **options: object) -> Plant:
        """Return the plant with more workload options."""
        merged = {**dict(self.run.workload_options), **{name: str(value) for name, value in options.items()}}
        return self.with_run(workload_options=tuple(merged.items()))

    def with_run(self, **settings: object) -> Plant:
        """Return the plant with other settings of its run."""
        return replace(self, run=replace(self.run, **settings))  # type: ignore[arg-type]

    def workload(self) -> Workload:
        """Return what is asked for."""
        run = self.run
        vocabulary = build_workload(run).config.vocabulary

        def make(options: tuple[tuple[str, str], ...]) -> Workload:
            return make_workload(run.workload, (*run.workload_options, *options), run.seed, vocabulary)

        made: Workload = Habits(make, self.habits, self.first)
        return Spoiled(made, Flood(made), self.flood, self.first) if self.flood else made
