"""Writes operation logs that nobody recorded: random operations, with the outcomes that the naive model gives."""

from __future__ import annotations

import random
from typing import Any

from tests.support.oplog_naive import Log, NaiveReplay

POLICIES = ("lru", "lfu", "slru", "priority", "mru", "fifo", "filo")
STATE = ("full_evictable", "full_protected", "full_avail", "swa_evictable", "swa_protected", "swa_avail", "nodes")
Op = dict[str, Any]


class Author:
    """One log in the making. The model runs along, so that every operation is one the format allows."""

    WINDOWS: tuple[int | None, ...] = (None, 4, 16, 128)

    def __init__(self, seed: int) -> None:
        dice = self.dice = random.Random(seed)
        page = dice.choice((1, 4, 16, 64))
        window = dice.choice(self.WINDOWS)
        self.reach = 2 * max(page, min(window or page, 32)) + dice.randrange(20)
        up = -(-self.reach // page) * page
        config: Op = {
            "page_size": page,
            "policy": dice.choice(POLICIES),
            "hit_rule": dice.choice(("insert", "request")),
        }
        config["size_full"] = dice.choice((3, 5, 12)) * up
        fields = STATE
        if window is None:
            fields = tuple(field for field in STATE if not field.startswith("swa"))
        else:
            config |= {"window": window, "size_swa": dice.choice((2, 4, 8)) * up}
        self.log: Log = {
            "id": f"unseen-{seed}",
            "cache": "full" if window is None else "full+swa",
            "config": config,
            "state_fields": fields,
            "ops": [],
        }
        self.spaces = (None,) if dice.random() < 0.5 else (None, "b", "a")
        self.replay = NaiveReplay(self.log)
        self.named = 0

    def write(self, operations: int) -> Log:
        """Write a log of about so many operations, the last of which empties the cache."""
        kinds = ("start", "prefill", "decode", "finish", "match", "lock", "unlock", "evict", "release_swa", "abort")
        for _ in range(operations):
            kind = self.dice.choices(kinds, (8, 12, 7, 5, 3, 2, 2, 2, 1, 1))[0]
            op = getattr(self, kind)()
            if op is not None:
                self.take({"op": kind, **op})
        for rid in list(self.replay.requests):
            self.take({"op": "finish", "rid": rid, "insert": True})
        for receipt in list(self.replay.locks):
            self.take({"op": "unlock", "id": receipt})
        self.log["tree_after_op"] = len(self.log["ops"]) - 1
        self.log["tree"] = self.replay.tree()
        self.take(
            {"op": "evict", "full": 1 << 20, "swa": 1 << 20} if self.replay.swa else {"op": "evict", "full": 1 << 20}
        )
        return self.log

    def take(self, op: Op) -> None:
        """Run an operation on the model and write it down with its outcome."""
        outcome = getattr(self.replay, "do_" + op["op"])(op)
        self.log["ops"].append({**op, "out": outcome, "st": self.replay.state()})

    def key(self) -> list[list[int]]:
        """Return up to three starts of a few documents."""
        ends = [self.dice.randrange(self.reach + 1) for _ in range(self.dice.randrange(1, 4))]
        return [[self.dice.randrange(1, 4), 0, end] for end in ends]

    def found(self) -> Op:
        """Return the inputs of an operation that matches."""
        return {"key": self.key(), "ns": self.dice.choice(self.spaces)}

    def name(self, letter: str) -> str:
        """Return a new name."""
        self.named += 1
        return f"{letter}{self.named}"

    def one_of(self, names: dict[str, Any]) -> str | None:
        """Return one of the live names."""
        return self.dice.choice(list(names)) if names else None

    # ---- inputs by kind; None when there is nothing to do it on

    def match(self) -> Op:
        return self.found()

    def lock(self) -> Op:
        return {"id": self.name("l"), **self.found()}

    def unlock(self) -> Op | None:
        receipt = self.one_of(self.replay.locks)
        return None if receipt is None else {"id": receipt}

    def start(self) -> Op | None:
        found = self.found()
        if len(self.replay.requests) > 4 or not sum(end for _, _, end in found["key"]):
            return None
        return {"rid": self.name("r"), **found, "prio": self.dice.randrange(6)}

    def prefill(self) -> Op | None:
        rid = self.one_of(self.replay.requests)
        if rid is None or (left := self.left_of(rid)) == 0:
            return None
        upto = self.replay.requests[rid].length + self.dice.choice((left, left, self.dice.randrange(left) + 1))
        op: Op = {"rid": rid, "upto": upto}
        return op if self.dice.random() < 0.8 else {**op, "cache": False}

    def left_of(self, rid: str) -> int:
        """Return how much of a request's prompt has no slots."""
        request = self.replay.requests[rid]
        return max(0, len(request.prompt) - request.length)

    def decode(self) -> Op | None:
        rid = self.one_of(self.replay.requests)
        if rid is None or self.left_of(rid):
            return None
        done = len(self.replay.requests[rid].outputs)
        return {"rid": rid, "n": self.dice.randrange(1, 12), "doc": self.dice.randrange(1, 6), "from": done}

    def release_swa(self) -> Op | None:
        rid = self.one_of(self.replay.requests)
        if rid is None or not self.replay.swa or self.left_of(rid):
            return None
        return {"rid": rid}

    def finish(self) -> Op | None:
        rid = self.one_of(self.replay.requests)
        return None if rid is None or self.left_of(rid) else {"rid": rid, "insert": self.dice.random() < 0.8}

    def abort(self) -> Op | None:
        rid = self.one_of(self.replay.requests)
        return None if rid is None else {"rid": rid}

    def evict(self) -> Op:
        op: Op = {"full": self.dice.choice((0, self.dice.randrange(self.reach)))}
        return {**op, "swa": self.dice.choice((0, self.dice.randrange(self.reach)))} if self.replay.swa else op
