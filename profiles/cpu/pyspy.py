"""Where py-spy is: beside this Python, in the user's own scripts, on the PATH."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig

from profiles.errors import ProfilingError

FOLDER_VARIABLE = "RADIXTOP_PYSPY_DIR"
"""The environment variable that names a folder with another py-spy; it comes first."""


def find_pyspy() -> str:
    """Return the path of py-spy. Raises ProfilingError where there is none."""
    name = "py-spy.exe" if os.name == "nt" else "py-spy"
    for folder in _folders():
        if folder and os.access(path := os.path.join(folder, name), os.X_OK):
            return path
    found = shutil.which(name)
    if found is None:
        raise ProfilingError("sampling a process needs py-spy, which is not installed", "pip install 'radixtop[cpu]'")
    return found


def _folders() -> tuple[str | None, ...]:
    return (
        os.environ.get(FOLDER_VARIABLE),
        os.path.dirname(sys.executable),
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", f"{os.name}_user"),
    )
