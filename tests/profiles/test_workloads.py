"""The contract of every workload in the table, and what each of them promises on top."""

from __future__ import annotations

from array import array
from itertools import islice, pairwise

import pytest

from cache_core.errors import ConfigError
from profiles.workload import WORKLOADS, Prompt, Workload, WorkloadConfig


def build(name: str, **settings: int) -> Workload:
    return WORKLOADS.load(name)(WorkloadConfig(**settings))


def answered(prompt: Prompt, most: int = 20) -> list[Prompt]:
    """The prompt and every turn after it, each answered with as many tokens as it asks for."""
    turns = [prompt]
    while len(turns) < most and (follow_up := turns[-1].follow_up) is not None:
        turn = follow_up(array("i", range(turns[-1].output_tokens)))
        if turn is None:
            break
        turns.append(turn)
    return turns


def every_turn(workload: Workload, openings: int) -> list[Prompt]:
    return [turn for prompt in islice(workload.prompts(), openings) for turn in answered(prompt)]


def shape(prompt: Prompt) -> tuple[object, ...]:
    return (prompt.tokens, prompt.output_tokens, prompt.segments, prompt.extra_key, prompt.cache_salt)


def shared_tokens(left: array[int], right: array[int]) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )


@pytest.mark.parametrize("name", WORKLOADS)
class TestContract:
    def test_the_same_seed_gives_the_same_prompts(self, name: str) -> None:
        first, second = (list(map(shape, every_turn(build(name, seed=5), 30))) for _ in range(2))
        assert first == second

    def test_prompts_can_be_asked_for_again(self, name: str) -> None:
        workload = build(name, seed=5)
        list(map(shape, every_turn(workload, 30)))
        assert shape(workload.prompt(7)) == shape(build(name, seed=5).prompt(7))

    def test_another_seed_gives_other_tokens(self, name: str) -> None:
        assert build(name, seed=1).prompt(0).tokens != build(name, seed=2).prompt(0).tokens

    def test_requests_bounds_the_prompts(self, name: str) -> None:
        assert len(list(build(name, requests=11).prompts())) == 11

    def test_without_a_bound_the_prompts_do_not_end(self, name: str) -> None:
        assert len(list(islice(build(name).prompts(), 50))) == 50

    def test_tokens_are_int32_of_the_vocabulary(self, name: str) -> None:
        for prompt in every_turn(build(name, vocabulary=300), 20):
            assert prompt.tokens.typecode == "i"
            assert 0 <= min(prompt.tokens) <= max(prompt.tokens) < 300

    def test_every_prompt_asks_for_output(self, name: str) -> None:
        assert all(prompt.tokens and prompt.output_tokens >= 1 for prompt in every_turn(build(name), 30))

    def test_segments_ascend_from_zero_and_name_the_answer_at_the_end(self, name: str) -> None:
        for prompt in every_turn(build(name), 30):
            starts = [start for start, _ in prompt.segments]
            assert starts[0] == 0
            assert starts == sorted(set(starts))
            assert starts[-1] == len(prompt.tokens)
            assert prompt.segments[-1][1].startswith("answer")

    def test_equal_names_of_system_prompts_are_equal_tokens(self, name: str) -> None:
        seen: dict[tuple[str | None, str], array[int]] = {}
        for prompt in every_turn(build(name), 60):
            (_, text), (end, _) = prompt.segments[:2]
            if text.startswith("system prompt"):
                assert seen.setdefault((prompt.extra_key, text), prompt.tokens[:end]) == prompt.tokens[:end]

    def test_sizes_of_the_config_are_obeyed(self, name: str) -> None:
        config = {"system_prompts": 2, "system_tokens": 50, "question_tokens": 9, "output_tokens": 3}
        prompt = next(p for p in build(name, **config).prompts() if p.segments[0][1].startswith("system"))
        assert prompt.segments[1][0] == 50
        assert prompt.output_tokens == 3
        assert prompt.segments[-1][0] - prompt.segments[-2][0] == 9


@pytest.mark.parametrize("setting", ["vocabulary", "system_tokens", "output_tokens", "requests"])
def test_a_size_that_makes_no_prompt_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match=f"{setting} is -1; a workload needs at least"):
        WorkloadConfig(**{setting: -1})


def test_an_unknown_arrival_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="arrival 'burst' is unknown; choose from: grouped, interleaved"):
        WorkloadConfig(arrival="burst")  # type: ignore[arg-type]


class TestSharedPrompt:
    def test_default_sizes(self) -> None:
        prompt = build("shared_prompt").prompt(0)
        assert [start for start, _ in prompt.segments] == [0, 2055, 2151]
        assert prompt.output_tokens == 16

    def test_questions_share_the_system_prompt_and_not_one_token_more(self) -> None:
        prompts = [prompt.tokens for prompt in build("shared_prompt", requests=60, vocabulary=128).prompts()]
        lengths = {shared_tokens(a, b) for i, a in enumerate(prompts) for b in prompts[:i]}
        assert lengths == {2055}

    def test_several_system_prompts_are_all_used(self) -> None:
        prompts = build("shared_prompt", requests=60, system_prompts=4).prompts()
        assert {prompt.segments[0][1] for prompt in prompts} == {f"system prompt {n}" for n in range(1, 5)}


class TestFewShot:
    def test_default_sizes(self) -> None:
        prompt = build("few_shot").prompt(0)
        starts = [start for start, _ in prompt.segments]
        assert starts == [0, *range(128, 128 + 8 * 95, 95), 888, 936]
        assert prompt.output_tokens == 12

    def test_questions_of_a_task_share_its_examples_and_those_of_others_the_system_prompt(self) -> None:
        prompts = list(build("few_shot", requests=60, vocabulary=512, tasks=3).prompts())
        shared: dict[bool, set[int]] = {True: set(), False: set()}
        for i, one in enumerate(prompts):
            for other in prompts[:i]:
                same_task = one.segments[1][1] == other.segments[1][1]
                shared[same_task].add(shared_tokens(one.tokens, other.tokens))
        assert shared == {True: {888}, False: {128}}

    @pytest.mark.parametrize(
        ("arrival", "tasks"), [("grouped", "1" * 8 + "2" * 8 + "3" * 8 + "1"), ("interleaved", "123" * 8 + "1")]
    )
    def test_tasks_take_turns_by_prompt_or_by_group(self, arrival: str, tasks: str) -> None:
        workload = WORKLOADS.load("few_shot")(WorkloadConfig(requests=25, tasks=3, arrival=arrival))  # type: ignore[arg-type]
        assert "".join(prompt.segments[1][1][5] for prompt in workload.prompts()) == tasks

    def test_the_number_of_examples_is_obeyed(self) -> None:
        names = [name for _, name in build("few_shot", examples=2).prompt(0).segments]
        assert names == ["system prompt 1", "task 1, example 1", "task 1, example 2", "question 1", "answer 1"]


class TestChat:
    def test_a_turn_sends_all_that_was_said_before(self) -> None:
        first = build("chat").prompt(0)
        output = array("i", [7, 8, 9])
        assert first.follow_up is not None
        second = first.follow_up(output)
        assert second is not None
        assert second.tokens[: len(first.tokens) + 3] == first.tokens + output
        assert len(second.tokens) > len(first.tokens) + 3

    def test_the_answer_and_the_next_turn_are_named(self) -> None:
        first, second = answered(build("chat").prompt(0))[:2]
        names = [name for _, name in second.segments]
        assert names == [first.segments[0][1], "user turn 1", "answer 1", "user turn 2", "answer 2"]
        assert second.segments[3][0] == len(first.tokens) + first.output_tokens

    def test_a_conversation_ends_after_its_turns(self) -> None:
        assert {len(answered(prompt)) for prompt in build("chat", requests=60).prompts()} == {2, 3, 4, 5, 6}

    def test_a_turn_without_an_answer_ends_the_conversation(self) -> None:
        first = build("chat").prompt(0)
        assert first.follow_up is not None
        assert first.follow_up(array("i")) is None

    def test_conversations_share_the_system_prompt_and_not_one_token_more(self) -> None:
        prompts = [prompt.tokens for prompt in build("chat", requests=40, vocabulary=256).prompts()]
        assert {shared_tokens(a, b) for i, a in enumerate(prompts) for b in prompts[:i]} <= {0, 384}


class TestMixed:
    def test_every_kind_comes(self) -> None:
        names = {name.rstrip("0123456789 ") for prompt in build("mixed", requests=120).prompts()
                 for _, name in prompt.segments}  # fmt: skip
        assert names == {"system prompt", "document", "question", "user turn", "one-off", "answer"}

    def test_prompts_suit_a_tiny_model(self) -> None:
        lengths = sorted(len(prompt.tokens) for prompt in build("mixed", requests=300).prompts())
        assert 150 <= lengths[len(lengths) // 2] <= 700
        assert lengths[-1] <= 1_600

    def test_repeated_texts_are_most_of_the_load(self) -> None:
        prompts = list(build("mixed", requests=200).prompts())
        known: set[tuple[int, ...]] = set()
        reused = 0
        for prompt in prompts:
            prefixes = [tuple(prompt.tokens[:start]) for start, _ in prompt.segments[1:-1]]
            reused += max((len(prefix) for prefix in prefixes if prefix in known), default=0)
            known.update(prefixes)
        assert reused > 0.5 * sum(len(prompt.tokens) for prompt in prompts)

    def test_the_popular_document_changes(self) -> None:
        def favourite(first: int) -> str:
            workload = build("mixed")
            names = [name for number in range(first, first + 25) for _, name in workload.prompt(number).segments
                     if name.startswith("document")]  # fmt: skip
            return max(set(names), key=names.count)

        assert len({favourite(first) for first in range(0, 200, 25)}) >= 4

    def test_one_system_prompt_lives_in_a_namespace_of_its_own(self) -> None:
        by_key: dict[str | None, set[str]] = {}
        for prompt in build("mixed", requests=200).prompts():
            by_key.setdefault(prompt.extra_key, set()).add(prompt.segments[0][1])
        assert by_key["adapter 1"] == {"system prompt 5"}
        assert "system prompt 5" not in by_key[None]


class TestAgent:
    def test_a_step_sends_all_before_it_and_the_result_of_its_call(self) -> None:
        for number in range(10):
            steps = [turn for turn in answered(build("agent").prompt(number)) if not is_sub_agent(turn)]
            for before, after in pairwise(steps):
                said = before.tokens + array("i", range(before.output_tokens))
                assert after.tokens[: len(said)] == said
                assert [name.split()[0] for _, name in after.segments[-2:]] == ["result", "answer"]

    def test_tasks_of_a_kind_share_system_prompt_and_tools_and_not_one_token_more(self) -> None:
        prompts = [prompt.tokens for prompt in build("agent", requests=40, vocabulary=300).prompts()]
        assert {shared_tokens(a, b) for i, a in enumerate(prompts) for b in prompts[:i]} == {0, 832}

    def test_a_sub_agent_begins_anew_and_its_last_answer_is_the_result(self) -> None:
        turns = next(
            turns for prompt in build("agent").prompts() if any(map(is_sub_agent, turns := answered(prompt)))
        )
        first = next(at for at, turn in enumerate(turns) if is_sub_agent(turn))
        last = next(at for at in range(first, len(turns)) if not is_sub_agent(turns[at])) - 1
        assert last - first == 1
        answer = array("i", range(turns[last].output_tokens))
        assert turns[last + 1].tokens[-len(answer) :] == answer
        assert shared_tokens(turns[first].tokens, turns[first - 1].tokens) == 0

    def test_an_agent_without_an_answer_ends(self) -> None:
        first = build("agent").prompt(0)
        assert first.follow_up is not None
        assert first.follow_up(array("i")) is None


def is_sub_agent(prompt: Prompt) -> bool:
    return prompt.segments[0][1].startswith("sub-agent")


class TestRag:
    def test_passages_of_a_topic_come_in_several_orders(self) -> None:
        orders: dict[str, set[tuple[str, ...]]] = {}
        for prompt in build("rag", requests=200).prompts():
            passages = tuple(name.partition(", ")[2] for _, name in prompt.segments[1:-2])
            assert len(set(passages)) == 3
            orders.setdefault(prompt.segments[1][1].partition(",")[0], set()).add(passages)
        assert len(orders["topic 1"]) > 6

    def test_equal_passages_are_equal_tokens(self) -> None:
        seen: dict[str, array[int]] = {}
        for prompt in build("rag", requests=100).prompts():
            for (start, name), (end, _) in pairwise(prompt.segments[:-1]):
                assert seen.setdefault(name, prompt.tokens[start:end]) == prompt.tokens[start:end]
        assert len(seen) > 60
