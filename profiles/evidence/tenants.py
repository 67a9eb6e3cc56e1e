"""Namespaces: who asks for what, who hits, for whom others lost what they had, and who is one request long."""

from __future__ import annotations

from probes.lives.request_life import Life
from profiles.evidence.accounts import Lost
from profiles.evidence.evidence import GONE, Tenant, Tenants
from profiles.evidence.scope import Scope

MOST_TENANTS = 1 << 16
"""So many namespaces are told apart; those that come later are counted and no more."""

LARGEST = 16

_REQUESTS, _PROMPT, _HIT, _LOST, _FIRST_AT = range(5)


class TenantSums:
    """Adds up requests by namespace."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._sums: dict[int, list[int]] = {}
        self._untold = 0
        self._took: dict[int, list[int]] = {}  # of others, of its own

    def take(self, life: Life, lost: Lost, at: int) -> None:
        """Count a request."""
        if life.namespace is None:
            return
        sums = self._sums.get(life.namespace)
        if sums is None:
            if len(self._sums) >= MOST_TENANTS:
                self._untold += 1
                return
            sums = self._sums[life.namespace] = [0, 0, 0, 0, at]
        sums[_REQUESTS] += 1
        sums[_PROMPT] += life.prompt_tokens
        sums[_HIT] += life.device + life.loaded
        gone = sum(lost.get(name, 0) for name in GONE)
        sums[_LOST] += gone
        if gone:
            self._blame(life)

    def _blame(self, life: Life) -> None:
        """Count what a request computed again with those whose requests it had made room for."""
        for start, end, miss, _, left in life.parts():
            if left is None or left.namespace is None or miss not in ("evicted", "window_gone"):
                continue
            took = self._took.get(left.namespace)
            if took is None:
                if len(self._took) >= MOST_TENANTS:
                    continue
                took = self._took[left.namespace] = [0, 0]
            took[left.namespace == life.namespace] += end - start

    def frozen(self, repeated_tokens: int) -> Tenants:
        """Return what is known of them."""
        single = [sums for sums in self._sums.values() if sums[_REQUESTS] == 1]
        ranked = sorted(self._sums.items(), key=lambda item: item[1][_HIT] - item[1][_PROMPT])[:LARGEST]
        first = min((sums[_FIRST_AT] for sums in single), default=None)
        return Tenants(
            largest=tuple(self._tenant(namespace, sums) for namespace, sums in ranked),
            count=len(self._sums) + self._untold,
            single=len(single),
            single_tokens=sum(sums[_PROMPT] - sums[_HIT] for sums in single),
            single_since_ns=self._scope.since(first),
            repeated_tokens=repeated_tokens,
        )

    def _tenant(self, namespace: int, sums: list[int]) -> Tenant:
        name = self._scope.mirror.namespaces.get(namespace, "") or f"namespace {namespace}"
        since = self._scope.since(sums[_FIRST_AT])
        took = self._took.get(namespace, (0, 0))
        return Tenant(name, sums[_REQUESTS], sums[_PROMPT], sums[_HIT], sums[_LOST], since or 0, *took)
