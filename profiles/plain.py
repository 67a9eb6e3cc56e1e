"""Frozen values as what JSON knows, and documents as its text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass


def plain(value: object) -> object:
    """Return a value as what JSON knows: a dataclass is its fields by name, others are text.

    Unknown is null, and so is a figure that is not finite: JSON has no sign for it.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def json_text(
    document: object,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    is_ascii: bool = True,
) -> str:
    """Return a document as JSON that any reader takes; see `plain` for what is not finite."""
    try:
        return json.dumps(document, allow_nan=False, indent=indent, separators=separators, ensure_ascii=is_ascii)
    except ValueError:
        return json_text(plain(document), indent, separators, is_ascii)
