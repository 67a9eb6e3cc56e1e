"""Pages of flame graphs, read back: the data that their script reads."""

from __future__ import annotations

import json
import re
from typing import Any

STATES = ("resident", "gone", "namespace", "fold", "operation", "elsewhere")


def page_data(page: str) -> dict[str, Any]:
    """Return the data of a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found, "no data in the page"
    data: dict[str, Any] = json.loads(found[1])
    return data


def labels(data: dict[str, Any]) -> list[str]:
    """Return the label of each row, as the script puts it together; a fold is called by its nodes."""
    made = []
    for row, name in enumerate(data["name"]):
        hash_ = data["hash"][6 * row : 6 * row + 6].strip()
        text = f"(+{data['nodes'][row]:,} nodes)" if name < 0 else data["names"][name]
        made.append(f"{text} ·{hash_}" if hash_ else text)
    return made


def page_lines(page: str) -> str:
    """Return what a page tells as lines of text: everything but rows as JSON, then a line per row."""
    data = page_data(page)
    columns = ("own", "before", "after") if "sides" in data else ("own",)
    told = {
        key: value
        for key, value in data.items()
        if key in ("title", "about", "sides", "returned", "weights", "chosen")
    }
    lines = [json.dumps(told, ensure_ascii=False)]
    for row, label in enumerate(labels(data)):
        state, kind = data["state"][row], data["kind"][row]
        said = STATES[state] if state < len(STATES) else f"tombstone of {data['lost'][state - len(STATES)]}"
        values = " ".join(f"{column}={[of[row] for of in data[column]]}" for column in columns)
        kind_name = data["kinds"][kind] if kind >= 0 else data["operations"][-2 - kind] if kind < -1 else "-"
        end, nodes = data["end"][row], data["nodes"][row]
        lines.append(f"{'  ' * data['depth'][row]}{label} [{kind_name}, {said}, to {end}, nodes {nodes}] {values}")
    return "\n".join(lines) + "\n"
