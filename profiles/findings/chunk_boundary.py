"""Windows are left at the ends of chunks only, and matches land there, short of what is known."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, number_of, severity_of

_WARN, _ALARM = 0.10, 0.25
"""Whoever first leaves a stored prefix has to compute some of it again, however it was cut."""


class ChunkBoundary(Diagnosis):
    """Known tokens whose window nobody ever saw, though branching points are kept: it was never left there.

    Two windows of each such gap are what it costs to leave a prefix for the first time, in the smallest chunks.
    """

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        gap, chunk = evidence.account("window_never"), number_of(evidence.config, "chunk_size")
        tokens = min(gap.tokens, evidence.windows.beyond_tokens)
        cost = cost_of(evidence, tokens)
        if cost.share < NOTE or evidence.config.get("branching") is False:
            return None
        return Finding(
            name="chunk_boundary",
            title="Windows are left at chunk ends only: matches land there, short of what is known",
            severity=severity_of(cost.share, _WARN, _ALARM),
            cost=cost,
            confidence=Confidence("likely", "nobody saw a window where prompts leave what is known"),
            evidence=(
                Amount("known and computed again", gap.tokens, "tokens"),
                Amount("of that beyond two windows each", tokens, "tokens"),
                Amount("requests that met this", gap.requests, "requests"),
                *((Amount("chunk size", chunk, "tokens"),) if chunk is not None else ()),
                *(Amount("computed most again", request, "request") for request, _ in gap.worst[:1]),
            ),
            since_ns=gap.since_ns,
            change=self._change(evidence, chunk),
            questions=(6, 7),
            claims=(("window_never", tokens),),
        )

    def _change(self, evidence: Evidence, chunk: int | None) -> Change:
        window = number_of(evidence.config, "window") or 1
        smaller = None if chunk is None else max(window, chunk // 4)
        return Change(
            "prefill in smaller chunks: each leaves a window at its end",
            "--chunk-size",
            "" if smaller is None else str(smaller),
            () if smaller is None else (("chunk_size", smaller),),
            (("SGLang", "--chunked-prefill-size"), ("vLLM", "--max-num-batched-tokens")),
        )
