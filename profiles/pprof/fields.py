"""The numbers of the fields in the messages of a pprof file.

Format: https://github.com/google/pprof/blob/main/proto/profile.proto.
"""

from __future__ import annotations

from enum import IntEnum


class ProfileField(IntEnum):
    """The file itself."""

    SAMPLE_TYPE = 1
    SAMPLE = 2
    MAPPING = 3
    LOCATION = 4
    FUNCTION = 5
    STRING = 6
    TIME_NS = 9
    DURATION_NS = 10
    PERIOD_TYPE = 11
    PERIOD = 12
    COMMENT = 13
    DEFAULT_SAMPLE_TYPE = 14


class ValueTypeField(IntEnum):
    """What a value of a sample is, and its unit; both are strings."""

    TYPE = 1
    UNIT = 2


class SampleField(IntEnum):
    """A stack, the innermost location first, and its values."""

    LOCATIONS = 1
    VALUES = 2
    LABEL = 3


class LabelField(IntEnum):
    """What else is said of a sample: a string, or a number with its unit."""

    KEY = 1
    TEXT = 2
    NUMBER = 3
    UNIT = 4


class MappingField(IntEnum):
    """The program that locations are in."""

    ID = 1
    FILE = 5
    HAS_FUNCTIONS = 7


class LocationField(IntEnum):
    """A place in a stack."""

    ID = 1
    MAPPING = 2
    LINE = 4


class LineField(IntEnum):
    """A line of a function."""

    FUNCTION = 1
    LINE = 2


class FunctionField(IntEnum):
    """A function: what it is called, and what tells it from others; all but the id are strings."""

    ID = 1
    NAME = 2
    SYSTEM_NAME = 3
    FILE = 4


THE_MAPPING = 1
"""The id of the one mapping of a file of ours."""
