"""Which namespace holds how much, hits how much, and evicts whose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cache_core.events import Evict, Insert, Match, NodeAdded, NodeRemoved, RequestAdmitted
from probes.fold import Folds
from probes.lives.miss_sums import MissSums
from probes.lives.tenancy import Tenancy
from probes.lives.tenants import Evicted, Tenant, named, tenant_table
from probes.mirror import Mirror
from probes.probe import Probe

MOST_TENANTS = 8
"""So many namespaces are told apart, the largest by what they asked and hold; all others are one."""


@dataclass(frozen=True, slots=True)
class TenantsSample:
    """The tenants, those that asked most first and all others last, and the evictions between them, the most first.

    Sums count since the watch began; what is held is of now. Namespaces go by the names that they have in the
    cache, which may be salts. What was evicted made room for another namespace, for nobody that is told, or for its
    own.
    """

    resident_tokens: int
    evicted_tokens: int
    evicted_for_others_tokens: int
    evicted_for_nobody_tokens: int
    tenants: tuple[Tenant, ...]
    matrix: tuple[Evicted, ...]


class Tenants(Probe):
    """Counts what namespaces hold and lose; what they asked and hit is shared by who follows requests."""

    needs = frozenset({NodeAdded, NodeRemoved, Evict, Match, Insert, RequestAdmitted})
    whole_tree = True

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._tenancy = Tenancy(mirror)
        self._sums = MissSums()
        self._is_adrift = False

    def meet(self, shared: Mapping[type, object]) -> None:
        """See Probe."""
        sums = shared.get(MissSums)
        if isinstance(sums, MissSums):
            self._sums = sums

    def before(self) -> Folds:
        """See Probe."""
        return self._tenancy.before()

    def folds(self) -> Folds:
        """See Probe."""
        return self._tenancy.after()

    def sample(self, now: int) -> TenantsSample:
        """See Probe. After a loss, what is held is counted anew once the tree is whole."""
        if self._is_adrift:
            self._tenancy.recount()
            self._is_adrift = False
        names = self.mirror.namespaces
        table = tenant_table(self._sums, self._tenancy, lambda space: named(space, names), MOST_TENANTS)
        return TenantsSample(
            table.resident_tokens, table.evicted_tokens, table.evicted_for_others_tokens,
            table.evicted_for_nobody_tokens, table.tenants, table.matrix,
        )  # fmt: skip

    def lost(self) -> None:
        """See Probe."""
        self._tenancy.lost()
        self._is_adrift = True
