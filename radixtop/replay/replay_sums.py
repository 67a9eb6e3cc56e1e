"""What a replay adds up over the requests that ended."""

from __future__ import annotations

from array import array

from cache_core.engine.generation import Finished
from profiles.trace import TraceRequest
from radixtop.replay.prompts import Prompts


class ReplaySums:
    """Counts of requests; tokens and times of those that are measured."""

    __slots__ = (
        "_prompts", "arrived", "duration_ns", "finished", "full_hit_tokens", "hit_tokens", "host_hit_tokens",
        "inter_token_ns", "measured", "output_tokens", "prompt_tokens", "queued_ns", "refused", "refused_measured",
        "refused_tokens", "retractions",
        "ttft_ns",
    )  # fmt: skip

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts
        self.arrived = self.finished = self.refused = self.measured = 0
        self.refused_measured = self.refused_tokens = 0
        self.prompt_tokens = self.hit_tokens = self.full_hit_tokens = self.host_hit_tokens = 0
        self.output_tokens = self.retractions = 0
        self.ttft_ns, self.queued_ns, self.inter_token_ns, self.duration_ns = (array("q") for _ in range(4))

    def end(self, end: Finished) -> None:
        """Count a request that ended."""
        self.retractions += end.retractions
        if end.refused:
            self.refused += 1
            return
        self.finished += 1
        self.output_tokens += len(end.output)

    def refuse(self, request: TraceRequest) -> None:
        """Count a request that was refused and is no part of a warm-up."""
        self.refused_measured += 1
        self.refused_tokens += request.prompt_tokens

    def measure(self, request: TraceRequest, end: Finished, queued_ns: int | None) -> None:
        """Add up a request that was served and is no part of a warm-up."""
        hit_tokens = self._prompts.hit_tokens
        self.measured += 1
        self.prompt_tokens += request.prompt_tokens
        self.hit_tokens += hit_tokens(request, end.hit_tokens)
        self.full_hit_tokens += hit_tokens(request, end.full_hit_tokens)
        self.host_hit_tokens += end.host_hit_tokens
        self.duration_ns.append(end.duration_ns)
        if end.ttft_ns is not None:
            self.ttft_ns.append(end.ttft_ns)
            outputs = len(end.output)
            if outputs > 1:
                self.inter_token_ns.append((end.duration_ns - end.ttft_ns) // (outputs - 1))
        if queued_ns is not None:
            self.queued_ns.append(queued_ns)
