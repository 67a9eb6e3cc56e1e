"""Every request has a namespace of its own, so that nothing is ever found again."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import LEAST_REQUESTS, NOTE, cost_of, severity_of

_SINGLE_SHARE = 0.2
_MOST_REQUESTS_EACH = 6
"""Namespaces of more requests than that are tenants or conversations."""


class SaltedRequests(Diagnosis):
    """Namespaces of one request, or text that was there under another namespace.

    What the records tell of equal text elsewhere is the cost; where text has no name, what single requests computed.
    """

    explains = frozenset({"capacity_small", "tenant_flood", "early_divergence", "dead_weight", "page_size"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        tenants = evidence.tenants
        if tenants.count < LEAST_REQUESTS or evidence.requests < LEAST_REQUESTS:
            return None
        each = evidence.requests / tenants.count
        elsewhere = max(tenants.repeated_tokens, evidence.tokens("other_namespace"))
        is_many = tenants.single >= _SINGLE_SHARE * evidence.requests or each <= _MOST_REQUESTS_EACH
        is_most = tenants.single > tenants.count / 2
        if not is_many and (not elsewhere or (tenants.single < LEAST_REQUESTS and not is_most)):
            return None
        is_seen = elsewhere > 0
        tokens = elsewhere if is_seen or evidence.divergence.is_named else tenants.single_tokens
        cost = cost_of(evidence, tokens)
        if cost.share < NOTE:
            return None
        told = evidence.tokens("other_namespace")
        claims = (("other_namespace", min(told, tokens)), ("first_seen", max(0, tokens - told)))
        return Finding(
            name="salted_requests",
            title="Requests have namespaces of their own: equal prompts cannot share",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=self._confidence(is_seen),
            evidence=(
                Amount("namespaces", tenants.count, "namespaces"),
                Amount("namespaces of one request", tenants.single, "namespaces"),
                Amount("requests", evidence.requests, "requests"),
                Amount("computed by single requests", tenants.single_tokens, "tokens"),
                Amount("known in another namespace", elsewhere, "tokens"),
            ),
            since_ns=tenants.single_since_ns,
            change=Change("send one cache_salt (or extra_key) for all requests that may share: not one per request"),
            questions=(1, 5, 15),
            claims=tuple(claim for claim in claims if claim[1]),
        )

    def _confidence(self, is_seen: bool) -> Confidence:
        if is_seen:
            return Confidence("sure", "the same text was computed in another namespace")
        return Confidence("likely", "namespaces are as many as requests; whether their text is equal is not told")
