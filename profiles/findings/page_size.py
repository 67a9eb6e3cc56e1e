"""Pages are large for these prompts: what ends inside a page is computed again."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Confidence, Diagnosis, Finding
from profiles.judging import NOTE, cost_of, number_of, severity_of


class PageSize(Diagnosis):
    """Tokens between the last whole page that is known and where prompts part, and prompts below one page.

    Where the text has names it is known where it parts; else it is half a page for each request, on average. Half
    counts of a last page that is not full, and of prompts below one page as much as others asked for before.
    """

    def find(self, evidence: Evidence) -> Finding | None:
        """See Diagnosis."""
        page, loss = number_of(evidence.config, "page_size"), evidence.page
        if page is None or page == 1:
            return None
        is_told = loss.told_requests > 0
        seen = evidence.tokens("page_inside")
        inside = max(seen, loss.told_tokens) if is_told else max(seen, loss.forks * (page - 1) // 2)
        below = round(self._known_share(evidence) * evidence.tokens("below_page"))
        ends = evidence.tokens("page_rounding")
        tails = min(loss.tail_tokens, ends) if is_told or not loss.forks else 0
        cost = cost_of(evidence, inside + below + tails)
        if cost.share < NOTE:
            return None
        return Finding(
            name="page_size",
            title=f"Pages of {page:,} tokens are large for these prompts: what ends inside one is lost",
            severity=severity_of(cost.share),
            cost=cost,
            confidence=self._confidence(is_told),
            evidence=(
                Amount("page", page, "tokens"),
                Amount("lost where prompts part", inside, "tokens"),
                Amount("lost in prompts below one page, about", below, "tokens"),
                Amount("behind the last whole page of prompts", ends, "tokens"),
                Amount("requests that part inside a page", loss.told_requests or loss.forks, "requests"),
            ),
            since_ns=loss.since_ns,
            change=Change(
                "use smaller pages",
                "--page-size",
                "1",
                (),  # a recording knows whole pages only: a replay would find nothing more in smaller ones
                (("SGLang", "--page-size"), ("vLLM", "--block-size")),
            ),
            questions=(1, 7),
            claims=(
                ("page_inside", seen),
                ("first_seen", inside - seen),
                ("below_page", below),
                ("page_rounding", tails),
            ),
        )

    def _known_share(self, evidence: Evidence) -> float:
        """Return how much of prompts of a page and more was asked for before: so much of the shorter ones, too."""
        longer = evidence.prompt_tokens - evidence.tokens("below_page")
        new = evidence.tokens("first_seen", "other_namespace")
        return 1.0 - min(1.0, new / longer) if longer > 0 else 0.5

    def _confidence(self, is_told: bool) -> Confidence:
        if is_told:
            return Confidence("sure", "the names of the text say where prompts part inside a page")
        return Confidence("guess", "half a page for each prompt that leaves what is known: records tell whole pages")
