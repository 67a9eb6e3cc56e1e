"""Whether code can be sampled: py-spy, and the right to look into other processes."""

from __future__ import annotations

from collections.abc import Iterator

from profiles.cpu.facts import OurRights, our_rights
from profiles.cpu.pyspy import find_pyspy
from profiles.cpu.rights import CAPABILITY, LAUNCH
from profiles.errors import ProfilingError
from radixtop.check import Finding, Status, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Look for py-spy and for what this process may."""
    try:
        yield Finding(Status.OK, "py-spy", find_pyspy())
    except ProfilingError as error:
        yield Finding(Status.MISSING, "py-spy", f"{error.message}: no profile cpu", error.hint)
    yield finding_of(our_rights())


def finding_of(ours: OurRights) -> Finding:
    """Return what rights mean for sampling processes that run already."""
    scope = ours.ptrace_scope
    said = "" if scope is None else f" (kernel.yama.ptrace_scope is {scope})"
    if scope == 3:
        says = f"nobody may look into a process{said}"
        return Finding(Status.MISSING, "sampling", says, "sample on another machine")
    if ours.may_trace_anyone:
        return Finding(Status.OK, "sampling", f"any process may be looked into{said}")
    way = CAPABILITY if ours.in_container or ours.uid == 0 else "run radixtop with sudo"
    if scope == 2:
        return Finding(Status.WARN, "sampling", f"only root may look into processes{said}", way)
    if scope == 1:
        return Finding(Status.WARN, "sampling", f"only a parent may look into a process{said}", f"{LAUNCH}; or {way}")
    return Finding(Status.OK, "sampling", f"processes of this user may be looked into{said}")
