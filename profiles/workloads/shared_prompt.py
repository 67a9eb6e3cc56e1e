"""Long system prompts, short questions: the load on which keeping the window at a branching point pays most."""

from __future__ import annotations

from profiles.texts import Texts, dice
from profiles.workload import Prompt, Workload, WorkloadConfig

SYSTEM_PROMPTS = 1
SYSTEM_TOKENS = 2_055
QUESTION_TOKENS = 96
OUTPUT_TOKENS = 16


class SharedPrompt(Workload):
    """Every request is a system prompt, the same for all by default, and a question that no other one asks."""

    def __init__(self, config: WorkloadConfig) -> None:
        super().__init__(config)
        texts = Texts(config.seed, config.vocabulary, ("system prompt", "question"))
        system_tokens = config.system_tokens or SYSTEM_TOKENS
        self._texts = texts
        self._systems = [
            texts.text("system prompt", number, system_tokens)
            for number in range(config.system_prompts or SYSTEM_PROMPTS)
        ]

    def prompt(self, number: int) -> Prompt:
        """Return question `number` under one of the system prompts, each as likely as the other."""
        chosen = dice(self.config.seed, "choice", number).randrange(len(self._systems))
        system = self._systems[chosen]
        tokens = system + self._texts.text("question", number, self.config.question_tokens or QUESTION_TOKENS)
        return Prompt(
            tokens=tokens,
            output_tokens=self.config.output_tokens or OUTPUT_TOKENS,
            segments=(
                (0, f"system prompt {chosen + 1}"),
                (len(system), f"question {number + 1}"),
                (len(tokens), f"answer {number + 1}"),
            ),
        )
