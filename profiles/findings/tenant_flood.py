"""One tenant fills the cache with what nobody asks for again, and others lose theirs."""

from __future__ import annotations

from profiles.evidence.evidence import GONE, Evidence, Tenant
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import LEAST_REQUESTS, NOTE, cost_of, percent, severity_of

_SHARE = 0.2
"""Of the room that was made for what is new, so much is one tenant's. From half of it on all that others lost is its
doing: without it there would be twice the room."""
_LESS_HITS = 0.6
"""It hits so much less than the others."""


class TenantFlood(Diagnosis):
    """A namespace that computes much and hits little, while what others had is evicted and asked for again."""

    explains = frozenset({"capacity_small", "swa_pool_small", "state_pool_small", "dead_weight"})

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        tenants = evidence.tenants
        if not 1 < tenants.count < max(LEAST_REQUESTS, evidence.requests / 4):
            return None
        is_told = any(tenant.took_tokens + tenant.took_own_tokens for tenant in tenants.largest)
        flood = max(
            (each for each in tenants.largest if self._is_idle(each, _without(each, tenants.largest))),
            key=lambda each: each.took_tokens if is_told else each.computed_tokens - each.lost_tokens,
            default=None,
        )
        if flood is None:
            return None
        others = _without(flood, tenants.largest)
        share = _blame(flood, others) if is_told else _computed(evidence, flood)
        lost = round(min(1.0, 2 * share) * sum(other.lost_tokens for other in others))
        cost = cost_of(evidence, lost)
        if cost.share < NOTE or share < _SHARE:
            return None
        return Finding(
            name="tenant_flood",
            title=f"One tenant floods the cache ({flood.name}): others lose what they ask for again",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=_confidence(is_told),
            evidence=(
                Amount("tenant", flood.name, "namespace"),
                *(
                    (Amount("of others, evicted for it and computed again", flood.took_tokens, "tokens"),)
                    if is_told
                    else ()
                ),
                Amount("its share of computed tokens", percent(_computed(evidence, flood)), "%"),
                Amount("its hit rate", percent(flood.hit_rate), "%"),
                Amount("hit rate of the others", percent(_rate(others)), "%"),
                Amount("others lost to eviction by it", lost, "tokens"),
                Amount("others", len(others), "namespaces"),
            ),
            since_ns=flood.since_ns,
            change=Change("give that tenant a quota or a replica of its own, or do not cache what it sends"),
            questions=(1, 5),
            claims=self._claims(evidence, lost),
        )

    def _is_idle(self, flood: Tenant, others: tuple[Tenant, ...]) -> bool:
        """Say whether a tenant hits much less than the others would, had they not lost what they had."""
        prompts = sum(other.prompt_tokens for other in others)
        would = sum(other.hit_tokens + other.lost_tokens for other in others) / prompts if prompts else 0.0
        return flood.lost_tokens + flood.hit_tokens < _LESS_HITS * would * flood.prompt_tokens

    def _claims(self, evidence: Evidence, lost: int) -> tuple[tuple[str, int], ...]:
        """Share what others lost out over the accounts that it is in."""
        tokens = {name: evidence.tokens(name) for name in GONE if evidence.tokens(name)}
        return tuple((name, lost * share // sum(tokens.values())) for name, share in tokens.items())


def _without(one: Tenant, tenants: tuple[Tenant, ...]) -> tuple[Tenant, ...]:
    return tuple(tenant for tenant in tenants if tenant is not one)


def _computed(evidence: Evidence, tenant: Tenant) -> float:
    return tenant.computed_tokens / max(1, evidence.prompt_tokens - evidence.hit_tokens)


def _blame(flood: Tenant, others: tuple[Tenant, ...]) -> float:
    """Return the share (0..1) of a tenant in what others lost: by for whom room was made, and only for what was new.

    Who computes again what it lost makes room for that, too, and lost it first.
    """
    taken = sum(_new(other) * (other.took_tokens + other.took_own_tokens) for other in others)
    own = _new(flood) * flood.took_tokens
    return own / (own + taken) if own else 0.0


def _new(tenant: Tenant) -> float:
    return 1 - min(1.0, tenant.lost_tokens / tenant.computed_tokens) if tenant.computed_tokens else 0.0


def _confidence(is_told: bool) -> Confidence:
    if is_told:
        return Confidence("sure", "the records say for whose requests each token was evicted")
    return Confidence("likely", "it computes most and hits least, while what others had is evicted")


def _rate(tenants: tuple[Tenant, ...]) -> float:
    prompts = sum(tenant.prompt_tokens for tenant in tenants)
    return sum(tenant.hit_tokens for tenant in tenants) / prompts if prompts else 0.0
