"""A comparison as one JSON document: the same for any number of workers and in every run."""

from __future__ import annotations

from profiles.cost_model import DERIVED
from radixtop import __version__
from radixtop.compare.row import Comparison, Figures, Reference, Row
from radixtop.replay.settings import ReplaySettings

VERSION = 1
"""Grows when a key changes its meaning or goes; new keys may come without it."""


def document(comparison: Comparison, base: ReplaySettings) -> dict[str, object]:
    """Return a comparison over `base` as JSON-able values."""
    source = comparison.source
    best = next((number for number, row in enumerate(comparison.rows) if row.is_best), None)
    return {
        "report": "compare",
        "version": VERSION,
        "radixtop": __version__,
        "trace": {
            "name": source.name, "requests": source.requests, "block_tokens": source.block_tokens,
            "recorded": None if source.recorded is None else figures_document(source.recorded),
            "replayed_points_off": comparison.points_off, "missing": source.missing.document(),
        },
        "seed": base.seed,
        "varied": list(comparison.keys),
        "settings": base.document(),
        "rows": [_row(row) for row in comparison.rows],
        "best": best,
        "front": [number for number, row in enumerate(comparison.rows) if row.on_front],
        "references": [_reference(reference) for reference in comparison.references],
        "curve": [{"slots": slots, "hit_rate": rate} for slots, rate in comparison.curve],
        "notes": list(comparison.notes),
        DERIVED: ["ttft_ms"],
    }  # fmt: skip


def figures_document(figures: Figures | None) -> dict[str, object]:
    """Return figures by name; what is not known is null."""
    if figures is None:
        return {"hit_rate": None, "hit_tokens": None, "queried_tokens": None}
    return {
        "hit_rate": figures.hit_rate,
        "hit_tokens": figures.hit_tokens,
        "queried_tokens": figures.queried_tokens,
        "requests": figures.requests,
        "refused": figures.refused,
        "reach": figures.reach,
        "evicted_tokens": figures.evicted_tokens,
        "missed_tokens": figures.missed_tokens,
        "ttft_ms": figures.ttft_ms,
    }


def _row(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "level": "tokens",
        "varied": dict(row.varied),
        **figures_document(row.figures),
        "slots": dict(row.slots),
        "memory_bytes": row.memory_bytes,
        "recorded": row.is_recorded,
        "pareto": row.on_front,
        "best": row.is_best,
        "saved_tokens_per_gib": row.saved_tokens_per_gib,
        "saved_tokens_per_1k_slots": row.saved_tokens_per_1k_slots,
        "failed": row.failure or None,
    }


def _reference(reference: Reference) -> dict[str, object]:
    return {
        "name": reference.name,
        "level": reference.level,
        "slots": reference.slots,
        **figures_document(reference.figures),
        "failed": reference.failure or None,
    }
