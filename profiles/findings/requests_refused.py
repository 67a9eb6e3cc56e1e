"""Requests that no pool could ever hold: they are refused, and whoever sent them gets an error."""

from __future__ import annotations

from typing import NamedTuple

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Cost, Diagnosis, Finding
from profiles.judging import number_of, percent, severity_of

_WARN, _ALARM = 0.01, 0.05
"""Shares of all requests: an error is worse than a prefill."""


class _Short(NamedTuple):
    """The pool that was too small, its size, and the flag and the least size that would do, if one can tell."""

    pool: str
    slots: int | None
    flag: str
    least: int | None


class RequestsRefused(Diagnosis):
    """The engine refused requests: they need more slots at their end, or for one chunk, than a pool has."""

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        out = evidence.unserved
        if not out.refused:
            return None
        share = out.refused / max(out.ended, out.refused)
        short = _short(evidence)
        return Finding(
            name="requests_refused",
            title="Requests are refused: they are larger than a pool, so that it could never hold them",
            severity=severity_of(share, _WARN, _ALARM),
            cost=Cost(share=share, unserved=out.refused),
            confidence=Confidence("sure", "the engine says whom it refused, and why"),
            evidence=(
                Amount("refused", out.refused, "requests"),
                Amount("of all that ended", percent(share), "%"),
                Amount("prompt of the largest", out.largest_prompt, "tokens"),
                *((Amount("what it needs to its end", out.largest_tokens, "tokens"),) if _is_told(evidence) else ()),
                *((Amount(f"{short.pool} pool, all of it", short.slots, "tokens"),) if short.slots else ()),
            ),
            since_ns=out.refused_since_ns,
            change=Change(
                "hold the largest request, or refuse it before it gets here; more lets others run beside it",
                short.flag,
                "" if short.least is None else str(short.least),
            ),
            questions=(9,),
        )


def _is_told(evidence: Evidence) -> bool:
    return evidence.unserved.largest_tokens > evidence.unserved.largest_prompt


def _short(evidence: Evidence) -> _Short:
    """Return which pool was too small for the largest request: the one of all tokens, else one of the others."""
    page = number_of(evidence.config, "page_size") or 1
    needed = -(-evidence.unserved.largest_tokens // page) * page
    full = _slots(evidence, "full")
    if full is None or needed > full:
        return _Short("full", full, "--full-slots", needed)
    names = evidence.config.get("components")
    for name in ("swa", "mamba"):
        if evidence.pool(name) is not None or (isinstance(names, list | tuple) and name in names):
            slots = _slots(evidence, name)
            return _Short(name, slots, f"--{name}-slots", None if slots is None else 2 * slots)
    return _Short("full", full, "--full-slots", 2 * full)


def _slots(evidence: Evidence, name: str) -> int | None:
    pool = evidence.pool(name)
    return pool.total if pool is not None and pool.total else number_of(evidence.config, f"{name}_slots")
