"""Which tenant holds how much, hits how much, and evicts whose: by namespace, evictors against victims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cache_core.events import Match
from probes.fold import Fold, Folds, joined
from probes.lives.miss_sums import REST, MissSums, Pair
from probes.lives.misses import PromptTokens
from probes.lives.tenancy import Tenancy
from probes.probe import PROBES
from profiles.report import Report, Stream

MOST_TENANTS = 32
"""So many namespaces are told apart; all others are one."""

PLAIN, NOBODY, OTHERS = "(plain)", "(nobody)", "(others)"


@dataclass(frozen=True, slots=True)
class Tenant:
    """A namespace: what its prompts asked and hit, what it holds at the end, and what evictions it caused and bore.

    `resident_share` is of all that the base component holds, `hit_share` of all tokens that were hits, `asked_share`
    of all prompt tokens; None of nothing. `evicted_for_others_tokens` were its own and made room for other ones;
    `computed_again_tokens` are what it had to compute again because they, or their windows, had been evicted.
    """

    namespace: str
    requests: int
    tokens: PromptTokens
    resident_tokens: int
    resident_share: float | None
    hit_share: float | None
    asked_share: float | None
    evicted_tokens: int
    evicted_for_others_tokens: int
    computed_again_tokens: int


@dataclass(frozen=True, slots=True)
class Evicted:
    """Tokens of the victim that made room for the evictor, and those that the victim computed again because of it."""

    evictor: str
    victim: str
    evicted_tokens: int
    computed_again_tokens: int


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
        self._names: dict[int, str] = {}

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
        sums = getattr(self._requests.sample(self.stream.last_at), "sums", None)
        assert isinstance(sums, MissSums), f"{sums=}"
        self._tenancy.recount()
        resident = self._by_name(self._tenancy.resident)
        tokens: dict[str, PromptTokens] = {}
        for each in sums.spaces.tokens(self.stream.last_at):
            name = OTHERS if each.is_rest else self._name(each.name)
            tokens[name] = _sum(tokens.get(name), each.total)
        evicted, again = self._cells(self._tenancy.evicted), self._cells(sums.pairs)
        names = sorted({*tokens, *resident}, key=lambda name: (-tokens.get(name, PromptTokens()).prompt, name))
        asked = tokens.values()
        whole = _Whole(sum(resident.values()), sum(each.prompt for each in asked), sum(each.hit for each in asked))
        return TenantReport(
            span_ns=self.stream.span_ns,
            resident_tokens=whole.resident,
            evicted_tokens=sum(evicted.values()),
            tenants=tuple(
                _tenant(name, tokens.get(name, PromptTokens()), resident.get(name, 0), whole, (evicted, again))
                for name in names
            ),
            matrix=tuple(
                Evicted(*pair, evicted.get(pair, 0), again.get(pair, 0))
                for pair in sorted({*evicted, *again}, key=lambda pair: (-evicted.get(pair, 0), pair))
            ),
        )

    def _named(self, record: Match) -> None:
        """Keep the names of the first namespaces that somebody asked in: the tree forgets those it does not hold."""
        space = record.namespace
        if record.request >= 0 and space not in self._names and len(self._names) < MOST_TENANTS:
            self._names[space] = ""

    def _name(self, space: object) -> str:
        if space is None:
            return NOBODY
        if not isinstance(space, int) or (space not in self._names and space):
            return OTHERS
        return self.mirror.namespaces.get(space, "") or (PLAIN if space == 0 else f"namespace {space & 0xFFFFFF:06x}")

    def _by_name(self, sums: Mapping[int, int]) -> dict[str, int]:
        named: dict[str, int] = {}
        for space, tokens in sums.items():
            name = self._name(space)
            named[name] = named.get(name, 0) + tokens
        return named

    def _cells(self, pairs: dict[Pair, int]) -> dict[tuple[str, str], int]:
        cells: dict[tuple[str, str], int] = {}
        for pair, tokens in pairs.items():
            place = (OTHERS, OTHERS) if pair == REST else (self._name(pair[0]), self._name(pair[1]))
            cells[place] = cells.get(place, 0) + tokens
        return {place: tokens for place, tokens in cells.items() if tokens}


@dataclass(frozen=True, slots=True)
class _Whole:
    resident: int
    prompt: int
    hit: int


_Cells = dict[tuple[str, str], int]


def _tenant(name: str, tokens: PromptTokens, resident: int, whole: _Whole, cells: tuple[_Cells, _Cells]) -> Tenant:
    evicted, again = cells
    return Tenant(
        namespace=name,
        requests=tokens.requests,
        tokens=tokens,
        resident_tokens=resident,
        resident_share=resident / whole.resident if whole.resident else None,
        hit_share=tokens.hit / whole.hit if whole.hit else None,
        asked_share=tokens.prompt / whole.prompt if whole.prompt else None,
        evicted_tokens=sum(count for (_, victim), count in evicted.items() if victim == name),
        evicted_for_others_tokens=sum(
            count for (evictor, victim), count in evicted.items() if victim == name and evictor not in (name, NOBODY)
        ),
        computed_again_tokens=sum(count for (_, victim), count in again.items() if victim == name),
    )


def _sum(first: PromptTokens | None, second: PromptTokens) -> PromptTokens:
    if first is None:
        return second
    names = PromptTokens.__dataclass_fields__
    return PromptTokens(*(getattr(first, name) + getattr(second, name) for name in names))


def _all(takers: Sequence[Fold]) -> Fold:
    if len(takers) == 1:
        return takers[0]

    def each(record: Any) -> None:
        for taker in takers:
            taker(record)

    return each
