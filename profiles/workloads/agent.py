"""Agents: tool calls in a loop under long tool definitions that all tasks share, and helpers that they send for."""

from __future__ import annotations

from random import Random

from profiles.texts import Texts, dice
from profiles.tool_loop import RESULTS, Resume, Send, Step, ToolLoop
from profiles.workload import Prompt, Segments, Workload, WorkloadConfig

SYSTEM_PROMPTS = 2
SYSTEM_TOKENS = 192
TOOLS_TOKENS = 640
STEPS = (2, 6)
SUB_AGENTS = 0.15
"""How many of the steps send for a sub-agent, which works on a prompt of its own before the task goes on."""
SUB_AGENT_TOKENS = (128, 240)
"""The system prompt of a sub-agent, and the definitions of the few tools that it has."""
SUB_AGENT_STEPS = 2
TASK_TOKENS = (24, 96)
RESULT_TOKENS = (16, 160)
ANSWER_TOKENS = (8, 24)


class Agent(Workload):
    """Tasks of an agent: each step sends all that was said and found so far.

    Tasks of one kind share system prompt and tool definitions. A sub-agent has a prompt and tools of its own and a
    subtask; what it answers in the end is the result that the task goes on with.
    """

    def __init__(self, config: WorkloadConfig) -> None:
        super().__init__(config)
        families = ("system prompt", "tools", "task", "sub-agent", "subtask", RESULTS)
        self._texts = Texts(config.seed, config.vocabulary, families)

    def prompt(self, number: int) -> Prompt:
        """Return the first step of task `number`."""
        rng = dice(self.config.seed, "agent", number)
        kind = rng.randrange(self.config.system_prompts or SYSTEM_PROMPTS)
        system = self._texts.text("system prompt", kind, self.config.system_tokens or SYSTEM_TOKENS)
        shared = system + self._texts.text("tools", kind, TOOLS_TOKENS)
        task_tokens = rng.randint(*TASK_TOKENS)
        task = self._texts.text("task", number, self.config.question_tokens or task_tokens)
        steps = self._steps(rng, rng.randint(*STEPS))
        helpers = {
            step: self._sub_agent(number * STEPS[1] + step, kind, rng)
            for step in range(len(steps) - 1)
            if rng.random() < SUB_AGENTS
        }
        names: Segments = (
            (0, f"system prompt {kind + 1}"),
            (len(system), f"tools {kind + 1}"),
            (len(shared), f"task {number + 1}"),
        )
        return ToolLoop(self._texts, number * 2, steps, helpers).opening(shared + task, names)

    def _sub_agent(self, number: int, kind: int, rng: Random) -> Send:
        """Return what sends for a sub-agent of a kind of tasks and hands its last answer on."""
        steps = self._steps(rng, SUB_AGENT_STEPS)
        task_tokens = rng.randint(*TASK_TOKENS)

        def send(resume: Resume) -> Prompt:
            shared = self._texts.text("sub-agent", kind, sum(SUB_AGENT_TOKENS))
            task = self._texts.text("subtask", number, task_tokens)
            names: Segments = (
                (0, f"sub-agent {kind + 1}"),
                (SUB_AGENT_TOKENS[0], f"tools of sub-agent {kind + 1}"),
                (len(shared), f"subtask {number + 1}"),
            )
            return ToolLoop(self._texts, number * 2 + 1, steps, {}, resume).opening(shared + task, names)

        return send

    def _steps(self, rng: Random, count: int) -> tuple[Step, ...]:
        answers = [self.config.output_tokens or rng.randint(*ANSWER_TOKENS) for _ in range(count)]
        return tuple(Step(answer, rng.randint(*RESULT_TOKENS)) for answer in answers)
