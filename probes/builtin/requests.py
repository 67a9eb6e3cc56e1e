"""Where requests are in their life, and how long the first token took."""

from __future__ import annotations

from dataclasses import dataclass

from probes.histogram import Quantiles


@dataclass(frozen=True, slots=True)
class RequestsSample:
    """Requests waiting and running now (None when that is not known) and counts since the watch began.

    `ttft` is the time from queueing to the first token in ns; `ttft_history` is its mean of each second, oldest
    first.
    """

    waiting: int | None
    running: int | None
    admitted: int
    finished: int
    retracted: int
    refused: int
    ttft: Quantiles
    ttft_history: tuple[float | None, ...]
