"""What decides whether one process may look into another, read from /proc."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CAP_SYS_PTRACE = 19


@dataclass(frozen=True, slots=True)
class OurRights:
    """This process: who it is, what it may, and where. `ptrace_scope` is None on a kernel without Yama."""

    platform: str
    uid: int
    capabilities: int = 0
    ptrace_scope: int | None = None
    in_container: bool = False

    @property
    def may_trace_anyone(self) -> bool:
        """Whether it has CAP_SYS_PTRACE."""
        return bool(self.capabilities >> CAP_SYS_PTRACE & 1)


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """The process to look into. One that cannot be dumped hides from others of its own user."""

    pid: int
    uids: tuple[int, ...] = ()
    capabilities: int = 0
    is_dumpable: bool = True
    threads: int = 1
    name: str = ""


def our_rights() -> OurRights:
    """Return the facts about this process."""
    capabilities = int(_status("self").get("CapEff", "0"), 16)
    return OurRights(sys.platform, os.geteuid(), capabilities, _ptrace_scope(), _in_container())


def target_facts(pid: int) -> TargetFacts | None:
    """Return what is known of a process, or None when there is none that runs."""
    status = _status(str(pid))
    if not status or status["State"][0] in "ZX":
        return None
    uids = tuple(int(uid) for uid in status["Uid"].split()[:3])
    return TargetFacts(
        pid,
        uids,
        int(status.get("CapPrm", "0"), 16),
        _is_dumpable(pid, uids[1]),
        int(status["Threads"]),
        status["Name"],
    )


def command_of(pid: int) -> str:
    """Return the command line of a process, or "?" where that cannot be read."""
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        raw = b""
    return raw.replace(b"\0", b" ").decode("utf-8", "replace").strip() or "?"


def _status(process: str) -> Mapping[str, str]:
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}


def _is_dumpable(pid: int, effective_uid: int) -> bool:
    """Tell by the owner of its folder, which is root for a process that cannot be dumped."""
    try:
        return os.stat(f"/proc/{pid}/fd").st_uid == effective_uid
    except OSError:
        return True


def _ptrace_scope() -> int | None:
    try:
        return int(Path("/proc/sys/kernel/yama/ptrace_scope").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _in_container() -> bool:
    marks = ("/.dockerenv", "/run/.containerenv")
    return "KUBERNETES_SERVICE_HOST" in os.environ or any(map(os.path.exists, marks))
