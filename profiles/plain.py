"""Frozen values as what JSON knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass


def plain(value: object) -> object:
    """Return a value as what JSON knows: a dataclass is its fields by name, unknown is null, others are text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
