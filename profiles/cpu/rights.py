"""Whether a process may be sampled, and if not what to do: from facts to words, nothing is looked up here."""

from __future__ import annotations

from profiles.cpu.facts import OurRights, TargetFacts
from profiles.cpu.plan import MOST_THREADS
from profiles.errors import ProfilingError

LAUNCH = "start it under the profiler (radixtop profile cpu -- COMMAND), which needs no right"
CAPABILITY = (
    "give the container the right: docker run --cap-add SYS_PTRACE, in Kubernetes "
    "securityContext.capabilities.add: [SYS_PTRACE], or sample from the host as root"
)


def refusal_of_platform(ours: OurRights) -> ProfilingError | None:
    """Return why nothing can be sampled here, or None."""
    if ours.platform == "darwin" and ours.uid != 0:
        hint = "run it with sudo, on a Python that did not come with macOS"
        return ProfilingError("macOS lets only root look into a process", hint)
    return None


def refusal(ours: OurRights, target: TargetFacts) -> ProfilingError | None:
    """Return why a process may not be sampled by this one, or None when nothing speaks against it.

    The rules of ptrace(2), "Ptrace access mode checking", in their order, with Yama at the end.
    """
    if ours.platform != "linux":
        return refusal_of_platform(ours)
    who = f"process {target.pid}" + (f" ({target.name})" if target.name else "")
    if ours.ptrace_scope == 3:
        return ProfilingError(
            f"this machine lets nobody look into {who} (kernel.yama.ptrace_scope is 3, until it is rebooted)",
            "sample on another machine",
        )
    if ours.may_trace_anyone:
        return None
    if ours.ptrace_scope == 2:
        why = "this machine lets only root look into processes (kernel.yama.ptrace_scope is 2)"
        return ProfilingError(why, _become_root(ours))
    if any(uid != ours.uid for uid in target.uids):
        owner = next(uid for uid in target.uids if uid != ours.uid)
        why = f"{who} belongs to user {owner} and this is user {ours.uid}"
        return ProfilingError(why, f"run it as that user, or {_become_root(ours)}")
    if not target.is_dumpable:
        return ProfilingError(f"{who} has made itself unreadable (it cannot be dumped)", _become_root(ours))
    if target.capabilities & ~ours.capabilities:
        return ProfilingError(f"{who} has capabilities that this process lacks", _become_root(ours))
    if ours.ptrace_scope == 1:
        why = f"this machine lets only a parent look into {who} (kernel.yama.ptrace_scope is 1)"
        return ProfilingError(why, f"{LAUNCH}; or {_become_root(ours)}")
    return None


def refusal_to_stop(target: TargetFacts) -> ProfilingError | None:
    """Return why a process must not be stopped for every sample, or None when it has few threads."""
    if target.threads <= MOST_THREADS:
        return None
    return ProfilingError(
        f"process {target.pid} has {target.threads} threads, and --native and --blocking stop each of them for every "
        "sample, which can slow an engine down many times or hang it",
        "sample without them, or add --force",
    )


def denied(ours: OurRights, who: str) -> ProfilingError:
    """Return the words for a refusal that no fact foretold."""
    hint = f"run it as the user of {who}, or {_become_root(ours)}"
    return ProfilingError(f"{who} may not be looked into: the system denied it", hint)


def _become_root(ours: OurRights) -> str:
    if ours.in_container or ours.uid == 0:
        return CAPABILITY
    return "run it with sudo"
