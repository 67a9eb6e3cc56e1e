"""Which tenant holds how much, hits how much, and evicts whose: by namespace, evictors against victims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cache_core.events import Match
from probes.fold import Fold, Folds, joined
from probes.lives.miss_sums import MissSums
from probes.lives.tenancy import Tenancy
from probes.lives.tenants import OTHERS, Evicted, Tenant, named, tenant_table
from probes.probe import PROBES
from profiles.report import Report, Stream

MOST_TENANTS = 32
"""So many namespaces are told apart; all others are one."""


@dataclass(frozen=True, slots=True)
class TenantReport:
    """The tenants, those that asked most first, and the cells of the matrix that are not 0, the largest first."""

    span_ns: int
    resident_tokens: int
    evicted_tokens: int
    tenants: tuple[Tenant, ...]
    matrix: tuple[Evicted, ...]


class Tenants(Report[TenantReport]):
    """Follows requests as the screens do, and counts what namespaces hold and lose."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream)
        self._requests = PROBES.load("request_log")(self.mirror)
        self._requests.configured(stream.config)
        self._tenancy = Tenancy(self.mirror)
        self._names: set[int] = set()

    def before(self) -> Folds:
        """See Report."""
        return self._tenancy.before()

    def after(self) -> Folds:
        """See Report."""
        takers = joined((self._requests.folds(), self._tenancy.after(), {Match: self._named}))
        return {kind: _all(each) for kind, each in takers.items()}

    def result(self) -> TenantReport:
        """See Report."""
        self._requests.lost()  # whoever is alive counts as far as it is decided
        sums = self._requests.shares()[MissSums]
        assert isinstance(sums, MissSums), f"{sums=}"
        self._tenancy.recount()
        table = tenant_table(sums, self._tenancy, self._name, MOST_TENANTS)
        return TenantReport(
            self.stream.span_ns, table.resident_tokens, table.evicted_tokens, table.tenants, table.matrix
        )

    def _named(self, record: Match) -> None:
        """Keep the names of the first namespaces that somebody asked in: the tree forgets those it does not hold."""
        space = record.namespace
        if record.request >= 0 and space not in self._names and len(self._names) < MOST_TENANTS:
            self._names.add(space)

    def _name(self, space: object) -> str:
        if space and space not in self._names:
            return OTHERS
        return named(space, self.mirror.namespaces)


def _all(takers: Sequence[Fold]) -> Fold:
    if len(takers) == 1:
        return takers[0]

    def each(record: Any) -> None:
        for taker in takers:
            taker(record)

    return each
