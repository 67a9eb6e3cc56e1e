"""Pictures in every format: they show what they were given, fetch nothing, and names in them stay text."""

from __future__ import annotations

import re
import zlib
from html.parser import HTMLParser
from io import BytesIO
from xml.etree import ElementTree

import pytest

from profiles.picture import PICTURES, Dot, Picture, Stroke, Words
from profiles.plots.tradeoff_plot import HEIGHT, WIDTH, Mark, Marks, TradeOff, shapes

HOSTILE = "</svg><script>alert(1)</script>\x1b[31m"
SERIES = (
    Marks(
        "policy=lru",
        (
            Mark(1000, 0.2, "1,000 slots"),
            Mark(4000, 0.45, "best", stands_out=True),
            Mark(4000, 0.4, "-"),
            Mark(9000, 0.41),
        ),
    ),
    Marks(HOSTILE, (Mark(2000, 0.3, HOSTILE),)),
    Marks("ceiling", (Mark(1, 0.7),), is_bound=True),
)
PLOT = TradeOff("Hit rate against memory", "three series", "slots", "hit rate", SERIES, now=2000)
PICTURE = Picture(
    HOSTILE,
    "said",
    WIDTH,
    HEIGHT,
    shapes(PLOT),
    ("settings", "hit rate"),
    (("policy=lru", "45 %"), (HOSTILE, "30 %")),
)


def written(format: str, picture: Picture = PICTURE) -> bytes:
    out = BytesIO()
    PICTURES.load(format)().write(picture, out)
    return out.getvalue()


@pytest.mark.needs("pillow")
@pytest.mark.parametrize("format", PICTURES)
def test_a_picture_is_the_same_in_every_run(format: str) -> None:
    assert written(format) == written(format)


def test_an_svg_has_every_series_and_runs_nothing() -> None:
    text = written("svg").decode()
    root = ElementTree.fromstring(text)
    assert len(root.findall(".//{*}circle")) == 4 + 2  # of the marks, and of the two names
    assert "1,000 slots" in [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "prefers-color-scheme:dark" in text
    assert not any(
        word in text.replace("http://www.w3.org/2000/svg", "") for word in ("http", "<script", "url(", "\x1b")
    )


class Page(HTMLParser):
    """What a browser makes of a page: its elements, and the text of its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.policy = ""
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        named = dict(attrs)
        if named.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(named["content"])

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "td":
            self.cells.append(data)


def test_a_page_has_the_figures_as_a_table_and_lets_nothing_in() -> None:
    page = Page()
    text = written("html").decode()
    page.feed(text)
    assert {"script", "img", "link", "iframe"} & {*page.tags} == set()
    assert page.policy.startswith("default-src 'none'; style-src 'sha256-")
    assert len(re.findall("'sha256-", page.policy)) == text.count("<style>")
    assert page.cells[:2] == ["policy=lru", "45 %"]


@pytest.mark.needs("pillow")
def test_a_png_is_twice_as_large_as_its_picture_and_not_blank() -> None:
    from PIL import Image

    image = Image.open(BytesIO(written("png")))
    assert image.size == (2 * WIDTH, 2 * HEIGHT)
    colours = image.getcolors(maxcolors=1 << 24)
    assert colours is not None
    assert {(0xD9, 0x48, 0x0F), (0x1C, 0x6F, 0xD1)} <= {colour for _, colour in colours}


@pytest.mark.needs("pillow")
def test_every_kind_of_shape_is_drawn_where_it_is() -> None:
    from PIL import Image

    drawn = (
        Stroke(((10, 10), (90, 10)), "a", 4), Stroke(((10, 30), (90, 30)), "b", 4, is_dashed=True),
        Dot((50, 50), "c", 6), Dot((80, 50), "c", 6, is_filled=False), Words((10, 90), "██", "d", 20),
    )  # fmt: skip
    image = Image.open(BytesIO(written("png", Picture("", "", 100, 100, drawn))))
    assert image.getpixel((100, 20)) == (0xD9, 0x48, 0x0F)
    dashes = [image.getpixel((x, 60)) != (255, 255, 255) for x in range(20, 180)]
    assert 0.2 < sum(dashes) / len(dashes) < 0.8
    assert image.getpixel((100, 100)) == (0x2B, 0x8A, 0x3E)
    assert image.getpixel((160, 100)) == (255, 255, 255)
    assert zlib.crc32(image.crop((20, 140, 90, 184)).tobytes()) != zlib.crc32(b"\xff" * 70 * 44 * 3)


def test_without_pillow_a_png_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from profiles.errors import ProfilingError

    monkeypatch.setattr("profiles.pictures.png.find_spec", lambda name: None)
    with pytest.raises(ProfilingError) as refused:
        written("png")
    assert "radixtop[png]" in str(getattr(refused.value, "hint", refused.value))


def test_a_plot_without_marks_still_has_its_axes() -> None:
    assert [shape for shape in shapes(TradeOff("t", "s", "x", "y", ())) if isinstance(shape, Words)]


@pytest.mark.needs("pillow")
def test_dashes_go_on_round_the_bends_of_a_line() -> None:
    from PIL import Image

    bends = tuple((10 + step / 2, 50.0) for step in range(161))
    image = Image.open(BytesIO(written("png", Picture("", "", 100, 100, (Stroke(bends, "a", 4, is_dashed=True),)))))
    straight = (Stroke((bends[0], bends[-1]), "a", 4, is_dashed=True),)
    assert image.tobytes() == Image.open(BytesIO(written("png", Picture("", "", 100, 100, straight)))).tobytes()


def test_a_level_stretches_over_the_plot_and_does_not_widen_its_axis() -> None:
    level = Marks("ceiling", (Mark(1, 0.7),), is_bound=True)
    with_level, without = (
        [shape.at for shape in shapes(TradeOff("t", "s", "x", "y", series)) if isinstance(shape, Dot) and shape.told]
        for series in ((SERIES[0], level), (SERIES[0],))
    )
    assert [x for x, _ in with_level] == [x for x, _ in without]
