"""A table for terminals: what changed on the whole, then the frames that changed most.

Signs and words say what colours say; without a terminal there are none, and lines are as long as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from profiles.amounts import amount, share, signed
from profiles.diff.difference import ChangedRow, Difference
from profiles.diff.format import DiffOptions, TextDiffFormat
from profiles.diff.paths import paths

_RED, _BLUE, _FAINT, _PLAIN = "\x1b[31m", "\x1b[34m", "\x1b[2m", "\x1b[0m"
_BAR = 60


class Table(TextDiffFormat):
    """The `top` frames by how much they changed themselves."""

    suffix = ".txt"

    def pieces(self, difference: Difference, options: DiffOptions) -> Iterator[str]:
        """Yield the lines."""
        yield from _summary(difference, options)
        changed = _most_changed(difference, options)
        if not changed:
            yield "no frame differs\n"
            return
        place = difference.weights.index(options.weight)
        yield "\n" + _line(("change", "before", "after", "", "frame"))
        for row, path in changed[: options.top]:
            own = row.own[place]
            words = (
                signed(own.delta, options.weight),
                *(amount(side, options.weight) for side in own[:2]),
                own.status,
            )
            line = _line((*words, _fitted(path, options.width)))
            yield _coloured(line, own.delta, options)
        if len(changed) > options.top:
            rest = len(changed) - options.top
            yield _painted(f"... and {rest:,} more; --top {len(changed)} shows all\n", _FAINT, options)


def _summary(difference: Difference, options: DiffOptions) -> Iterator[str]:
    weight = options.weight
    change = difference.balance(weight)
    yield f"{difference.before_title} -> {difference.after_title}\n"
    whole = f"{amount(change.before, weight)} -> {amount(change.after, weight)} ({signed(change.delta, weight)})"
    yield f"{difference.captions[weight]}: {whole}\n"
    if not change.wide:
        return
    names = ("retained", "inserted", "evicted") if weight == "tokens" else ("in both", "more", "less")
    parts = (change.kept, change.grown, change.shrunk)
    signs = ("", "+", "-")
    cells = [round(_BAR * part / change.wide) for part in parts]
    colours = (_FAINT, _RED, _BLUE)
    yield "".join(_painted(mark * n, ink, options) for mark, n, ink in zip("=+-", cells, colours, strict=True)) + "\n"
    told = [
        _painted(f"{name} {sign * bool(part)}{amount(part, weight)} ({share(part, change.wide)})", ink, options)
        for name, part, sign, ink in zip(names, parts, signs, ("", _RED, _BLUE), strict=True)
    ]
    yield "  ".join(told) + "\n"
    if weight == "tokens" and difference.returned_tokens is not None:
        yield f"of what was inserted, {amount(difference.returned_tokens, weight)} had been evicted before\n"


def _most_changed(difference: Difference, options: DiffOptions) -> list[tuple[ChangedRow, tuple[str, ...]]]:
    place = difference.weights.index(options.weight)
    rows = [(row, path) for row, path in paths(difference, options.parts) if row.own[place].delta]
    return sorted(rows, key=lambda pair: (-abs(pair[0].own[place].delta), pair[1]))


def _line(words: tuple[str, ...]) -> str:
    change, before, after, status, frame = words
    return f"{change:>10} {before:>10} {after:>10}  {status:<6}  {frame}\n"


def _fitted(path: tuple[str, ...], width: int | None) -> str:
    """Return a path, without its middle and then without its beginning where it has too much for the width."""
    text = " > ".join(path)
    room = None if width is None else max(width - 42, 16)
    if room is None or len(text) <= room:
        return text
    for skipped in range(1, len(path) - 1):
        text = " > ".join((path[0], "...", *path[skipped + 1 :]))
        if len(text) <= room:
            return text
    text = path[-1]
    return text if len(text) <= room else f"...{text[3 - room :]}"


def _coloured(line: str, delta: int, options: DiffOptions) -> str:
    return _painted(line[:-1], _RED if delta > 0 else _BLUE, options) + "\n"


def _painted(text: str, ink: str, options: DiffOptions) -> str:
    return f"{ink}{text}{_PLAIN}" if options.colour and ink and text else text
