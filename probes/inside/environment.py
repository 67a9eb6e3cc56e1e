"""What an engine's environment needs so that it loads our probes, without an installation in its Python.

    FOLDER/probes, FOLDER/cache_core           links to these packages
    FOLDER/radixtop-V.dist-info/               names the entry points that both engines look for

The folder is put last on PYTHONPATH. It lies beside the rings, where nobody else can write.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree

from probes.errors import RingError
from probes.inside.plugin import SWITCH
from probes.rings.folder import default_folder, make_folder

PACKAGES = ("cache_core", "probes")
"""What runs in an engine's process; the rest of radixtop stays out, and so does what is installed beside it."""

GROUPS = ("sglang.srt.plugins", "vllm.general_plugins")
NAME = "radixtop"
ALLOWED = ("SGLANG_PLUGINS", "VLLM_PLUGINS")
"""Lists of the plugins that an engine may load; without one it loads all."""


def with_probes(environment: Mapping[str, str], version: str) -> dict[str, str]:
    """Return an environment in which the engines load our probes. Raises RingError where their files cannot be."""
    changed = {**environment, SWITCH: "1"}
    paths = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    folder = str(import_folder(version))
    changed["PYTHONPATH"] = os.pathsep.join([*(path for path in paths if path != folder), folder])
    for name in ALLOWED:
        if name in environment:
            plugins = [plugin for plugin in environment[name].split(",") if plugin]
            changed[name] = ",".join(dict.fromkeys([*plugins, NAME]))
    return changed


def import_folder(version: str, beside: Path | None = None) -> Path:
    """Make the folder, unless it is there, and return it. Raises RingError."""
    homes = {package: _home(package) for package in PACKAGES}
    digest = blake2b(repr((version, homes)).encode(), digest_size=6).hexdigest()
    folder = make_folder(beside or default_folder()) / f"import-{digest}"
    if not folder.is_dir():
        fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
        try:
            _fill(fresh, homes, version)
            _put(fresh, folder)
        except OSError as error:
            raise RingError(f"cannot make {folder}: {error.strerror}", "free some room there") from error
    return folder


def _home(package: str) -> str:
    """Return the folder of one of our packages."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise RingError(f"the package {package} is in no folder", "install radixtop with pip")
    return os.path.abspath(next(iter(spec.submodule_search_locations)))


def _fill(folder: Path, homes: Mapping[str, str], version: str) -> None:
    folder.mkdir(mode=0o700)
    for package, home in homes.items():
        (folder / package).symlink_to(home, target_is_directory=True)
    about = folder / f"{NAME}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\n")
    (about / "RECORD").write_text("")
    groups = (f"[{group}]\n{NAME} = probes.inside.plugin:load\n" for group in GROUPS)
    (about / "entry_points.txt").write_text("\n".join(groups))


def _put(fresh: Path, folder: Path) -> None:
    """Give a whole folder its name, unless somebody else was faster."""
    try:
        fresh.rename(folder)
    except OSError:
        rmtree(fresh)
        if not folder.is_dir():
            raise
