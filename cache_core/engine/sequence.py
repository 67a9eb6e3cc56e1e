"""One request as the engine sees it, from submission to its end."""

from __future__ import annotations

from array import array

from cache_core.engine.generation import Finished, GenerateRequest
from cache_core.request import Request


class Sequence:
    """The mutable state of one request: its tokens so far, and its place in the cache while it runs.

    `request` is None while it waits. While it is `prefilling`, known tokens lack keys and values; afterwards only the
    newest token does. A retraction drops the place in the cache and keeps the outputs: the next
    admission computes them again as part of the prompt.
    """

    __slots__ = (
        "first_token_at", "generate", "hits", "near_ties", "output_tokens", "prefilling", "queued_at", "request",
        "request_id", "retractions", "tokens",
    )  # fmt: skip

    def __init__(self, request_id: int, generate: GenerateRequest, queued_at: int) -> None:
        self.request_id = request_id
        self.generate = generate
        self.queued_at = queued_at
        self.tokens = array("i", generate.tokens)
        self.output_tokens = 0
        self.request: Request | None = None
        self.hits: tuple[int, int, int] | None = None
        self.first_token_at: int | None = None
        self.near_ties: list[int] = []
        self.retractions = 0
        self.prefilling = True

    @property
    def length(self) -> int:
        """Tokens that have slots; 0 while the request waits."""
        return 0 if self.request is None else self.request.length

    @property
    def has_state(self) -> bool:
        """Whether it holds a recurrent state of its own."""
        return self.request is not None and self.request.state_slot != 0

    @property
    def missing_tokens(self) -> int:
        """Tokens that are known and have no slot yet."""
        return len(self.tokens) - self.length

    @property
    def done(self) -> bool:
        """Whether every token that was asked for is there."""
        return self.output_tokens >= self.generate.output_tokens

    @property
    def final_tokens(self) -> int:
        """How many tokens have slots at the end: the last output token never gets one."""
        return len(self.generate.tokens) + self.generate.output_tokens - 1

    def admitted(self, request: Request, loaded_tokens: int) -> None:
        """Take the place that the cache gave, `loaded_tokens` of it from the host; the first hits are kept."""
        self.request = request
        self.prefilling = True
        if self.hits is None:
            self.hits = (request.hit_tokens, request.full_hit_tokens, loaded_tokens)

    def retracted(self) -> None:
        """Wait again, without a place."""
        self.request = None
        self.retractions += 1

    def speak(self, token: int, at: int, near_tie: bool) -> None:
        """Append an output token."""
        if self.first_token_at is None:
            self.first_token_at = at
        if near_tie:
            self.near_ties.append(self.output_tokens)
        self.tokens.append(token)
        self.output_tokens += 1

    def finished(self, at: int, refused: str = "") -> Finished:
        """Return the end of this request."""
        hit_tokens, full_hit_tokens, host_hit_tokens = self.hits or (0, 0, 0)
        prompt = len(self.generate.tokens)
        return Finished(
            request_id=self.request_id,
            prompt_tokens=prompt,
            hit_tokens=hit_tokens,
            full_hit_tokens=full_hit_tokens,
            output=self.tokens[prompt:],
            ttft_ns=None if self.first_token_at is None else self.first_token_at - self.queued_at,
            duration_ns=at - self.queued_at,
            retractions=self.retractions,
            near_ties=tuple(self.near_ties),
            refused=refused,
            host_hit_tokens=host_hit_tokens,
        )
