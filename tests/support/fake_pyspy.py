"""A stand-in for py-spy: a script that behaves as one of its runs did, so that each of its failures can be met."""

from __future__ import annotations

import sys
from pathlib import Path

_SCRIPT = """#!{python}
import os, signal, sys, time
arguments = sys.argv[1:]
out = arguments[arguments.index("--output") + 1] if "--output" in arguments else "/dev/null"
def write(data, samples=1, errors=0):
    with open(out, "w") as file:
        file.write(data)
    print(f"py-spy> Wrote raw flamegraph data to {{out!r}}. Samples: {{samples}} Errors: {{errors}}", flush=True)
{body}
"""


def fake_pyspy(folder: Path, body: str) -> Path:
    """Make a py-spy in a folder that runs `body`, which has `arguments` and `write`, and return the folder."""
    program = folder / "py-spy"
    program.write_text(_SCRIPT.format(python=sys.executable, body=body), encoding="utf-8")
    program.chmod(0o755)
    return folder


def failing(code: int, said: str) -> str:
    """Return the body of a run that says something on stderr and ends with a code."""
    return f"sys.stderr.write({said!r})\nsys.exit({code})"
