"""What can go wrong when a program is profiled, told as what, where, and what to do."""

from __future__ import annotations

from probes.errors import ProbeError


class ProfilingError(ProbeError):
    """No profile of a program could be made."""
