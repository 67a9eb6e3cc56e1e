"""What a step takes, measured from a recording: the costs that explain the durations of its steps best.

Least squares over every step, with costs that are not negative:

    duration = overhead + prefilled tokens / rate + (step, if anybody decodes) + requests that decode * share
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import sqrt

from cache_core.events import EngineStep
from probes.errors import RecordingError
from profiles.step_costs import StepCosts

_SECOND_NS = 1e9
_OVERHEAD, _PREFILL, _STEP, _REQUEST = range(4)
_LEAST_PIVOT = 1e-9
"""A column that the others explain to this share has no cost of its own."""


def fit_steps(steps: Iterable[EngineStep], name: str) -> StepCosts:
    """Return the costs of the engine that made these steps. Raises RecordingError when they do not tell them."""
    products = [[0.0] * 4 for _ in range(4)]
    targets = [0.0] * 4
    for step in steps:
        if step.duration_ns <= 0:  # was not measured
            continue
        row = (1.0, float(step.prefill_tokens), float(step.decode_tokens > 0), float(step.decode_tokens))
        for i, left in enumerate(row):
            targets[i] += left * step.duration_ns
            for j, right in enumerate(row):
                products[i][j] += left * right
    costs = _not_negative(products, targets)
    if costs[_PREFILL] <= 0:
        raise RecordingError(
            f"{name} does not tell how fast its engine prefills", "name a recording with steps of an engine"
        )
    return StepCosts(
        name=f"measured from {name}",
        prefill_tokens_per_s=_SECOND_NS / costs[_PREFILL],
        decode_step_ns=round(costs[_STEP]),
        decode_request_ns=round(costs[_REQUEST]),
        overhead_ns=round(costs[_OVERHEAD]),
    )


def _not_negative(products: list[list[float]], targets: list[float]) -> list[float]:
    """Solve the normal equations, leaving out one after the other the cost that would be the most negative."""
    order = (_PREFILL, _STEP, _REQUEST, _OVERHEAD)  # what is explained twice counts as the first
    columns = [column for column in order if products[column][column] > 0]
    while True:
        found = _solved(products, targets, columns)
        worst = min(columns, key=lambda column: found[column] * _scale(products, column), default=None)
        if worst is None or found[worst] >= 0:
            return found
        columns.remove(worst)


def _scale(products: list[list[float]], column: int) -> float:
    return sqrt(products[column][column])


def _solved(products: list[list[float]], targets: list[float], columns: Collection[int]) -> list[float]:
    """Solve the equations of some columns by elimination; a column that others explain costs nothing."""
    rows = {i: {j: products[i][j] for j in columns} for i in columns}
    right = {i: targets[i] for i in columns}
    solved: list[int] = []
    for column in columns:
        pivot = rows[column][column]
        if pivot <= _LEAST_PIVOT * products[column][column]:
            continue
        solved.append(column)
        for i in columns:
            if i != column:
                factor = rows[i][column] / pivot
                right[i] -= factor * right[column]
                for j in columns:
                    rows[i][j] -= factor * rows[column][j]
    costs = [0.0] * 4
    for column in solved:
        costs[column] = right[column] / rows[column][column]
    return costs
