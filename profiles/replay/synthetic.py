"""From a recording to the operations that its cache was asked for, with made-up tokens.

A recording holds no prompts, but content keys: it says which prefixes are equal and where they part, and that is all
that a cache goes by. `Synthetic` reads it twice: first for the cuts and what each request turned out to be
(`profiles.replay.survey`), then for the operations in their order.

    match, admitted   -> Admit with the longest key that the request was to insert, filled up to its prompt's length
    insert, prefilled -> Prefill, which writes back or not as it did then
    engine steps      -> Decode for each request whose prompt was computed before the step; without steps all
                         outputs come when the request ends
    finished, retracted, reset                       -> the same
    matches and inserts that no request asked for    -> Look, Write
    locks, unlocks, evict calls                      -> the same, where no request was ever admitted: else they are
                                                        the cache's own doing, which a replay does by itself
    nodes that no insert of the recording explains   -> State, in the order of their last use

What cannot be known: prompts and outputs where they were never stored, hit counts of what was there before the
recording, locks of requests that were running before it, and who gave up a window early.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from probes.mirror import Mirror
from probes.snapshot import number_of
from profiles.profile import Profile
from profiles.replay.made_up import MadeUp
from profiles.replay.operations import Operation
from profiles.replay.outputs import with_outputs
from profiles.replay.survey import Survey
from profiles.replay.translation import Limits, Translation

MOST_TOKENS = 1 << 22
"""No key is longer, whatever a recording says that does not say how many slots its cache has."""


class Synthetic:
    """The operations of a profile. Raises RecordingError for a profile without records."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._survey = Survey(Mirror(profile.components))
        self._survey.take(profile.records())

    @property
    def requests(self) -> int:
        """How often a request was admitted."""
        return self._survey.requests

    def operations(self) -> Iterator[Operation]:
        """Yield the operations from the first one on; each call starts again and yields the same."""
        profile, survey = self._profile, self._survey
        limits = Limits(most_tokens(profile.config), page_of(profile.config), not survey.requests)
        made_up = MadeUp(survey.cuts, pairs=profile.config.get("bigram") is True)
        translation = Translation(Mirror(profile.components), survey, made_up, limits)
        return with_outputs(profile.records(), translation, in_steps=survey.steps > 0)


def most_tokens(config: Mapping[str, object]) -> int:
    """Return how long a key may be that the cache of a recording was ever asked for."""
    return min(MOST_TOKENS, number_of(config, "full_slots") or MOST_TOKENS)


def page_of(config: Mapping[str, object]) -> int:
    """Return the page of the cache of a recording, 1 where it does not say."""
    return number_of(config, "page_size") or 1
