"""What a snapshot calls the components of a cache."""

from __future__ import annotations

import pytest

from probes.snapshot import component_name


@pytest.mark.parametrize(("number", "name"), [(0, "full"), (1, "swa"), (2, "component 2"), (-1, "component -1")])
def test_a_component_without_a_name_is_called_by_its_number(number: int, name: str) -> None:
    assert component_name(("full", "swa"), number) == name
