"""A picture and its table as one page that fetches nothing and runs nothing."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import BinaryIO

from profiles.picture import COLOURS, Picture, PictureFormat, printable
from profiles.plots.svg_shapes import FONTS, drawn, style


class Html(PictureFormat):
    """The drawing on top, the figures below. A browser is told to let nothing else in."""

    suffix = ".html"

    def write(self, picture: Picture, out: BinaryIO) -> None:
        """See PictureFormat."""
        out.write(page(picture).encode("utf-8", "replace"))


def page(picture: Picture) -> str:
    """Return the page of a picture."""
    title, said = (escape(printable(text)) for text in (picture.title, picture.said))
    styles = " ".join(_hash(text) for text in (_PAGE_STYLE, style()))
    policy = f"default-src 'none'; style-src {styles}; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_PAGE_STYLE}</style></head>\n<body><main>\n"
        f"{drawn(picture)}{_table(picture)}<p>{said}</p>\n</main></body></html>\n"
    )


def _table(picture: Picture) -> str:
    if not picture.rows:
        return ""
    head = "".join(f"<th>{escape(printable(column))}</th>" for column in picture.columns)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(printable(cell))}</td>" for cell in row) + "</tr>" for row in picture.rows
    )
    return f"<div><table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode()}'"


def _page_style() -> str:
    light, dark = ("".join(f"--{ink}:{colours[side]};" for ink, colours in COLOURS.items()) for side in (0, 1))
    return (
        f":root{{color-scheme:light dark;{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"body{{margin:24px;background:var(--ground);color:var(--ink);font:14px/1.5 {FONTS}}}"
        "main{max-width:1040px;margin:auto}div{overflow-x:auto}"
        "table{border-collapse:collapse;margin:20px 0;font-variant-numeric:tabular-nums}"
        "th,td{padding:4px 12px;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}"
        "th:first-child,td:first-child{text-align:left}th,p{color:var(--soft)}"
    )


_PAGE_STYLE = _page_style()
