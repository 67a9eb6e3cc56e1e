"""`radixtop profile tenants`: which namespace holds how much, hits how much, and evicts whose."""

from __future__ import annotations

from radixtop import options as flag


def tenants(file: flag.RecordingFile, json: flag.Document = False, output: flag.Output = None) -> None:
    """Report tenants: what each namespace holds against what it hits, and whose tokens made room for whom.

    Example: radixtop profile tenants run.rtrec
    """
    from profiles.reports.tenants import Tenants
    from radixtop.reports.reporting import result_of, write_document, write_lines
    from radixtop.reports.texts.tenants import lines

    report, title, missing = result_of(file, Tenants)
    if json:
        write_document("tenants", report, output, file, missing)
    else:
        write_lines(lambda width: lines(report, title, width), output, file)
