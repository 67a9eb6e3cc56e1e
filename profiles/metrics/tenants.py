"""Tenants without their names, which may be salts: how much one has of everything, and who makes room for whom."""

from __future__ import annotations

from probes.builtin.tenants import TenantsSample
from probes.lives.tenants import OTHERS, Tenant
from profiles.metric import Value, Values, each, read_off


def _evicted(sample: TenantsSample) -> Values:
    another, nobody = sample.evicted_for_others_tokens, sample.evicted_for_nobody_tokens
    return each({"itself": sample.evicted_tokens - another - nobody, "another": another, "nobody": nobody})


def _largest(sample: TenantsSample) -> Values:
    tenants = [tenant for tenant in sample.tenants if tenant.namespace != OTHERS]

    def most(shares: list[float | None]) -> Value:
        return max((share for share in shares if share is not None), default=None)

    return each({of: most([share(tenant) for tenant in tenants]) for of, share in _SHARES.items()})


def _asked(tenant: Tenant) -> float | None:
    return tenant.asked_share


def _hit(tenant: Tenant) -> float | None:
    return tenant.hit_share


def _resident(tenant: Tenant) -> float | None:
    return tenant.resident_share


_SHARES = {"asked": _asked, "hit": _hit, "resident": _resident}

METRICS = (
    read_off(
        TenantsSample,
        "radixtop_made_room_tokens_total",
        "Tokens that evictions took, by for whom: the namespace that they were of, another one, nobody that is told.",
        _evicted,
        ("for",),
    ),
    read_off(
        TenantsSample,
        "radixtop_largest_namespace_ratio",
        "The largest share of one namespace: of the tokens asked for, of those hit, of those that are held.",
        _largest,
        ("of",),
    ),
)
