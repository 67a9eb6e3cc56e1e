"""Recurrent states are kept so far apart that prompts end, or part, long past the last one."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, severity_of


class StateChunkCoarse(Diagnosis):
    """A hit ends at a place for a state. What lies past the last one counts, but for what the nearest places cost.

    What is known there is known to be lost; of ends of prompts, which nothing keeps, half counts.
    """

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        states = evidence.states
        past = evidence.account("state_grid")
        tokens = min(past.tokens, states.known_tokens + states.tail_tokens)
        cost = cost_of(evidence, tokens)
        if cost.share < NOTE:
            return None
        return Finding(
            name="state_chunk_coarse",
            title=f"States are kept {states.grid_tokens:,} tokens apart: what lies past the last one is lost",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=self._confidence(evidence),
            evidence=(
                Amount("places for states", states.grid_tokens, "tokens apart"),
                Amount("known past the last place", states.known_tokens, "tokens"),
                Amount("past the last place in all", past.tokens, "tokens"),
                Amount("requests that met this", states.requests, "requests"),
            ),
            since_ns=states.grid_since_ns,
            change=Change(
                "keep states closer together",
                "--mamba-chunk",
                str(states.fine_tokens),
                (),  # what lies past the last place was never stored: a replay would not find it again
            ),
            questions=(1, 7),
            claims=(("state_grid", tokens),),
        )

    def _confidence(self, evidence: Evidence) -> Confidence:
        states = evidence.states
        if states.known_tokens >= states.tail_tokens:
            return Confidence("sure", "the tree knew them, and a hit can end at places for states alone")
        return Confidence(
            "guess", "half of each prompt's end: no record tells whether prompts share what is not stored"
        )
