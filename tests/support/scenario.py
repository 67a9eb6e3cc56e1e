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

from cache_core import CacheError, PrefixCache, RadixKey, check_integrity
from tests.support.caches import tokens
from tests.support.scenario_looks import Looks
from tests.support.script import Line, Said, compare, ranges


class Scenario(Looks):
    """Plays a script. Each operation is a line of it."""

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

    def reset(self, line: Line) -> Said:
        """Forget everything."""
        self.cache.reset()
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

    # ---- host

    def transfers(self, line: Line) -> Said:
        """Take the transfers that are queued; says number, direction and tokens of each."""
        return "; ".join(
            f"{transfer.id} {transfer.direction} "
            + " ".join(f"{name}:{len(device)}" for name, (device, _) in transfer.parts.items())
            for transfer in self.tier.take_transfers()
        )

    def complete(self, line: Line) -> Said:
        """Say that transfers were made."""
        for number in line.words:
            self.tier.complete(int(number))
        return ""

    def load(self, line: Line) -> Said:
        """Load back what a request hit on the host."""
        return {"gained": self.requests[line.words[0]].load_back()}

    def drop(self, line: Line) -> Said:
        """Drop copies until so many tokens more are free on the host; says how many there are."""
        before = {name: pool["free"] for name, pool in self.tier.stats().items()}
        self.tier.evict(line.number("full"), line.number("swa"))
        return {name: pool["free"] - before[name] for name, pool in self.tier.stats().items()}
