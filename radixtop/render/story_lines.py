"""The story of one request as lines: its bar, its two boundaries, why it missed what it missed, its steps."""

from __future__ import annotations

from textwrap import wrap

from probes.lives.misses import MISS_CLASSES
from radixtop.render.flow import broken, hanging
from radixtop.render.lines import BLANK, Line, Span, left, right
from radixtop.render.miss_reasons import why
from radixtop.render.miss_words import DEVICE, HOST, WORDS, name_of
from radixtop.render.request_lines import STATES, prompt_bar
from radixtop.render.units import age, duration, grouped, share
from radixtop.requestlog.page import Story

_CLASS_WIDTH, _TOKENS_WIDTH = 18, 8


def story_lines(story: Story, width: int, came: str = "") -> list[Line]:
    """Return everything about a request; `came` says when it came, where that is not told by how long ago."""
    return [
        *_head(story, width, came), BLANK, *_prompt(story, width), BLANK, (("why", "head"),),
        *_misses(story, width), BLANK, (("step by step", "head"),), *_steps(story, width),
    ]  # fmt: skip


def _head(story: Story, width: int, came: str) -> list[Line]:
    row = story.row
    sign, role = STATES[row.state]
    reason = f" ({story.reason})" if story.reason else ""
    where = f"   namespace {row.namespace}" if row.namespace else ""
    lines: list[Line] = [
        ((f"{sign} {row.state}{reason}", role), (f"   came {came or f'{age(row.age_ns)} ago'}{where}", "text")),
        ((row.label or "no labels", "text" if row.label else "dim"),),
    ]
    parts = f"queued {duration(row.queued_ns)}, prefill {duration(story.prefill_ns)}"
    out = "-" if row.output_tokens is None else grouped(row.output_tokens)
    about = "about " if row.state == "running" and row.output_tokens is not None else ""
    ttft: Line = (
        ("first token after ", "label"), (duration(row.ttft_ns), "value"), (f"  ({parts})", "text"),
        ("   output tokens ", "label"), (f"{about}{out}", "value"),
    )  # fmt: skip
    times = "once" if row.retractions == 1 else f"{row.retractions} times"
    again: Line = ((f"retracted {times}: hits are those of its first admission", "warn"),)
    return [*lines, *broken(ttft, width), *[again] * (row.retractions > 0)]


def _prompt(story: Story, width: int) -> list[Line]:
    row, tokens = story.row, story.row.tokens
    if not row.is_known:
        return [((f"{grouped(tokens.prompt)} prompt tokens; what of them hits is not known", "dim"),)]
    hit: Line = (
        (grouped(tokens.hit), "device"),
        (f" of {grouped(tokens.prompt)} prompt tokens were hits, ", "text"),
        (share(tokens.hit / tokens.prompt if tokens.prompt else None), "device"),
    )
    return [hit, prompt_bar(tokens, width), boundaries(story, width)]


def boundaries(story: Story, width: int) -> Line:
    """Return the scale under a bar: where the hit ends, where the known part does, and the branching point."""
    row, marks = story.row, [" "] * width
    prompt = max(1, row.tokens.prompt)

    def put(position: int, text: str) -> None:
        place = min(width - len(text), max(0, round(position * width / prompt) - (len(text) > 1)))
        if all(mark == " " for mark in marks[place : place + len(text)]) and len(text) <= width:
            marks[place : place + len(text)] = text

    point = row.branching_point
    if row.full_boundary > row.hit_boundary:
        put(row.full_boundary, f"{'◇' if point is not None else '^'} known {grouped(row.full_boundary)}")
    put(row.hit_boundary, f"^ hit {grouped(row.hit_boundary)}")
    return (("".join(marks).rstrip(), "label"),)


def _misses(story: Story, width: int) -> list[Line]:
    tokens = story.row.tokens
    lines: list[Line] = []
    for word, amount in ((DEVICE, tokens.device), (HOST, tokens.loaded)):
        if amount:
            lines.append(_amount(amount, (f"{word.glyph} {word.name} hit", word.role), ""))
    room = max(20, width - _CLASS_WIDTH - _TOKENS_WIDTH - 2)
    for miss in sorted(MISS_CLASSES, key=tokens.of, reverse=True):
        if not tokens.of(miss):
            continue
        word = WORDS[miss]
        because, helps = why(miss, story)
        texts = wrap(because, room)
        lines.append(
            _amount(
                tokens.of(miss),
                (f"{word.glyph} {name_of(miss, story.remembers_all, story.lacking)}", word.role),
                texts[0],
            )
        )
        indent = " " * (_CLASS_WIDTH + _TOKENS_WIDTH + 2)
        lines += [((indent + text, "text"),) for text in texts[1:]]
        lines += [((indent + text, "good"),) for text in wrap(f"helps: {helps}" if helps else "", room)]
    return lines or [(("nothing was missed", "dim"),)]


def _amount(amount: int, name: Span, text: str) -> Line:
    return (
        (right(grouped(amount), _TOKENS_WIDTH), "value"), (" ", "text"), (left(name[0], _CLASS_WIDTH), name[1]),
        (f" {text}", "text"),
    )  # fmt: skip


def _steps(story: Story, width: int) -> list[Line]:
    steps: list[list[Line]] = []
    for step in story.steps:
        start: Line = ((f"{'+' + duration(step.after_ns):>8}  ", "dim"), (left(step.word, 10), "label"))
        steps.append(hanging(start, (step.text, "text"), width))
    if story.steps_left_out:
        left_out = f"{'':>8}  {story.steps_left_out:,} steps in between were not kept"
        steps.insert(len(steps) // 2, [((left_out, "warn"),)])
    return [line for lines in steps for line in lines]
