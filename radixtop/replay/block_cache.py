"""A prefix cache in which a token of a key stands for a whole block of a prompt.

A key is the ids of a prompt and one token more: the last token of the prompt, which is always computed and never
cached. So a prompt whose blocks are all there hits all of them, where a key of ids alone would have its last block
computed again.
"""

from __future__ import annotations

from cache_core.cache import PrefixCache
from cache_core.request import Request


class BlockRequest(Request):
    """A request that writes back all but the last token of its key."""

    __slots__ = ()

    def _reach(self) -> int:
        return min(super()._reach(), len(self.key) - 1)


class BlockCache(PrefixCache):
    """A prefix cache of page 1 and one component that finishes with `finish_branch` "branch": the end of a key is
    not to be written after all.
    """

    request_class = BlockRequest
