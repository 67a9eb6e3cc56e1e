"""`python -m radixtop`: the same as the `radixtop` command."""

from __future__ import annotations

import sys

from radixtop.cli import main

if __name__ == "__main__":
    sys.exit(main())
