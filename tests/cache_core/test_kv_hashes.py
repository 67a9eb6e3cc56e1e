"""The names of pages: the chain of the field, namespaces apart, the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cache_core.key import PLAIN, pack
from cache_core.key import namespace as namespace_of
from cache_core.kv_hashes import DIGEST_BYTES, chain_seed, event_hashes, page_digests
from tests.support.kv_consumer import decode, messages

pytestmark = pytest.mark.one_backend("no tree")

PAGE_BYTES = 16
EIGHT = pack(range(1, 9))

PRINTS_HASHES = """
from cache_core.key import namespace, pack
from cache_core.kv_hashes import chain_seed, event_hashes, page_digests
for names in ((None, None), ("lora", None), (None, "salt"), ("lora", "salt")):
    space = namespace(*names)
    print(event_hashes(page_digests(chain_seed(space.cache_salt), pack(range(64)), 16), space))
"""


def hashes(tokens: bytes, extra_key: str | None = None, salt: str | None = None) -> list[int]:
    """Return the event hashes of the pages of four tokens below the root."""
    return event_hashes(page_digests(chain_seed(salt), tokens, PAGE_BYTES), namespace_of(extra_key, salt))


def test_two_pages_have_the_published_hashes() -> None:
    assert hashes(EIGHT) == [-3488128144981237669, 5674439469042975057]


def test_a_page_goes_on_from_the_digest_before_it() -> None:
    whole = page_digests(b"", EIGHT, PAGE_BYTES)
    assert page_digests(whole[:DIGEST_BYTES], EIGHT[PAGE_BYTES:], PAGE_BYTES) == whole[DIGEST_BYTES:]


def test_equal_pages_in_a_row_have_different_hashes() -> None:
    assert len(set(event_hashes(page_digests(b"", pack([7] * 6), 8), PLAIN))) == 3


def test_no_two_namespaces_share_a_hash() -> None:
    names = [(None, None), ("a", None), ("b", None), (None, "a"), ("a", "b"), ("ab", None), ("b", "a"), ("", None)]
    found = [block for extra_key, salt in names for block in hashes(EIGHT, extra_key, salt)]
    assert len(set(found)) == 2 * len(names)


def test_the_empty_salt_is_no_salt() -> None:
    assert hashes(EIGHT, None, "") == hashes(EIGHT)


@pytest.mark.parametrize("salted", [False, True])
def test_hashes_are_those_of_a_recorded_stream(salted: bool) -> None:
    compared = 0
    for _, _, payload in messages("sglang_0.5.23_page16"):
        for event in decode(payload).events:
            salt = event.get("cache_salt")
            if event["type"] == "BlockStored" and event["parent_block_hash"] is None and bool(salt) == salted:
                tokens = pack(event["token_ids"])
                digests = page_digests(chain_seed(salt), tokens, 4 * event["block_size"])
                assert event_hashes(digests, namespace_of(None, salt)) == event["block_hashes"]
                compared += 1
    assert compared


def test_hashes_do_not_depend_on_the_process() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINTS_HASHES],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
