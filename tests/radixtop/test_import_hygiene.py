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


def test_up_to_the_first_frame_nothing_of_a_tree_is_imported() -> None:
    code = """
import sys
from radixtop.app import RadixtopApp

class Still:
    def start(self): pass
    def stop(self): pass
    def ask(self, questions): pass

class Until(RadixtopApp):
    def on_ready(self):
        heavy = ("numpy", "cache_core.events", "probes.mirror", "probes.snapshot", "radixtop.tree.biggest")
        sys.stderr.write(str([name for name in heavy if name in sys.modules]))
        self.exit()

Until(None, title="first frame", poller=lambda *_: Still()).run(headless=True)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]", done.stderr
