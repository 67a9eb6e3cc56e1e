"""Retrieval: a system prompt, the passages that were found, in an order that varies, and a question about them."""

from __future__ import annotations

from array import array

from profiles.texts import Texts, dice, popular
from profiles.workload import Prompt, Segments, Workload, WorkloadConfig

SYSTEM_PROMPTS = 1
SYSTEM_TOKENS = 512
TOPICS = 40
TOPIC_PASSAGES = 4
"""How many passages there are about a topic."""
FOUND_PASSAGES = 3
"""How many of them go into a prompt."""
PASSAGE_TOKENS = (64, 160)
BEST_FIRST = 0.6
"""How often the passage that fits the topic best is the first one; else all of those found are shuffled."""
QUESTION_TOKENS = 24
OUTPUT_TOKENS = 16


class Rag(Workload):
    """Questions about popular topics; the passages of a topic come in one order or another.

    Two prompts about one topic share what stands before the first passage in which they differ, and nothing after it,
    though most of the rest is the same text.
    """

    def __init__(self, config: WorkloadConfig) -> None:
        super().__init__(config)
        self._texts = Texts(config.seed, config.vocabulary, ("system prompt", "passage", "question"))

    def prompt(self, number: int) -> Prompt:
        """Return question `number`, with what was found for it."""
        config, rng = self.config, dice(self.config.seed, "rag", number)
        system = rng.randrange(config.system_prompts or SYSTEM_PROMPTS)
        tokens = self._texts.text("system prompt", system, config.system_tokens or SYSTEM_TOKENS)
        segments: Segments = ((0, f"system prompt {system + 1}"),)
        topic = popular(rng, TOPICS)
        best, *others = range(TOPIC_PASSAGES)
        found = [best, *rng.sample(others, FOUND_PASSAGES - 1)]
        if rng.random() >= BEST_FIRST:
            rng.shuffle(found)
        for passage in found:
            segments = (*segments, (len(tokens), f"topic {topic + 1}, passage {passage + 1}"))
            tokens = tokens + self._passage(topic * TOPIC_PASSAGES + passage)
        question = self._texts.text("question", number, config.question_tokens or QUESTION_TOKENS)
        asked = tokens + question
        names = ((len(tokens), f"question {number + 1}"), (len(asked), f"answer {number + 1}"))
        return Prompt(asked, config.output_tokens or OUTPUT_TOKENS, (*segments, *names))

    def _passage(self, number: int) -> array[int]:
        tokens = dice(self.config.seed, "passage size", number).randint(*PASSAGE_TOKENS)
        return self._texts.text("passage", number, tokens)
