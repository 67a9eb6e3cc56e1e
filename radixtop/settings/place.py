"""Where a file of settings is looked for. Nothing of it is read here, and nothing imported that reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

VARIABLE = "RADIXTOP_CONFIG"
IN_FOLDER = "radixtop.toml"


def places(environment: Mapping[str, str], folder: Path) -> Iterator[Path]:
    """Yield where a file is looked for that nobody named: the first one that is there counts alone."""
    yield folder / IN_FOLDER
    home = environment.get("XDG_CONFIG_HOME") or ""
    if Path(home).is_absolute():
        yield Path(home) / "radixtop" / "config.toml"
    elif environment.get("HOME"):
        yield Path(environment["HOME"]) / ".config" / "radixtop" / "config.toml"


def find(named: Path | None, environment: Mapping[str, str], folder: Path) -> Path | None:
    """Return the file that a flag or RADIXTOP_CONFIG names, else the first that is there, or None."""
    if named is None and environment.get(VARIABLE):
        named = Path(environment[VARIABLE])
    if named is not None:
        return named
    return next((path for path in places(environment, folder) if path.exists()), None)
