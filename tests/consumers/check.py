"""Opens exports with what people open them with, says what that makes of them, and takes a picture where it draws.

    python tests/consumers/check.py run.trace.json.gz run.speedscope.json run.pb.gz --shots /tmp/shots

The programs are found as the tests find them (tests/README.md). Exit code 1 when one of the files has a fault.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.support import perfetto, speedscope_app  # noqa: E402
from tests.support.chromium import Chromium  # noqa: E402

Said = tuple[str, list[str]]
"""What a program made of a file, and its faults."""


def check_trace(path: Path, shots: Path) -> Said:
    """Open a timeline in Perfetto."""
    with perfetto.opened(path) as opened:
        faults = [f"{name}: {value:,}" for name, value in opened.faults()]
        ((slices,),) = opened.query("select count(*) from slice")
        ((flows,),) = opened.query("select count(*) from flow")
        ((curves,),) = opened.query("select count(*) from counter_track")
        opened.expand()
        opened.tab.screenshot(shots / f"{path.name}.png")
    return f"Perfetto: {slices:,} slices, {flows:,} flows, {curves:,} curves", faults


def check_speedscope(path: Path, shots: Path) -> Said:
    """Open a flame graph in speedscope."""
    with tempfile.TemporaryDirectory() as folder, speedscope_app.opened(path, Path(folder)) as tab:
        tab.evaluate("new Promise((done) => setTimeout(done, 1000))")
        tab.screenshot(shots / f"{path.name}.png")
        importing = [message for message in tab.messages if message.startswith("Importing as")]
        faults = [*tab.complaints, *([] if importing else ["the format was not recognised"])]
    return f"speedscope: {', '.join(importing)}", faults


def check_pprof(path: Path, shots: Path) -> Said:
    """Read a profile with go tool pprof, and open it in speedscope if that is here."""
    ran = subprocess.run(["go", "tool", "pprof", "-top", path], capture_output=True, text=True, check=False)
    said, faults = "\n".join(ran.stdout.splitlines()[:12]), ran.stderr.splitlines()
    if speedscope_app.find_speedscope():
        drawn, more = check_speedscope(path, shots)
        return f"{said}\n{drawn}", faults + more
    return said, faults


def check_page(path: Path, shots: Path) -> Said:
    """Open a page or a picture in the browser."""
    with Chromium() as chromium:
        tab = chromium.open(path.resolve().as_uri(), 1_400, 900)
        tab.evaluate("new Promise((done) => setTimeout(done, 1000))")
        tab.screenshot(shots / f"{path.name}.png")
        fetched = [url for url in tab.requested if url != path.resolve().as_uri() and not url.startswith("data:")]
        return "the browser opened it", [*tab.complaints, *(f"fetches {url}" for url in fetched)]


def check_table(path: Path, shots: Path) -> Said:
    """Read a table with pandas."""
    import pandas

    frame = pandas.read_parquet(path) if path.suffix == ".parquet" else pandas.read_csv(path, low_memory=False)
    return f"pandas: {len(frame):,} rows\n{frame.dtypes.to_string()}", []


CHECKS: dict[str, Callable[[Path, Path], Said]] = {
    ".speedscope.json": check_speedscope, ".collapsedstack.txt": check_speedscope, ".pb.gz": check_pprof,
    ".json": check_trace, ".json.gz": check_trace, ".svg": check_page, ".html": check_page, ".parquet": check_table,
    ".csv": check_table,
}  # fmt: skip
"""What to do with a file, by the end of its name; the first that fits."""


def main() -> int:
    """Check the files of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--shots", type=Path, default=Path(tempfile.gettempdir()) / "radixtop-shots")
    asked = parser.parse_args()
    asked.shots.mkdir(parents=True, exist_ok=True)
    failed = False
    for path in asked.files:
        check = next((check for end, check in CHECKS.items() if path.name.endswith(end)), None)
        said, faults = check(path, asked.shots) if check else ("", ["no program here opens such a file"])
        failed |= bool(faults)
        print(f"{'FAULT' if faults else 'ok':6}{path}", *said.splitlines(), *faults, sep="\n      ")
    print(f"pictures are in {asked.shots}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
