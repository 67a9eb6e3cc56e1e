"""The speed of the model that serves the live workload: as a table, or one document."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict

from cache_core.bench.table import table
from cache_core.engine import EngineConfig
from cache_core.engine.bench import SpeedFigures, measure_speed
from profiles.plain import json_text
from radixtop.bench.figures import narrate

AT_ONCE = (1, 4, 8)
"""How many requests decode at once; the first is what the others are compared with."""


def run(config: EngineConfig, prompt_tokens: int, output_tokens: int, as_json: bool) -> None:
    """Measure a model and write its speed to stdout."""
    narrate(f"{config.model} on {config.device}: prompts of {prompt_tokens:,} tokens, {output_tokens:,} decoded")
    speed = measure_speed(config, prompt_tokens, output_tokens, AT_ONCE)
    sys.stdout.write((json_text(document(speed), indent=1) if as_json else text(speed)) + "\n")


def document(speed: SpeedFigures) -> dict[str, object]:
    """Return the figures by name, and how many times as many tokens requests at once decode as one alone."""
    return {**asdict(speed), "decode_gain": _gain(speed)}


def text(speed: SpeedFigures) -> str:
    """Return what was measured in one line, then the speeds as a table."""
    rows: Sequence[tuple[str, str, str]] = [
        ("prefill, one prompt at a time", f"{speed.prefill_tokens_per_s:,.0f}", "-"),
        *(
            (f"decode, {count} at once", f"{speed.decode_tokens_per_s[count]:,.0f}", f"x{gain:.2f}")
            for count, gain in _gain(speed).items()
        ),
    ]
    about = f"{speed.model}, {speed.parameters:,} weights, on {speed.device}"
    return f"{about}\n\n{table(('step', 'tokens/s', 'of one alone'), rows)}"


def _gain(speed: SpeedFigures) -> dict[int, float]:
    alone = speed.decode_tokens_per_s[AT_ONCE[0]]
    return {count: tokens_per_s / alone for count, tokens_per_s in speed.decode_tokens_per_s.items()}
