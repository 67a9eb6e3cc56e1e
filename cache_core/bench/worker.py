"""The process that measures one subject: reads one JSON request a line, answers one JSON line each.

Started with the subject's name; everything that the subject prints goes to stderr.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from cache_core.bench import passes
from cache_core.bench.memory import footprint
from cache_core.bench.subject import SUBJECTS, Subject
from cache_core.bench.workload import (
    EVICT_TOKENS,
    LEAF_TOKENS,
    Requests,
    Setup,
    digest,
    leaves,
    long_prefixes,
    requests,
)
from cache_core.key import TOKEN_BYTES

Json = dict[str, Any]
_LIVES = 2_000
"""Requests whose whole life is measured; more would tell nothing new."""
_REFILL = 3
_MATCHES = 300
_SPLITS = 24


class Worker:
    """Answers requests for one subject."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._keys = lru_cache(maxsize=1)(self._packed)

    def hello(self) -> Json:
        """Say what is measured here."""
        return dict(self.subject.describe())

    def requests(self, workload: str, scale: float, page: int, window: int | None) -> Json:
        """Run W1, W2 or W3 once: tree operations on an empty cache, key building, requests' lives."""
        subject, made = self.subject, requests(workload, scale)
        setup = Setup(page, window, made.slots)
        keys = self._keys(workload, scale)
        _settle()
        spreads, hit_tokens = passes.tree_operations(subject, setup, keys)
        nodes = subject.nodes()
        short = Requests(made.keys, made.prompts[:_LIVES], made.reply_tokens, made.slots)
        spreads["request"] = passes.lives(subject, setup, short)
        spreads["key"] = passes.key_building(subject, made)
        return {"spreads": spreads, "hit_tokens": hit_tokens, "nodes": nodes, "digest": made.digest()}

    def plant(self, count: int, window: int | None) -> Json:
        """Build W4's tree of so many leaves and keep it."""
        subject = self.subject
        subject.fresh(Setup(window=window, slots=(count + 64) * (LEAF_TOKENS + 1)))
        passes.plant(subject, leaves(4), count)
        self._spare = leaves(44)
        _settle()
        return {"nodes": subject.nodes()}

    def evict(self, swa: bool, calls: int) -> Json:
        """Evict 300 tokens of one kind from the tree that was planted, so many times."""
        asked = (0, EVICT_TOKENS) if swa else (EVICT_TOKENS, 0)
        arguments = self.subject.evict_arguments(*asked)
        return {"spreads": {"evict": passes.evictions(self.subject, arguments, self._refill, calls)}}

    def _refill(self) -> None:
        passes.plant(self.subject, self._spare, _REFILL)

    def long(self, tokens: int, page: int, window: int | None) -> Json:
        """Run W5 once: match a stored prefix again and again, then keys that leave one in its middle."""
        subject = self.subject
        prefixes = long_prefixes(tokens, _SPLITS)
        subject.fresh(Setup(page, window, (len(prefixes) + 1) * tokens))
        keys = [subject.packed_key(prefix) for prefix in prefixes]
        for key in keys:
            passes.write(subject, key, tokens)
        half = tokens // 2 * TOKEN_BYTES
        leaving = [prefix[:half] + bytes(64 * TOKEN_BYTES) for prefix in prefixes]
        split = [subject.match_argument(subject.packed_key(key)) for key in leaving]
        new = [subject.match_argument(subject.same_key(keys[0])) for _ in range(_MATCHES)]
        _settle()
        spreads = {
            "match": passes.matches(subject, new),
            "match_again": passes.matches(subject, [new[0]] * _MATCHES),
            "split": passes.matches(subject, split),
        }
        return {"spreads": spreads, "digest": digest(prefixes)}

    def memory(self, keys: int, window: int | None, traced: bool) -> Json:
        """Measure the footprint of a tree; means something in a process that has done nothing else."""
        return footprint(self.subject, keys, window, traced).describe()

    def rest(self) -> Json:
        """Drop the tree."""
        self.subject.fresh(Setup(slots=64))
        gc.collect()
        return {}

    def replay(self, log: Mapping[str, Any]) -> Json:
        """Run an operation log (see `cache_core.oplog`) and return what each operation gave."""
        return self.subject.replay(log)

    def _packed(self, workload: str, scale: float) -> list[Any]:
        return [self.subject.packed_key(key) for key in requests(workload, scale).keys]

    def answer(self, asked: Json) -> Json:
        """Answer one request; what goes wrong is an answer, too."""
        try:
            method: Callable[..., Json] = getattr(self, str(asked.pop("do")))
            return method(**asked)
        except Exception as error:  # noqa: BLE001 - the one who asked decides what a failure means
            return {"error": f"{type(error).__name__}: {error}"}


def _settle() -> None:
    """Let the garbage collector pass over what a workload brought once, and not again while it is timed."""
    gc.collect()
    gc.freeze()


def main() -> None:
    """Load the subject named by the last argument and answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        worker = Worker(SUBJECTS.load(sys.argv[-1])())
        answers.write(json.dumps(worker.hello()) + "\n")
    except Exception as error:  # noqa: BLE001 - a peer's package may raise whatever it likes
        answers.write(json.dumps({"error": str(error) or type(error).__name__}) + "\n")
        return
    finally:
        answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(worker.answer(json.loads(line))) + "\n")
        answers.flush()
