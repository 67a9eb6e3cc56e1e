"""Which optional parts are installed. None of them is imported."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from radixtop.check import Finding, Status, Subject

EXTRAS = {
    "parquet": ("pyarrow", "profile export --format parquet"),
    "web": ("textual_serve", "radixtop web"),
}
"""Extra -> the module that it brings, and what needs it; those with a check of their own are left out."""

_ALWAYS = ("zmq", "msgspec", "prometheus_client", "numpy")


def check(subject: Subject) -> Iterator[Finding]:
    """Look for the module of every extra, and for those that nothing works without."""
    for extra, (module, need) in EXTRAS.items():
        if find_spec(module) is not None:
            yield Finding(Status.OK, extra, f"{need} works")
        else:
            says = f"{module} is not installed: no {need}"
            yield Finding(Status.MISSING, extra, says, f"pip install 'radixtop[{extra}]'")
    gone = [module for module in _ALWAYS if find_spec(module) is None]
    if gone:
        yield Finding(Status.MISSING, "packages", f"not installed: {', '.join(gone)}", "pip install radixtop")
