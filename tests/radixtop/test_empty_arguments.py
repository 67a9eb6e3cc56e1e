"""An empty argument names nothing, and no folder either."""

from __future__ import annotations

import pytest

from radixtop import cli


@pytest.mark.parametrize(
    "arguments",
    [("replay", ""), ("compare", ""), ("why", ""), ("explain", "1", ""), ("play", ""), ("profile", "evict", "")],
    ids=" ".join,
)
def test_an_empty_path_is_a_usage_error(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*arguments]) == 2
    assert f"argument {len(arguments) - 1} is empty" in capsys.readouterr().err
