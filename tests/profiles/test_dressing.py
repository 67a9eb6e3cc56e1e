"""What is put over a workload changes what a cache is shown, and nothing of what is asked."""

from __future__ import annotations

from array import array
from collections import Counter

import pytest

from cache_core.errors import ConfigError
from profiles.workload import WORKLOADS, Prompt, Workload
from profiles.workload_options import make_workload


def make(name: str, **options: str) -> Workload:
    return make_workload(name, options.items(), seed=3, vocabulary=1000)


def turns(prompt: Prompt) -> list[Prompt]:
    found = [prompt]
    while (follow_up := found[-1].follow_up) is not None and (
        turn := follow_up(array("i", range(found[-1].output_tokens)))
    ) is not None:
        found.append(turn)
    return found


def agreement(left: array[int], right: array[int]) -> int:
    return next(at for at in range(len(left)) if left[at] != right[at])


def test_without_options_a_workload_is_itself() -> None:
    assert type(make("chat")) is WORKLOADS.load("chat")


@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("options", [{"salt": "request"}, {"timestamp": "first"}, {"timestamp": "last"}])
def test_every_turn_says_what_it_said_beside_the_stamp(name: str, options: dict[str, str]) -> None:
    for number in range(8):
        plain, dressed = turns(make(name).prompt(number)), turns(make(name, **options).prompt(number))
        for before, after in zip(plain, dressed, strict=True):
            words = {"first": 12, "last": 12}.get(options.get("timestamp", ""), 0)
            at = 0 if options.get("timestamp") == "first" else len(before.tokens)
            assert after.tokens[:at] + after.tokens[at + words :] == before.tokens
            assert after.output_tokens == before.output_tokens
            assert after.segments[-1] == (len(after.tokens), before.segments[-1][1])


def test_every_request_has_a_salt_of_its_own() -> None:
    prompts = [turn for number in range(30) for turn in turns(make("chat", salt="request").prompt(number))]
    assert None not in {turn.cache_salt for turn in prompts}
    assert len({turn.cache_salt for turn in prompts}) == len(prompts)


def test_timestamps_share_their_words_and_differ_in_their_digits() -> None:
    prompts = [turn.tokens for number in range(30) for turn in turns(make("chat", timestamp="first").prompt(number))]
    agreements = [agreement(a, b) for at, a in enumerate(prompts) for b in prompts[:at]]
    assert 4 <= min(agreements) <= max(agreements) < 12


def test_tenants_have_their_shares_their_names_and_their_texts() -> None:
    prompts = [make("shared_prompt", tenants="6,3,1").prompt(number) for number in range(300)]
    shares = Counter(prompt.extra_key for prompt in prompts)
    assert shares.keys() == {"tenant 1", "tenant 2", "tenant 3"}
    assert 150 < shares["tenant 1"] < 210 and 10 < shares["tenant 3"] < 50
    assert len({(prompt.extra_key, prompt.tokens[:2055].tobytes()) for prompt in prompts}) == 3
    assert len({prompt.tokens[:2055].tobytes() for prompt in prompts}) == 3


def test_an_adapter_stays_apart_within_a_tenant() -> None:
    keys = {make("mixed", tenants="1,1").prompt(number).extra_key for number in range(200)}
    assert keys == {"tenant 1", "tenant 2", "tenant 1, adapter 1", "tenant 2, adapter 1"}


def test_sizes_are_those_that_were_told() -> None:
    prompt = make("shared_prompt", system_tokens="300", question_tokens="20", output_tokens="5").prompt(0)
    assert [start for start, _ in prompt.segments] == [0, 300, 320]
    assert prompt.output_tokens == 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"color": "red"}, "workload option 'color' is unknown; choose from: system_prompts, system_tokens"),
        ({"salt": "session"}, "salt 'session' is unknown; choose from: none, request"),
        ({"timestamp": "middle"}, "timestamp 'middle' is unknown; choose from: none, first, last"),
        ({"tenants": "1,x"}, "workload option tenants is 'x', a number is needed"),
        ({"tenants": "1,0"}, "a tenant has a share of 0; at least 1 is needed"),
        ({"system_tokens": "-1"}, "workload option system_tokens is '-1', a number is needed"),
        ({"system_tokens": "0"}, "system_tokens is 0; a workload needs at least 1"),
        ({"system_tokens": "9" * 5_000}, "a number is needed"),
        ({"arrival": "burst"}, "arrival 'burst' is unknown"),
    ],
)
def test_an_option_that_means_nothing_is_refused(options: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make("chat", **options)
