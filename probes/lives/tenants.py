"""Tenants: what each namespace asked, hit and holds, and who evicted whose. Bounded: the largest, and all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from probes.lives.miss_sums import REST, MissSums, Pair
from probes.lives.misses import PromptTokens
from probes.lives.named_sums import NamedTokens
from probes.lives.tenancy import Tenancy

PLAIN, NOBODY, OTHERS = "(plain)", "(nobody)", "(others)"


@dataclass(frozen=True, slots=True)
class Tenant:
    """A namespace: what its prompts asked and hit, what it holds now, and what evictions it bore.

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
class TenantTable:
    """The tenants, those that asked most first, and the cells of the matrix that are not 0, the largest first.

    `evicted_for_others_tokens` made room for another namespace, `evicted_for_nobody_tokens` for none that is told.
    """

    resident_tokens: int = 0
    evicted_tokens: int = 0
    evicted_for_others_tokens: int = 0
    evicted_for_nobody_tokens: int = 0
    tenants: tuple[Tenant, ...] = ()
    matrix: tuple[Evicted, ...] = ()


Naming = Callable[[object], str]
"""Returns what a namespace is called by its id: NOBODY of None, OTHERS of one that is not told apart."""


def named(space: object, names: Mapping[int, str]) -> str:
    """Return what a namespace is called; one whose name is forgotten goes by its id."""
    if space is None:
        return NOBODY
    if not isinstance(space, int) or space == REST[1]:
        return OTHERS
    return names.get(space, "") or (PLAIN if space == 0 else f"namespace {space & 0xFFFFFF:06x}")


def tenant_table(sums: MissSums, tenancy: Tenancy, name_of: Naming, most: int) -> TenantTable:
    """Return what is known of namespaces, the `most` largest of them told apart: by what they asked and hold."""
    asked = _summed([(OTHERS if each.is_rest else name_of(each.name), each) for each in sums.spaces.totals()])
    held = _by_name(tenancy.resident, name_of)
    sizes = {name: held.get(name, 0) + asked.get(name, _NONE).prompt for name in {*asked, *held} - {OTHERS}}
    kept = {NOBODY, *sorted(sizes, key=lambda name: (-sizes[name], name))[:most]}

    def told_apart(space: object) -> str:
        name = name_of(space)
        return name if name in kept else OTHERS

    held = _by_name(tenancy.resident, told_apart)
    tokens: dict[str, PromptTokens] = {}
    for name, each in asked.items():
        name = name if name in kept else OTHERS
        tokens[name] = _plus(tokens.get(name), each)
    evicted, again = _cells(tenancy.evicted, told_apart), _cells(sums.pairs, told_apart)
    whole = _Whole(
        sum(held.values()), sum(each.prompt for each in tokens.values()), sum(each.hit for each in tokens.values())
    )
    names = sorted({*tokens, *held}, key=lambda name: (name == OTHERS, -tokens.get(name, _NONE).prompt, name))
    pairs = sorted({*evicted, *again}, key=lambda pair: (-evicted.get(pair, 0), -again.get(pair, 0), pair))
    return TenantTable(
        whole.resident,
        sum(evicted.values()),
        sum(tokens for (who, whose), tokens in tenancy.evicted.items() if who is not None and who != whose),
        sum(tokens for (who, _), tokens in tenancy.evicted.items() if who is None),
        tuple(_tenant(name, tokens.get(name, _NONE), held.get(name, 0), whole, (evicted, again)) for name in names),
        tuple(Evicted(*pair, evicted.get(pair, 0), again.get(pair, 0)) for pair in pairs),
    )


_NONE = PromptTokens()
_FIELDS = tuple(field.name for field in fields(PromptTokens))
_Cells = dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class _Whole:
    resident: int
    prompt: int
    hit: int


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


def _summed(parts: list[tuple[str, NamedTokens]]) -> dict[str, PromptTokens]:
    sums: dict[str, PromptTokens] = {}
    for name, each in parts:
        sums[name] = _plus(sums.get(name), each.total)
    return sums


def _plus(first: PromptTokens | None, second: PromptTokens) -> PromptTokens:
    if first is None:
        return second
    return PromptTokens(*(getattr(first, name) + getattr(second, name) for name in _FIELDS))


def _by_name(sums: Mapping[int, int], name_of: Naming) -> dict[str, int]:
    found: dict[str, int] = {}
    for space, tokens in sums.items():
        name = name_of(space)
        found[name] = found.get(name, 0) + tokens
    return found


def _cells(pairs: Mapping[Pair, int], name_of: Naming) -> _Cells:
    cells: _Cells = {}
    for (evictor, victim), tokens in pairs.items():
        place = name_of(evictor), name_of(victim)
        cells[place] = cells.get(place, 0) + tokens
    return {place: tokens for place, tokens in cells.items() if tokens}
