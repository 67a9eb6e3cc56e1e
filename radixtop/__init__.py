"""radixtop: top(1) and a profiler for LLM prefix caches.

The package is a command; `attach` is its one call for other programs.
"""

from __future__ import annotations

__version__ = "0.1.0"
