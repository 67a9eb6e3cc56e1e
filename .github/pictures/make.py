"""Makes the pictures in the READMEs: a flame graph, a difference, the cost of evictions, every view of the dashboard.

    python .github/pictures/make.py [--recording FILE] [flame] [diff] [evictions] [screens]

From the root of the repository, with Chromium, pngquant and, but for screens, the extra `live`. Screens are those of
the recording of the tests, but for that of several servers (fleet.py), and radixtop/README.md lists them anew. The
others are of a new recording unless told: 900 requests of the workload `mixed` on a cache that is too small for all
of it. Pages come in a light and a dark version. Evictions are those of a tree that grows, and their times those of
this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCREENS = ROOT / ".github" / "screens"
IMAGES = ROOT / ".github" / "images"
README = ROOT / "radixtop" / "README.md"
sys.path.insert(0, str(ROOT))

from fleet import fleet_svg  # noqa: E402

from cache_core import CacheConfig, PrefixCache, RadixKey  # noqa: E402
from probes.recorder import FlightRecorder, RecorderOptions  # noqa: E402
from profiles.recording import Recording  # noqa: E402
from radixtop.view import VIEW_KEYS, VIEWS  # noqa: E402
from tests.support.chromium import Chromium, Tab  # noqa: E402
from tests.support.fixed_recording import fixed_dashboard, look_at, unpacked  # noqa: E402
from tests.support.svg_screen import svg_of  # noqa: E402

LOAD = ("--workload", "mixed", "--requests", "900", "--full-slots", "30000", "--swa-slots", "9000", "--seed", "0")
LEAVES = 50_000
SIZE = (1440, 760)
SCHEMES = {"light": "", "dark": "-dark"}
MOST_BYTES = 300_000
TERMINAL = (120, 40)
SCALE = 1.25
STRETCH = 1.036
"""How much higher a row of the terminal is than the font's own."""


def radixtop(*arguments: object) -> None:
    """Run a command of radixtop; what it says goes to stderr."""
    command = [sys.executable, "-m", "radixtop", *map(str, arguments)]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)


def shoot(tab: Tab, name: str, folder: Path = SCREENS) -> None:
    """Write what a tab shows as a picture of the README."""
    tab.wait_for("!window.radixtop || !radixtop.state.moving")
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.png"
    tab.screenshot(path)
    subprocess.run(["pngquant", "--force", "--output", path, "--", path], check=True)
    size = path.stat().st_size
    assert size < MOST_BYTES, f"{path.name} has {size:,} bytes"
    sys.stderr.write(f"wrote {path.relative_to(ROOT)}, {size:,} bytes\n")


def point_at(tab: Tab, condition: str) -> None:
    """Move the pointer to the widest frame that a condition on its `label` and `place` holds for."""
    box = tab.evaluate(
        "[...Array(radixtop.rows).keys()].map(row => ({label: radixtop.label(row), place: radixtop.place(row)}))"
        f".filter(({{label, place}}) => {condition}).reduce((a, b) => (b.place.width > a.place.width ? b : a)).place"
    )
    tab.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def draw_flame(recording: Path, folder: Path, chromium: Chromium) -> None:
    """The page of a flame graph, with the pointer on a document."""
    page = folder / "flame.html"
    radixtop("profile", "flame", recording, "--format", "html", "-o", page)
    for scheme, ending in SCHEMES.items():
        tab = chromium.open(page.as_uri(), *SIZE, scheme=scheme)
        point_at(tab, "label.startsWith('document') && place.x > 200 && place.y > 330")
        shoot(tab, f"flame{ending}")


def draw_diff(recording: Path, folder: Path, chromium: Chromium) -> None:
    """The page of a difference between two moments of the run."""
    page = folder / "diff.html"
    first, last = (f"{round(part * length_s(recording))}s" for part in (0.5, 0.75))
    radixtop("profile", "diff", recording, "--from", first, "--to", last, "--format", "html", "-o", page)
    for scheme, ending in SCHEMES.items():
        shoot(chromium.open(page.as_uri(), *SIZE, scheme=scheme), f"diff{ending}")


def grow(recording: Path) -> None:
    """Record a tree that grows to 50,000 leaves, of which a few are evicted at every size."""
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=12 * LEAVES))
    recorder = FlightRecorder(
        {**cache.config.describe(), "workload": "a growing tree"}, RecorderOptions(recording=recording)
    )
    cache.attach_sink(recorder)
    recorder.bind(snapshot=cache.snapshot_records, pools=cache.emit_pools)
    rng = random.Random(0)
    evict_at = 10
    for number in range(LEAVES):
        key = RadixKey([number % 100, number % 1_000, *(rng.randrange(1 << 30) for _ in range(8))])
        cache.insert(key, cache.allocate(len(key)))
        if number >= evict_at:
            evict_at = int(1.06 * evict_at) + 1
            for _ in range(3):
                cache.evict(full_tokens=rng.randrange(20, 200))
    recorder.flush()
    recorder.close("done")


def draw_evictions(_: Path, folder: Path, chromium: Chromium) -> None:
    """What an eviction costs with a queue that is built anew, and with one that lives on, as a tree grows."""
    picture, recording = folder / "evictions.svg", folder / "growing.rtrec"
    grow(recording)
    radixtop("profile", "evict", recording, "--compare", "--format", "svg", "-o", picture)
    tab = chromium.open(picture.as_uri())
    width, height = tab.evaluate(
        "(({width, height}) => [width, height])(document.documentElement.getBoundingClientRect())"
    )
    tab.resize(round(width), round(height))
    shoot(tab, "evictions")


def draw_screens(_: Path, folder: Path, chromium: Chromium) -> None:
    """Every view at one moment of the recording of the tests, and their table in the README of the dashboard."""
    os.environ.pop("NO_COLOR", None)
    os.environ["COLORTERM"] = "truecolor"
    drawn: dict[str, str] = {}

    async def draw() -> None:
        async with fixed_dashboard(unpacked(folder), *TERMINAL) as running:
            for view in VIEWS:
                await look_at(running, view)
                drawn[view] = with_whole_lines(svg_of(running.app))

    asyncio.run(draw())
    drawn["fleet"] = with_whole_lines(asyncio.run(fleet_svg(TERMINAL)))
    for view, svg in drawn.items():
        page = folder / f"{view}.svg"
        page.write_text(svg, encoding="utf-8")
        width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)[0])
        shoot(chromium.open(page.as_uri(), round(width), round(height), scale=SCALE), view, IMAGES)
    list_screens()


def with_whole_lines(svg: str) -> str:
    """Return a screen in the machine's font, letters a little larger, so that the lines of frames meet."""
    svg = svg.replace("Fira Code, monospace", "DejaVu Sans Mono, monospace").replace("size: 20px", "size: 20.27px")
    return re.sub(
        r'(<text class="t-fill[^"]*" x="[^"]*") y="([\d.]+)"',
        lambda found: f'{found[1]} y="{float(found[2]) / STRETCH:.2f}" transform="scale(1 {STRETCH})"',
        svg,
    )


def list_screens() -> None:
    """Write the table of pictures into the README of the dashboard, between its two marks."""
    rows = [
        f"| `{VIEW_KEYS[view]}` {view}: {listed.summary} | ![{view}](../.github/images/{view}.png) |"
        for view, listed in VIEWS.items()
    ]
    title = "| view | at one moment of the recording of the tests; fleet: of recorded events |"
    table = "\n".join([title, "| --- | --- |", *rows])
    before, mark, rest = README.read_text(encoding="utf-8").partition("<!-- screens -->\n")
    _, end, after = rest.partition("<!-- end of screens -->\n")
    assert mark and end, "the README has no place for the pictures"
    README.write_text(f"{before}{mark}\n{table}\n\n{end}{after}", encoding="utf-8")


def length_s(recording: Path) -> float:
    """Return how long a recording is."""
    with Recording(recording) as read:
        times = [at for record in read.records() if (at := getattr(record, "at", None)) is not None]
    return (max(times) - times[0]) / 1e9


PICTURES: dict[str, Callable[[Path, Path, Chromium], None]] = {
    "flame": draw_flame,
    "diff": draw_diff,
    "evictions": draw_evictions,
    "screens": draw_screens,
}
WITHOUT_RECORDING = {"evictions", "screens"}


def main() -> None:
    """Make the pictures that were named, or all."""
    parser = argparse.ArgumentParser(description="Make the pictures of profiles in the README.")
    parser.add_argument("--recording", type=Path, help="instead of a new one")
    parser.add_argument("pictures", nargs="*", metavar="|".join(PICTURES), help="all without any")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, Chromium() as chromium:
        folder = Path(name)
        recording = asked.recording and asked.recording.resolve()
        if recording is None and not (asked.pictures and {*asked.pictures} <= WITHOUT_RECORDING):
            recording = folder / "mixed.rtrec"
            radixtop("live", "--headless", "--json", *LOAD, "--record", recording)
        for picture in asked.pictures or PICTURES:
            PICTURES[picture](recording, folder, chromium)


if __name__ == "__main__":
    main()
