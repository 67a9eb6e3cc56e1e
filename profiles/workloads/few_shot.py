"""Few-shot prompting: every question of a task comes after the same examples, whose order is always the same."""

from __future__ import annotations

from profiles.texts import Texts
from profiles.workload import Prompt, Segments, Workload, WorkloadConfig

SYSTEM_PROMPTS = 1
SYSTEM_TOKENS = 128
TASKS = 6
EXAMPLES = 8
EXAMPLE_TOKENS = 95
QUESTION_TOKENS = 48
OUTPUT_TOKENS = 12
GROUP_PROMPTS = 8  # of one task, before those of the next when they arrive grouped


class FewShot(Workload):
    """Instructions, the examples of one of several tasks, and a question that no other prompt asks.

    Tasks take turns: prompt by prompt when they arrive interleaved, a group of prompts at a time when grouped.
    """

    def __init__(self, config: WorkloadConfig) -> None:
        super().__init__(config)
        self._texts = Texts(config.seed, config.vocabulary, ("system prompt", "example", "question"))
        self._contexts = [self._context(task) for task in range(config.tasks or TASKS)]

    def prompt(self, number: int) -> Prompt:
        """Return question `number`, of the task whose turn it is."""
        group = 1 if self.config.arrival == "interleaved" else GROUP_PROMPTS
        context = self._contexts[number // group % len(self._contexts)]
        question = self._texts.text("question", number, self.config.question_tokens or QUESTION_TOKENS)
        tokens = context.tokens + question
        names = ((len(context.tokens), f"question {number + 1}"), (len(tokens), f"answer {number + 1}"))
        return Prompt(tokens, self.config.output_tokens or OUTPUT_TOKENS, (*context.segments, *names))

    def _context(self, task: int) -> Prompt:
        """Return what every prompt of a task begins with."""
        config = self.config
        system = task % (config.system_prompts or SYSTEM_PROMPTS)
        tokens = self._texts.text("system prompt", system, config.system_tokens or SYSTEM_TOKENS)
        segments: Segments = ((0, f"system prompt {system + 1}"),)
        examples = config.examples or EXAMPLES
        for example in range(examples):
            segments = (*segments, (len(tokens), f"task {task + 1}, example {example + 1}"))
            tokens = tokens + self._texts.text("example", task * examples + example, EXAMPLE_TOKENS)
        return Prompt(tokens, 1, segments)
