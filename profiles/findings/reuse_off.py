"""Nothing is ever reused: the tree is switched off."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import LEAST_REQUESTS, cost_of

_SHORT = 0.5


class ReuseOff(Diagnosis):
    """Requests came, nothing was hit, and no node was ever made."""

    explains = frozenset({"early_divergence", "salted_requests", "capacity_small", "page_size", "computed_twice"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        says_off = evidence.config.get("cache") == "chunk"
        if evidence.hit_tokens or evidence.requests < LEAST_REQUESTS or (evidence.tree.nodes_seen and not says_off):
            return None
        tokens = evidence.prompt_tokens
        if evidence.share_of(evidence.tokens("below_page", "state_grid")) > _SHORT and not says_off:
            return None  # no prompt has a whole page, or a place for a state, so none could be kept
        return Finding(
            name="reuse_off",
            title="Nothing is ever hit: the prefix cache is switched off",
            severity="alarm",
            cost=cost_of(evidence, tokens),
            confidence=Confidence("sure", "the hit rate is zero throughout, and nothing is ever kept"),
            evidence=(
                Amount("requests", evidence.requests, "requests"),
                Amount("hit", 0, "tokens"),
                Amount("nodes ever kept", evidence.tree.nodes_seen, "nodes"),
                Amount("cache", str(evidence.config.get("cache", "unknown"))[:40], "name"),
            ),
            since_ns=0,
            change=Change(
                "switch the prefix cache on, and find the option that switched it off",
                "--cache",
                "prefix",
                (),
                (("SGLang", "without --disable-radix-cache"), ("vLLM", "--enable-prefix-caching")),
            ),
            questions=(1, 12),
            claims=tuple((name, account.tokens) for name, account in evidence.lost.items()),
        )
