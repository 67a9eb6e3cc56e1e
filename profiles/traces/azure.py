"""The lengths that Azure published, which are no trace for a cache: they say nothing of what prompts share.

TIMESTAMP,ContextTokens,GeneratedTokens
"""

from __future__ import annotations

from pathlib import Path

from profiles.trace import Trace, TraceError
from profiles.trace_format import TraceFormat, TraceHead

_COLUMNS = (b"TIMESTAMP", b"ContextTokens", b"GeneratedTokens")


class AzureLengths(TraceFormat):
    """Known so that it can be told what is missing."""

    def fits(self, head: TraceHead) -> bool:
        """See TraceFormat."""
        return tuple(column.strip() for column in head.line.split(b",")) == _COLUMNS

    def open(self, path: Path) -> Trace:
        """Raise TraceError: every cache would have 0 % hits of these prompts, or 100 %, as one makes them up."""
        problem = f"{path} has arrivals and lengths, but no prefixes: what prompts share is not in it"
        raise TraceError(problem, "take a trace with token ids or block hashes, such as Mooncake's")
