"""Worked examples A1 to A8: three requests on one prefix, and what the cache saves.

Tokens are measured on the cache. Milliseconds and MiB are derived from them by the cost model.
S is the system prompt (512), F a few-shot block (1,543), Q and R the questions (96, 80), T a retrieved context
with its query (2,112).
"""

from __future__ import annotations

import pytest

from cache_core import PrefixCache, RadixKey
from profiles.cost_model import DERIVED, LLAMA_3_8B
from tests.support.caches import admit, full_cache, insert, key, tokens
from tests.support.observe import free, ledger, rows, shape

R1, R2, R3 = "S512 F1543 Q96", "S512 F1543 R80", "S512 T2112"


def roomy(page: int = 1) -> PrefixCache:
    """Return a cache that holds every example."""
    return full_cache(page=page, slots=16_384)


def serve(cache: PrefixCache, text: str) -> int:
    """Match a key, insert what it lacks, and return how many tokens the match saved."""
    found = cache.match(key(text))
    receipt = cache.lock(found.node)
    slots = found.slots() + cache.allocate(len(tokens(text)) - found.hit_tokens)
    cache.insert(key(text), slots, owned_tokens=found.hit_tokens)
    cache.unlock(receipt)
    return found.hit_tokens


def test_a1_three_requests_share_what_they_have_in_common() -> None:
    cache = roomy()
    saved = sum(serve(cache, text) for text in (R1, R2, R3))
    alone = sum(len(tokens(text)) for text in (R1, R2, R3))
    assert ledger(cache)["full"].evictable == 512 + 1543 + 96 + 80 + 2112 == 4343
    assert (alone, alone - 4343, saved) == (6910, 2567, 2567)
    assert LLAMA_3_8B.kv_mib(saved) == pytest.approx(320.9, abs=0.05)
    assert round(LLAMA_3_8B.prefill_ms(saved)) == 117
    assert LLAMA_3_8B.describe(saved) == "321 MiB, 117 ms (derived, Llama-3-8B, bf16)"
    assert DERIVED == "derived"


def test_a2_one_request_is_one_node() -> None:
    cache = roomy()
    serve(cache, R1)
    assert shape(cache) == "0+2151"
    assert cache.match(key(R1)).hit_tokens == 2151


def test_a3_a_match_cuts_the_edge_where_the_requests_part() -> None:
    cache = roomy()
    serve(cache, R1)
    slots = cache.match(key(R1)).slots()
    found = cache.match(key(R2))
    assert (found.hit_tokens, shape(cache)) == (2055, "0+2055 2055+96")
    assert cache.match(key(R1)).slots() == slots, "a split moves no slot, so it moves no KV"
    assert LLAMA_3_8B.index_move_bytes(2151) == 17_208
    assert len(tokens(R2)) - found.hit_tokens == 80
    assert round(LLAMA_3_8B.prefill_ms(found.hit_tokens)) == 93


def test_a4_one_lock_protects_the_whole_prefix() -> None:
    cache = roomy()
    serve(cache, R1)
    before = ledger(cache)["full"]
    cache.lock(cache.match(key(R2)).node)
    after = ledger(cache)["full"]
    assert (before.evictable, before.protected) == (2151, 0)
    assert (after.evictable, after.protected) == (96, 2055)
    assert round(LLAMA_3_8B.kv_mib(after.protected)) == 257


def test_a5_the_second_request_adds_its_question_and_keeps_the_shared_slots() -> None:
    cache = roomy()
    serve(cache, R1)
    shared = cache.match(key(R2)).slots()
    request = admit(cache, R2, prefilled=False)
    assert request.hit_tokens == 2055
    request.prefill(2135)
    request.finish()
    assert shape(cache) == "0+2055 2055+96 2055+80"
    assert cache.match(key(R2)).hit_tokens == 2135
    assert cache.match(key(R2)).slots()[:2055] == shared


def test_a5_duplicates_of_the_prefix_are_freed() -> None:
    cache = roomy()
    serve(cache, R1)
    assert cache.match(key(R2)).hit_tokens == 2055
    before = free(cache)
    assert insert(cache, R2).present_tokens == 2055
    assert (shape(cache), free(cache)[0]) == ("0+2055 2055+96 2055+80", before[0] - 80)


def test_a6_a_dead_context_goes_in_one_pop_and_never_the_prompt_that_others_stand_on() -> None:
    cache = roomy()
    children = [tokens("S512") + tokens(f"C{n * 8}:{n * 8 + 8}") for n in range(400)]
    for child in children:
        cache.insert(RadixKey(child), cache.allocate(len(child)))
    serve(cache, R3)
    for child in children:  # they are in use, the context is not
        assert cache.match(RadixKey(child)).hit_tokens == 520
    gone = cache.evict(full_tokens=300)
    assert (gone.victims, gone.full_tokens) == (1, 2112)
    assert LLAMA_3_8B.kv_mib(gone.full_tokens) == 264
    assert rows(cache)[0].length == 512 and len(rows(cache)) == 401


@pytest.mark.parametrize(
    ("page", "matched", "again", "again_ms"),
    [(1, 2055, 0, 0.0), (16, 2048, 7, 0.32)],
)
def test_a7_larger_pages_prefill_the_rest_of_a_page_again(
    page: int, matched: int, again: int, again_ms: float
) -> None:
    cache = roomy(page)
    insert(cache, R1)
    found = cache.match(key(R2))
    assert (found.hit_tokens, 2055 - found.hit_tokens) == (matched, again)
    assert round(LLAMA_3_8B.prefill_ms(again), 2) == again_ms


def test_a7_the_worst_case_is_a_page_less_one_token() -> None:
    cache = roomy(16)
    insert(cache, "A32")
    again = 31 - cache.match(key("A31 B1")).hit_tokens
    assert (again, round(LLAMA_3_8B.prefill_ms(again), 2)) == (15, 0.68)


def test_a8_the_next_turn_prefills_the_new_message_alone() -> None:
    cache = roomy()
    serve(cache, "A4300")
    serve(cache, "A4300 R300")
    found = cache.match(key("A4300 R300 U120"))
    assert (found.hit_tokens, 4720 - found.hit_tokens) == (4600, 120)
    assert round(LLAMA_3_8B.prefill_ms(found.hit_tokens)) == 209


def test_a8_the_last_sampled_token_of_a_reply_has_no_kv() -> None:
    cache = roomy()
    turn = admit(cache, "A4300")
    for token in tokens("R300")[:-1]:  # the 300th token ends the request and is never computed
        turn.decode(token)
    turn.finish()
    assert cache.match(key("A4300 R300 U120")).hit_tokens == 4599
    turn = admit(cache, "A4300 R300 U120", prefilled=False)
    assert (turn.hit_tokens, 4720 - turn.hit_tokens) == (4599, 121)
