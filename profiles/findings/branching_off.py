"""Prompts leave a stored prefix where no window, or no state, is kept, and compute it again each time."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, never_kept, severity_of


class BranchingOff(Diagnosis):
    """Branching points are switched off, and prefixes are known but not usable where prompts part."""

    explains = frozenset({"chunk_boundary"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        if evidence.config.get("branching") is not False:
            return None
        again = evidence.gaps
        windows, states = evidence.account("window_never"), evidence.account("state_never")
        gap = max(windows, states, key=lambda account: account.tokens)
        kept = "window" if gap is windows else "state"
        tokens = min(windows.tokens + states.tokens, again.again_tokens)
        cost = cost_of(evidence, tokens)
        if cost.share < NOTE:
            return None
        return Finding(
            name="branching_off",
            title="Branching points are off: what prompts share is known, but not usable where they part",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=Confidence("sure", f"the cache says that it keeps no {kept} where prompts part"),
            evidence=(
                Amount("known and computed again", windows.tokens + states.tokens, "tokens"),
                Amount("of that before places where others had parted", tokens, "tokens"),
                Amount("requests that met this", again.again_requests, "requests"),
                *(Amount("computed most again", request, "request") for request, _ in gap.worst[:1]),
            ),
            since_ns=again.again_since_ns,
            change=Change(
                f"keep a {kept} where prompts part",
                "--branching",
                "",
                (("branching", True),),
                (("SGLang", "SGLANG_ENABLE_UNIFIED_RADIX_TREE=1"),),
            ),
            questions=(1, 6, 7),
            claims=never_kept(evidence, tokens),
        )
