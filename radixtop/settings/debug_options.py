"""What --debug-options prints: every setting and every action with its value, and where that came from."""

from __future__ import annotations

from collections.abc import Iterator

from radixtop.printable import clean
from radixtop.settings.kind import Value
from radixtop.settings.rebind import is_fixed, rebound
from radixtop.settings.setting import SETTINGS
from radixtop.settings.settle import Settled

Row = tuple[str, str, str]


def told(settled: Settled) -> Iterator[str]:
    """Yield lines of plain text, always in the same order: settings, then the keys of every action, then the file."""
    rows = [*_settings(settled), *_keys(settled)]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, value, origin in (("setting", "value", "from"), *rows):
        yield clean(f"{name:<{wide[0]}}  {value:<{wide[1]}}  {origin}")
    yield clean(f"{'file':<{wide[0]}}  {settled.file or 'none'}")


def _settings(settled: Settled) -> Iterator[Row]:
    for each in SETTINGS:
        yield each.name, _written(getattr(settled.settings, each.name)), settled.origins[each.name]


def _keys(settled: Settled) -> Iterator[Row]:
    for key in rebound(settled.settings.keys):
        if not is_fixed(key):
            yield f"keys.{key.name}", key.names, settled.origins.get(key.name, "default")


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
