"""The hit rate fell, and what became of the tokens instead."""

from __future__ import annotations

from profiles.evidence.course import joined
from profiles.evidence.evidence import ACCOUNTS, Evidence, Stretch
from profiles.finding import Amount, Confidence, Diagnosis, Finding
from profiles.judging import cost_of, percent

_LEAST_DROP = 0.15
_LEAST_ASKED = 0.03
"""Of the two parts that somebody asks for, less is worth a word."""
_LEAST_REQUESTS = 32
_LEAST_SHARE = 0.15
"""Of all requests, so many are on either side of a fall; the last ones of a load are often others."""


class HitDrop(Diagnosis):
    """Two parts of the run side by side: the moments that were asked for, or where the fall is deepest."""

    is_symptom = True

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        asked = self._asked(evidence)
        pair = asked or self._deepest(evidence)
        if pair is None:
            return None
        before, after = pair
        drop = before.hit_rate - after.hit_rate
        if drop < (_LEAST_ASKED if asked else _LEAST_DROP):
            return None
        rises = {name: _share(after, name) - _share(before, name) for name in ACCOUNTS}
        account = max(rises, key=lambda name: rises[name])
        return Finding(
            name="hit_drop",
            title=f"The hit rate fell from {before.hit_rate:.0%} to {after.hit_rate:.0%}",
            severity="alarm" if drop >= 2 * _LEAST_DROP else "warn" if drop >= _LEAST_DROP else "note",
            cost=cost_of(evidence, round(drop * after.prompt_tokens)),
            confidence=Confidence("sure", "both parts have enough requests to compare"),
            evidence=(
                Amount("hit rate before", percent(before.hit_rate), "%"),
                Amount("hit rate after", percent(after.hit_rate), "%"),
                Amount("requests before", before.requests, "requests"),
                Amount("requests after", after.requests, "requests"),
                Amount(f"what rose most: {account.replace('_', ' ')}", percent(rises[account]), "% of prompt tokens"),
            ),
            since_ns=after.from_ns,
            questions=(1,),
        )

    def _asked(self, evidence: Evidence) -> tuple[Stretch, Stretch] | None:
        after = joined(evidence.course)
        if evidence.before is None or after is None or evidence.before.requests < 1:
            return None
        return evidence.before, after

    def _deepest(self, evidence: Evidence) -> tuple[Stretch, Stretch] | None:
        """Return the two parts between which the hit rate falls most."""
        course, best, most = evidence.course, None, 0.0
        least = max(_LEAST_REQUESTS, _LEAST_SHARE * evidence.requests)
        for place in range(1, len(course)):
            before, after = joined(course[:place]), joined(course[place:])
            if before is None or after is None or min(before.requests, after.requests) < least:
                continue
            drop = before.hit_rate - after.hit_rate
            if drop > most:
                best, most = (before, after), drop
        return best


def _share(stretch: Stretch, account: str) -> float:
    return stretch.lost.get(account, 0) / stretch.prompt_tokens if stretch.prompt_tokens else 0.0
