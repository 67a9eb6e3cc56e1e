"""How a recording is told while it is made."""

from __future__ import annotations

from radixtop.recording.progress import Progress, progress_line


def test_a_line_of_progress_says_what_is_lost_and_held() -> None:
    line = progress_line(Progress(83 * 10**9, 1_234_567, 45_000, 12_300_000, 7, 2, 5_000_000, "no heartbeat for 3 s"))
    parts = ("00:01:23", "1.23M records", "45.0k/s", "12.3 MB", "5 MB held", "7 lost, 2 blocks torn")
    assert line == "  ".join((*parts, "no heartbeat for 3 s"))
