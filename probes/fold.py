"""How a record finds what takes it: tables from a record's class to a bound method, no chains of isinstance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Fold = Callable[[Any], None]
"""Takes one record into a state. It is filed under the one record class that it is called with."""

Folds = Mapping[type, Fold]
"""What takes which record class."""
