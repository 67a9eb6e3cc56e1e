"""What was found, as lines for a person and as a document. Names that servers gave are cleaned here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from radixtop.check import Finding
from radixtop.doctor.examine import Examined
from radixtop.printable import clean

SCHEMA = 1
_LEAST_WIDTH = 10


def lines_of(examined: Sequence[Examined]) -> Iterator[str]:
    """Yield lines of plain text: a headline for each that was examined, a line a finding, what to do below it."""
    for number, each in enumerate(examined):
        if number:
            yield ""
        yield clean(each.target or "this machine")
        yield from _told(each.findings)


def document_of(examined: Iterable[Examined]) -> dict[str, object]:
    """Return the same as a document."""
    return {
        "schema": SCHEMA,
        "checked": [
            {
                "target": each.target,
                "reachable": each.is_reachable,
                "findings": [_fields_of(finding) for finding in each.findings],
            }
            for each in examined
        ],
    }


def _told(findings: Sequence[Finding]) -> Iterator[str]:
    width = max([_LEAST_WIDTH, *(len(each.what) for each in findings)])
    for each in findings:
        yield clean(f"  {each.status:<8} {each.what:<{width}}  {each.says}")
        if each.hint:
            yield clean(f"  {'':<8} {'':<{width}}  do: {each.hint}")


def _fields_of(finding: Finding) -> dict[str, object]:
    return {
        "status": str(finding.status),
        "what": finding.what,
        "says": finding.says,
        "hint": finding.hint,
        "needed": finding.is_needed,
    }
