"""The dashboard opens at once because it imports little."""

from __future__ import annotations

import subprocess
import sys


def test_the_dashboard_imports_no_torch_and_no_part_of_textual_that_it_does_not_show() -> None:
    code = (
        "import sys, radixtop.app; "
        "heavy = ('torch', 'numpy', 'rich.markdown', 'textual.widgets._data_table', "
        "'textual.widgets._markdown', 'cache_core.engine', 'typer', 'cache_core.events', 'probes.mirror'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout
