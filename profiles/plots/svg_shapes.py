"""The shapes of a picture as one SVG element, in inks that follow the reader's light or dark scheme."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from profiles.picture import COLOURS, Dot, Picture, Shape, Stroke, Words, printable

FONTS = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"


def drawn(picture: Picture) -> str:
    """Return the SVG element of a picture."""
    size = f'width="{picture.width}" height="{picture.height}" viewBox="0 0 {picture.width} {picture.height}"'
    title = escape(printable(picture.title))
    body = "\n".join(element for shape in picture.shapes for element in _elements(shape))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" {size} role="img" aria-label="{title}">\n'
        f'<title>{title}</title>\n<style>{style()}</style>\n<rect class="ground" x=".5" y=".5" '
        f'width="{picture.width - 1}" height="{picture.height - 1}" rx="14"/>\n{body}\n</svg>\n'
    )


def style() -> str:
    """Return the style of drawn pictures."""
    light, dark = ("".join(f"--{ink}:{colours[side]};" for ink, colours in COLOURS.items()) for side in (0, 1))
    hues = "".join(f".{ink}{{--hue:var(--{ink})}}" for ink in COLOURS)
    return (
        f".picture{{{light}font-family:{FONTS};max-width:100%;height:auto}}"
        f"@media (prefers-color-scheme:dark){{.picture{{{dark}}}}}{hues}"
        "rect.ground{fill:var(--ground);stroke:var(--grid)}"
        "path{fill:none;stroke:var(--hue);stroke-linejoin:round;stroke-linecap:round}"
        "text{fill:var(--hue);font-variant-numeric:tabular-nums}"
        "circle{fill:var(--hue);stroke:var(--hue);stroke-width:2}circle.ring{fill:var(--ground)}"
    )


def _elements(shape: Shape) -> Iterator[str]:
    match shape:
        case Stroke():
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in shape.points)
            dashes = ' stroke-dasharray="4 5"' if shape.is_dashed else ""
            yield f'<path class="{shape.ink}" stroke-width="{shape.width:g}"{dashes} d="{path}"/>'
        case Dot():
            kind = shape.ink if shape.is_filled else f"ring {shape.ink}"
            told = f"<title>{escape(printable(shape.told))}</title>" if shape.told else ""
            place = f'cx="{shape.at[0]:.1f}" cy="{shape.at[1]:.1f}" r="{shape.radius:g}"'
            yield f'<circle class="{kind}" {place}>{told}</circle>'
        case Words():
            bold = ' font-weight="650"' if shape.is_bold else ""
            yield (
                f'<text class="{shape.ink}" x="{shape.at[0]:.1f}" y="{shape.at[1]:.1f}" font-size="{shape.size:g}"'
                f'{bold} text-anchor="{shape.anchor}">{escape(printable(shape.text))}</text>'
            )
