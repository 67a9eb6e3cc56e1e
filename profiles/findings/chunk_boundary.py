"""Windows are left at the ends of chunks only, and matches land there, short of what is known."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence, Gaps
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, never_kept, number_of, severity_of

_USUAL = 8
"""Chunks of so many windows are no mistake: what half of them would gain is all that they cost."""
_ENOUGH = 0.6
"""Others need not be smaller than what gains so much of all that chunks can gain."""
_WARN, _ALARM = 0.10, 0.25
"""Whoever first leaves a stored prefix has to compute some of it again, however it was cut."""


class ChunkBoundary(Diagnosis):
    """Known tokens whose window nobody ever left, where no branching point could have kept one.

    Chunks of c tokens leave half of c of each such gap, on average; those of one window or less leave nothing, for
    everything keeps its window then. Of recurrent states it is the same, with their distance for the window.
    """

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        windows, states = evidence.account("window_never"), evidence.account("state_never")
        gap = max(windows, states, key=lambda account: account.tokens)
        left = "window" if gap is windows else "state"
        chunk = number_of(evidence.config, "chunk_size")
        window = max(number_of(evidence.config, "window") or 1, evidence.states.grid_tokens)
        if chunk is not None and chunk <= window:
            return None
        smaller = _smaller(evidence.gaps, window, chunk)
        tokens = min(windows.tokens + states.tokens, evidence.gaps.beyond(_rest(smaller, window)))
        cost = cost_of(evidence, tokens)
        if cost.share < NOTE:
            return None
        return Finding(
            name="chunk_boundary",
            title=f"{left.capitalize()}s are left at chunk ends only: matches land there, short of what is known",
            severity=severity_of(cost.share, _WARN, _ALARM),
            cost=cost,
            confidence=Confidence("likely", f"nobody saw a {left} where prompts leave what is known"),
            evidence=(
                Amount("known and computed again", windows.tokens + states.tokens, "tokens"),
                Amount(f"of that not in chunks of {smaller:,}", tokens, "tokens"),
                Amount("requests that met this", gap.requests, "requests"),
                *((Amount("chunk size", chunk, "tokens"),) if chunk is not None else ()),
                *(Amount("computed most again", request, "request") for request, _ in gap.worst[:1]),
            ),
            since_ns=evidence.gaps.fresh_since_ns,
            change=self._change(None if chunk is None else smaller, left),
            questions=(6, 7),
            claims=never_kept(evidence, tokens),
        )

    def _change(self, smaller: int | None, left: str) -> Change:
        return Change(
            f"prefill in smaller chunks: each leaves a {left} at its end",
            "--chunk-size",
            "" if smaller is None else str(smaller),
            () if smaller is None else (("chunk_size", smaller),),
            (("SGLang", "--chunked-prefill-size"), ("vLLM", "--max-num-batched-tokens")),
        )


def _rest(chunk: int, window: int) -> int:
    """Return how much of a gap chunks of some tokens leave, on average."""
    return 0 if chunk <= window else chunk // 2


def _smaller(gaps: Gaps, window: int, chunk: int | None) -> int:
    """Return the largest half, quarter and so on of a chunk that is worth it, a window at least."""
    smaller = (chunk or 2 * window) // 2
    if 2 * smaller <= _USUAL * window:
        return max(smaller, window)
    while smaller > window and gaps.beyond(_rest(smaller, window)) < _ENOUGH * gaps.fresh_tokens:
        smaller //= 2
    return max(smaller, window)
