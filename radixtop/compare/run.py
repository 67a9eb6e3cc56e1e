"""From the flags of `radixtop compare` to a table, a document and a picture."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profiles.picture import PICTURES, Picture, PictureFormat
from profiles.plain import json_text
from profiles.presets import preset_of
from radixtop.compare.combinations import Axis, axes_of, combinations
from radixtop.compare.engine import SWEEP_ENGINES, SweepEngine
from radixtop.compare.plan import Task
from radixtop.compare.progress import shown
from radixtop.compare.row import Source
from radixtop.compare.source import lengths_of, recorded_figures, source_of
from radixtop.errors import FAILED, OK, UsageError
from radixtop.output import opened as written
from radixtop.output import spare, tell_missing, tell_written
from radixtop.render.lines import Line
from radixtop.render.printing import print_lines, width_of_output
from radixtop.replay.opening import is_recording, opened

OF_THE_CACHE = frozenset({
    "cache", "components", "page_size", "window", "memory", "full_slots", "swa_slots", "swa_ratio", "swa_eviction",
    "mamba_slots", "mamba_chunk", "host_slots", "write_policy", "policy", "policy_options", "evictor", "branching",
})  # fmt: skip
"""Flags that say what a recording says itself."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for: the flags by name, those of a replay among them, and which of them were given."""

    flags: Mapping[str, Any]
    given: Collection[str]

    @property
    def path(self) -> Path:
        """The trace or recording."""
        path = self.flags["trace"]
        assert isinstance(path, Path), f"{path=}"
        return path


def run(asked: Asked) -> int:
    """Carry out what is asked for and return the exit code: FAILED when a row is missing."""
    flags = asked.flags
    axes = axes_of(flags["vary"])
    draws = _format_of(flags["output"], asked.path)
    if flags["curve"] and axes:
        raise UsageError("--curve has every size already", "leave --vary out, or --curve")
    if flags["sample"] is not None and not flags["curve"]:
        raise UsageError("--sample does nothing without --curve", "add that, or leave it out")
    engine = _engine(flags)
    task, source = _opened(asked, _slot_bytes(flags["preset"]), [axis.key for axis in axes])
    if flags["curve"]:
        return _curve(asked, task, source, engine, draws)
    return _table(asked, task, source, engine, draws, axes)


def _opened(asked: Asked, slot_bytes: Mapping[str, float], varied: Collection[str]) -> tuple[Task, Source]:
    """Open what is compared and look through it."""
    flags, path = asked.flags, asked.path
    clash = sorted(OF_THE_CACHE & set(asked.given)) if is_recording(path) else []
    if clash:
        name = clash[0].replace("_", "-")
        raise UsageError(f"--{name} is what {path} says itself", f"vary it: --vary {clash[0]}=...")
    found = opened(path, flags, asked.given, varied)
    trace, base, was = found.trace, found.settings, None
    if found.recorded is not None:
        was = recorded_figures(path, found.recorded)
        slot_bytes = slot_bytes or found.recorded.slot_bytes
    lengths = lengths_of(trace, base.limit)
    task = Task(path, flags["format"], base, lengths, slot_bytes)
    tell_missing(trace.name, found.missing)
    return task, source_of(found, lengths, was)


def _table(
    asked: Asked, task: Task, source: Source, engine: SweepEngine, draws: PictureFormat | None, axes: Sequence[Axis]
) -> int:
    from radixtop.compare.document import document
    from radixtop.compare.picture import pictured
    from radixtop.compare.sweep import Sweep, swept
    from radixtop.compare.text import lines

    chosen = combinations(task.base, axes, _full_slot_bytes(task))
    if source.recorded is not None:
        known = {each.settings for each in chosen}
        chosen = (*chosen, *(each for each in combinations(task.base, ()) if each.settings not in known))
    sweep = Sweep(task, source, chosen, tuple(axis.key for axis in axes), asked.flags["references"])
    with shown(source.name, sweep.passes, source.requests) as told:
        found = swept(sweep, engine, told)
    _write(asked, lambda: document(found, task.base), lambda: lines(found, width_of_output()))
    _draw(asked.flags["output"], draws, lambda: pictured(found))
    return FAILED if found.has_failed else OK


def _curve(asked: Asked, task: Task, source: Source, engine: SweepEngine, draws: PictureFormat | None) -> int:
    from radixtop.compare.curve import curve_of, rate_of
    from radixtop.compare.curve_text import document, lines, pictured

    with shown(source.name, 1, source.requests) as told:
        curve = curve_of(engine, task, source, told, rate_of(asked.flags["sample"], task))
    _write(asked, lambda: document(curve), lambda: lines(curve, width_of_output()))
    _draw(asked.flags["output"], draws, lambda: pictured(curve))
    return OK


def _slot_bytes(preset: str | None) -> dict[str, float]:
    """Return what a slot of each pool takes of a model, as far as that is known."""
    model = None if preset is None else preset_of(preset)
    if model is None or model.full_kv_bytes is None:
        return {}
    windows = {} if model.window_kv_bytes is None else {"swa": float(model.window_kv_bytes)}
    return {"full": float(model.full_kv_bytes), **windows}


def _full_slot_bytes(task: Task) -> float | None:
    """Return what a slot of the full pool takes together with its share of the windows."""
    config, sizes = task.base.config, task.slot_bytes
    if "full" not in sizes:
        return None
    if "swa" not in config.components or config.swa_slots is None:
        return sizes["full"]
    return sizes["full"] + sizes.get("swa", 0.0) * config.swa_slots / config.full_slots


def _engine(flags: Mapping[str, Any]) -> SweepEngine:
    if flags["address"] is not None and flags["engine"] == "local":
        raise UsageError("--address does nothing with --engine local", "add --engine ray, or leave it out")
    workers = flags["workers"] or len(os.sched_getaffinity(0))
    engine = SWEEP_ENGINES.load(flags["engine"])(workers, flags["address"])
    engine.require()
    return engine


def _format_of(output: Path | None, source: Path) -> PictureFormat | None:
    """Return the format that a file name asks for. Raises UsageError for a name that asks for none."""
    if output is None:
        return None
    name = output.suffix.removeprefix(".").lower()
    if name not in PICTURES:
        endings = ", ".join(f".{known}" for known in PICTURES)
        raise UsageError(f"{output} ends like no picture", f"choose from: {endings}")
    spare(source, output)
    format = PICTURES.load(name)()
    format.require()
    return format


def _write(asked: Asked, document: Callable[[], Mapping[str, object]], lines: Callable[[], Iterable[Line]]) -> None:
    """Write the document or the lines to stdout."""
    if asked.flags["json"]:
        sys.stdout.write(json_text(document(), indent=2) + "\n")
    else:
        print_lines(lines())
    sys.stdout.flush()


def _draw(output: Path | None, format: PictureFormat | None, picture: Callable[[], Picture]) -> None:
    if output is None or format is None:
        return
    with written(output, is_text=format.is_text) as out:
        format.write(picture(), out)
    tell_written(output)
