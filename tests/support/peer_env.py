"""Installs the engines whose caches tests drive, beside what runs here and without what they need for models.

    eval "$(python -m tests.support.peer_env FOLDER)"

installs SGLang and vLLM into folders of their own below FOLDER, with pip, for this interpreter: torch, numpy and the
like are those that it has. SGLang comes as its wheel; vLLM as its sources, of which only the Python is taken, since
its wheels are ten times as large. On stdout are shell commands that set what the tests look for; whatever cannot be
had is told on stderr, in a line each, and the tests that need it do not run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from shlex import quote

SGLANG = ("0.5.20", "0.5.23")
VLLM = ("0.12.0", "0.33.0")

_WAIT_S = 240
_LONGEST_REASON = 160


@dataclass(frozen=True, slots=True)
class Part:
    """What pip puts into a folder, and with which of its options and variables."""

    folder: str
    packages: Sequence[str]
    options: Sequence[str] = ("--only-binary", ":all:", "--no-deps")
    variables: Mapping[str, str] = field(default_factory=dict)


SGLANG_NEEDS = Part("sglang-needs", ("dill", "orjson", "regex"))
VLLM_NEEDS = Part(
    "vllm-needs", ("blake3", "cachetools", "cbor2", "cloudpickle", "pydantic", "regex"), ("--only-binary", ":all:")
)
BUILDS_VLLM = Part(
    "builds-vllm",
    ("setuptools>=77.0.3,<80", "setuptools-scm", "setuptools-rust", "wheel", "packaging", "jinja2"),
    ("--only-binary", ":all:"),
)


def sglang(version: str) -> Part:
    """Return a version of SGLang alone."""
    return Part(f"sglang-{version}", (f"sglang=={version}",))


def vllm(version: str, root: Path) -> Part:
    """Return the Python of a version of vLLM alone: of its sources, nothing is compiled for the device "empty"."""
    return Part(
        f"vllm-{version}",
        (f"vllm=={version}",),
        ("--no-binary", "vllm", "--no-deps", "--no-build-isolation"),
        {
            "PYTHONPATH": str(root / BUILDS_VLLM.folder),
            "VLLM_TARGET_DEVICE": "empty",
            "VLLM_VERSION_OVERRIDE": version,
        },
    )


def install(part: Part, root: Path) -> bool:
    """Install a part and say whether that went well; tell on stderr, in one line, when it did not."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--no-input", "--retries", "1"]
    command += [*part.options, "--target", str(root / part.folder), *part.packages]
    variables = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **part.variables}
    with tempfile.TemporaryFile("w+") as said:
        try:
            code = subprocess.run(command, stdout=said, stderr=said, env=variables, timeout=_WAIT_S).returncode
            reason = "" if code == 0 else _last_error(said)
        except subprocess.TimeoutExpired:
            reason = f"not done within {_WAIT_S} s"
    if reason:
        print(f"peers: {' '.join(part.packages)} cannot be installed: {reason}", file=sys.stderr)
    return not reason


def _last_error(said: object) -> str:
    """Return the last line of an error of pip."""
    said.seek(0)  # type: ignore[attr-defined]
    lines = [line.strip() for line in said if line.strip()]  # type: ignore[attr-defined]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or ["pip failed"])[-1][:_LONGEST_REASON]


def build(root: Path) -> list[str]:
    """Install all that can be had, side by side, and return shell commands that name it."""
    with ThreadPoolExecutor(3) as pool:
        sources = pool.submit(lambda: install(BUILDS_VLLM, root) and install(VLLM_NEEDS, root))
        small = pool.submit(install, SGLANG_NEEDS, root)
        wheels = [(version, pool.submit(install, sglang(version), root)) for version in SGLANG]
        built = [
            (version, pool.submit(lambda part: sources.result() and install(part, root), vllm(version, root)))
            for version in VLLM
        ]
        peers = [
            f"sglang-{version}={sys.executable}:{root / f'sglang-{version}'}:{root / SGLANG_NEEDS.folder}"
            for version, done in wheels
            if done.result() and small.result()
        ]
        others = [
            f"{sys.executable}:{root / f'vllm-{version}'}:{root / VLLM_NEEDS.folder}"
            for version, done in built
            if done.result()
        ]
    named = {"RADIXTOP_PEERS": ",".join(peers), "RADIXTOP_VLLM": ",".join(others)}
    return [f"export {name}={quote(value)}" for name, value in named.items() if value]


def main() -> None:
    """Build below the folder that the command line names."""
    if find_spec("torch") is None:
        print("peers: not installed, since they need torch: pip install radixtop[live]", file=sys.stderr)
        return
    print("\n".join(build(Path(sys.argv[1]).resolve())))


if __name__ == "__main__":
    main()
