"""Scenarios as text: one operation or look at the cache a line, and behind "->" what it must say.

    insert A22 B19 from=8 as=mine   -> present=0
    match A8                        -> hit=0 full=8 branch=8
    shape                           -> 0+8t 8+4S ...

Keys are written as in `tests.support.caches`. Requests, locks and slots go by names in small letters. An
expectation names the figures that matter, or is the text itself; "..." at either end of a text stands for what is
not looked at. "raises NAME" expects that error; "#" starts a remark. The cache checks itself after every line.
"""

from __future__ import annotations

from array import array
from typing import Any

from cache_core import CacheConfig, CacheError, PrefixCache, RadixKey, Request, check_integrity
from cache_core.branching import insert_length
from cache_core.node import Node
from cache_core.view import window_peers
from tests.support.caches import tokens
from tests.support.observe import free, ledger, locks, rows, shape, walk
from tests.support.queues import named, put_off, queue_of, schedule
from tests.support.script import Line, Said, compare, name_of, ranges, runs


class Scenario:
    """A cache, and the requests, locks and slots of a script by their names."""

    def __init__(self, config: CacheConfig) -> None:
        self.cache = PrefixCache(config)
        self.requests: dict[str, Request] = {}
        self.receipts: dict[str, Any] = {}
        self.slots: dict[str, array[int]] = {}
        self.waiting: dict[str, str] = {}

    def play(self, script: str) -> None:
        """Do every line and compare what it says with what it must say."""
        for number, text in enumerate(script.strip().splitlines(), start=1):
            asked, arrow, expected = text.partition("#")[0].partition("->")
            if not asked.strip():
                continue
            said = self.do(asked)
            check_integrity(self.cache)
            if arrow:
                compare(f"line {number}: {asked.strip()}", said, expected.strip())
            else:
                assert not str(said).startswith("raises"), f"line {number}: {asked.strip()}: {said}"

    def do(self, asked: str) -> Said:
        """Do one line and return what it says."""
        operation, *rest = asked.split(maxsplit=1)
        try:
            said: Said = getattr(self, operation)(Line.parse(" ".join(rest)))
        except CacheError as error:
            return f"raises {type(error).__name__}"
        return said

    # ---- the cache

    def insert(self, line: Line) -> Said:
        """Insert a key on fresh slots, the first `owned` of them the tree's own; `from` is where windows start.

        With `state` it brings a recurrent state along.
        """
        key, owned, begin = line.radix_key(), line.number("owned"), line.number("from")
        slots = self.path(line)[:owned] if owned else array("i")
        fresh = self.cache.allocate(len(key) - owned)
        if begin > owned:
            self.cache.free_window(fresh[: begin - owned])
        slots.extend(fresh)
        more = {"state_slot": self.cache.allocate_state()} if "state" in line.words else {}
        done = self.cache.insert(
            key, slots, owned_tokens=owned, swa_from=begin, priority=line.number("priority"), **more
        )
        units, page = max(0, len(key) - self.cache.config.bigram), self.cache.config.page_size
        end = units // page * page
        self.cache.free(slots[max(end, owned) :])
        if "as" in line.options:
            self.slots[line.options["as"]] = slots
        return {"present": done.present_tokens, "adopted": ranges(done.adopted)}

    def match(self, line: Line) -> Said:
        """Match a key."""
        return self.hit_of(self.cache.match(line.radix_key()))

    def queries(self, line: Line) -> Said:
        """Match starts of stream A by length: `length=hit`, and `/branch` where there is a branching point."""
        said = []
        for word in line.words:
            found = self.cache.match(RadixKey(tokens(f"A{word}")))
            branch = "" if found.branching_point is None else f"/{found.branching_point}"
            said.append(f"{word}={found.hit_tokens}{branch}")
        return " ".join(said)

    def lock(self, line: Line) -> Said:
        """Lock the node that a key ends on, usable or not."""
        node = self.nodes_of(line)[-1]
        self.receipts[line.words[0]] = self.cache.lock(node)
        return ""

    def unlock(self, line: Line) -> Said:
        """Undo a lock; `elsewhere` on another cache of the same kind."""
        cache = PrefixCache(self.cache.config) if "elsewhere" in line.words else self.cache
        cache.unlock(self.receipts[line.words[0]])
        return ""

    def evict(self, line: Line) -> Said:
        """Evict so many tokens of each kind."""
        gone = self.cache.evict(line.number("full"), line.number("swa"), line.number("mamba"))
        return {
            "full": gone.full_tokens, "swa": gone.swa_tokens, "mamba": gone.mamba_states, "victims": gone.victims,
        }  # fmt: skip

    def drain(self, line: Line) -> Said:
        """Evict node by node, of the Full pool or of that named, and return in which order they went."""
        pool = line.words[0] if line.words else "full"
        order: list[str] = []
        left = self.standing(pool)
        while self.cache.evict(**{f"{pool}_tokens": 1}).victims:
            before, left = left, self.standing(pool)
            order += [name for name in before if name not in left]
        return " ".join(order)

    def allocate(self, line: Line) -> Said:
        """Take slots; says which."""
        name, count = line.words
        self.slots[name] = self.cache.allocate(int(count))
        return " ".join(map(str, self.slots[name]))

    def release(self, line: Line) -> Said:
        """Give slots back, all of a name or a range of them; `window` gives back their peers alone."""
        slots = self.slots[line.words[0]]
        if line.span is not None:
            slots = slots[line.span]
        (self.cache.free_window if "window" in line.words else self.cache.free)(slots)
        return ""

    # ---- requests

    def admit(self, line: Line) -> Said:
        """Start a request."""
        request = self.cache.admit(line.radix_key(), priority=line.number("priority"))
        self.requests[line.words[0]] = request
        return self.hit_of(request)

    def prefill(self, line: Line) -> Said:
        """Compute a request's prompt up to a position; `uncached` writes nothing back."""
        name, upto, *how = line.words
        self.requests[name].prefill(int(upto), cache="uncached" not in how)
        return ""

    def decode(self, line: Line) -> Said:
        """Give a request the tokens of a key as outputs."""
        for token in tokens(line.key):
            self.requests[line.words[0]].decode(token)
        return ""

    def serve(self, line: Line) -> Said:
        """Serve a whole request without outputs: admit, prefill, finish."""
        request = self.cache.admit(line.radix_key())
        said = self.hit_of(request)
        request.prefill(len(request.key))
        request.finish()
        return said

    def finish(self, line: Line) -> Said:
        """Finish requests."""
        for name in line.words:
            self.requests.pop(name).finish()
        return ""

    def retract(self, line: Line) -> Said:
        """Retract requests."""
        for name in line.words:
            self.requests.pop(name).retract()
        return ""

    def release_window(self, line: Line) -> Said:
        """Give up the window half of a request's lock."""
        return {"released": self.requests[line.words[0]].release_window()}

    def wait(self, line: Line) -> Said:
        """Let a request wait."""
        self.waiting[line.words[0]] = line.key
        return ""

    def plan(self, line: Line) -> Said:
        """Order those that wait by a schedule; says the order and, behind a bar, who had better wait."""
        plan = schedule(line.words[0], self.cache).plan(queue_of(self.waiting))
        return " ".join((named(plan, self.waiting), "|", *sorted(put_off(plan, self.waiting))))

    # ---- looks

    def request(self, line: Line) -> Said:
        """C is what the tree owns of a request, E up to where its window slots were given back.

        `checkpoint` is the position whose recurrent state must be stored.
        """
        request = self.requests[line.words[0]]
        return {
            "C": request.protected_tokens,
            "E": request.window_from,
            "row": len(request.row()),
            "branch": request.branching_point,
            "checkpoint": request.checkpoint_due,
        }

    def row(self, line: Line) -> Said:
        """The Full slots of a request by position."""
        return " ".join(map(str, self.requests[line.words[0]].row()))

    def windows(self, line: Line) -> Said:
        """Which positions of a request have window slots, as ranges."""
        live = [position for position, slot in enumerate(self.requests[line.words[0]].swa_row()) if slot]
        return " ".join(f"{start}:{end}" for start, end in runs(live))

    def compare(self, line: Line) -> Said:
        """Whether two holders of slots, by name or on a key's path, have the `same` in a range, or `other` ones."""
        both = [self.holder(name)[line.span] for name in line.words]
        if line.key:
            both.append(self.path(line)[line.span])
        first, second = both
        return "same" if first == second else "mixed" if set(first) & set(second) else "other"

    def keep(self, line: Line) -> Said:
        """Remember under a name which slots are on the path of a key now."""
        self.slots[line.words[0]] = self.path(line)
        return ""

    def peers(self, line: Line) -> Said:
        """The window slot beside each Full slot, 0 for none."""
        beside = window_peers(self.cache)
        return " ".join(str(beside.get(int(slot), 0)) for slot in line.words)

    def shape(self, line: Line) -> Said:
        """The nodes: start+length, S with window, t without."""
        return shape(self.cache)

    def locks(self, line: Line) -> Said:
        """The locks: full/window of each node."""
        return locks(self.cache)

    def free(self, line: Line) -> Said:
        """The free tokens of each pool."""
        return " ".join(map(str, free(self.cache)))

    def pool(self, line: Line) -> Said:
        """One pool in tokens."""
        return ledger(self.cache)[line.words[0]]._asdict()

    def reusable(self, line: Line) -> Said:
        """Free and evictable tokens of each pool together."""
        return " ".join(str(pool.free + pool.evictable) for pool in ledger(self.cache).values())

    def root(self, line: Line) -> Said:
        """The root."""
        return {"priority": self.cache.tree.root.priority}

    def hit_counts(self, line: Line) -> Said:
        """The hits of each node."""
        return " ".join(str(row.hits) for row in rows(self.cache))

    def priorities(self, line: Line) -> Said:
        """The priority of each node."""
        return " ".join(str(row.priority) for row in rows(self.cache))

    def insert_length(self, line: Line) -> Said:
        """How much of a request is written back, as pure arithmetic."""
        branch = line.options.get("branch")
        length = insert_length(line.number("n"), line.number("C"), None if branch is None else int(branch))
        return str(length)

    # ---- inside

    def hit_of(self, found: Any) -> Said:
        """Return the figures of a match or of an admission."""
        return {"hit": found.hit_tokens, "full": found.full_hit_tokens, "branch": found.branching_point}

    def standing(self, pool: str) -> list[str]:
        """Name each node that has state in a pool by the stream of its last token and its start."""
        return [name_of(row) for row in rows(self.cache) if pool == "full" or row.live]

    def holder(self, name: str) -> array[int]:
        """Return the slots of a request or those that a name was given to."""
        return self.requests[name].row() if name in self.requests else self.slots[name]

    def nodes_of(self, line: Line) -> list[Node]:
        """Return the nodes of a key's path from the root, whatever state they have; nothing is touched."""
        wanted, space = tuple(tokens(line.key)), (line.options.get("extra"), line.options.get("salt"))
        return [
            node
            for node, row in walk(self.cache)
            if row.namespace == space and row.start < len(wanted) and row.key[: len(wanted)] == wanted[: len(row.key)]
        ]

    def path(self, line: Line) -> array[int]:
        """Return the Full slots of a key's path."""
        return array("i", [slot for node in self.nodes_of(line) for slot in node.slots()])
