"""Reads what pprof reads: a decoder of profile.proto that knows nothing of the writer."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Sample:
    """A stack from the leaf up, a value per sample type, and labels: texts, or numbers with their unit."""

    stack: tuple[str, ...]
    values: tuple[int, ...]
    labels: tuple[tuple[str, str | tuple[int, str]], ...]


@dataclass(frozen=True)
class PprofFile:
    """A decoded profile."""

    sample_types: tuple[tuple[str, str], ...]
    default_sample_type: str
    samples: tuple[Sample, ...]
    system_names: dict[str, str]
    file: str
    time_ns: int
    duration_ns: int

    @property
    def text(self) -> str:
        """What is in it, a line each, after the manner of `go tool pprof -raw`."""
        kinds = " ".join(f"{kind}/{unit}" for kind, unit in self.sample_types)
        lines = [
            f"{self.file} from {self.time_ns} for {self.duration_ns}",
            f"{kinds}, first {self.default_sample_type}",
        ]
        for sample in self.samples:
            lines.append(f"{' '.join(map(str, sample.values))}: {' < '.join(sample.stack)}")
            lines += [f"    {key}: {value}" for key, value in sample.labels]
        lines += [f"{name} = {system}" for name, system in self.system_names.items()]
        return "\n".join(lines)

    def total(self, kind: str) -> int:
        """Return the sum of all samples of a type."""
        column = [name for name, _ in self.sample_types].index(kind)
        return sum(sample.values[column] for sample in self.samples)


def read_pprof(raw: bytes) -> PprofFile:
    """Return the profile in a file; every reference in it must lead somewhere."""
    parts: dict[int, list[Any]] = {}
    for field, value in _fields(gzip.decompress(raw)):
        parts.setdefault(field, []).append(value)
    strings = [value.decode("utf-8") for value in parts.get(6, [])]
    assert strings[:1] == [""]
    functions = {fields[1]: (strings[fields[2]], strings[fields[3]]) for fields in map(_message, parts.get(5, []))}
    mappings = {fields[1]: strings[fields[5]] for fields in map(_message, parts[3])}
    locations: dict[int, str] = {}
    for fields in map(_message, parts.get(4, [])):
        assert fields[2] in mappings
        assert fields[1] not in locations
        locations[fields[1]] = functions[_message(fields[4])[1]][0]
    kinds = [_message(value) for value in parts.get(1, [])]
    (file,) = mappings.values()
    return PprofFile(
        sample_types=tuple((strings[kind[1]], strings[kind[2]]) for kind in kinds),
        default_sample_type=strings[parts[14][0]],
        samples=tuple(_sample(value, strings, locations) for value in parts.get(2, [])),
        system_names=dict(functions.values()),
        file=file,
        time_ns=parts.get(9, [0])[0],
        duration_ns=parts.get(10, [0])[0],
    )


def _sample(raw: bytes, strings: list[str], locations: dict[int, str]) -> Sample:
    stack: tuple[str, ...] = ()
    values: tuple[int, ...] = ()
    labels: list[tuple[str, str | tuple[int, str]]] = []
    for field, value in _fields(raw):
        if field == 1:
            stack = tuple(locations[place] for place in _varints(value))
        elif field == 2:
            values = tuple(_varints(value))
        else:
            label = _message(value)
            told: str | tuple[int, str] = strings[label[2]] if 2 in label else (label.get(3, 0), strings[label[4]])
            labels.append((strings[label[1]], told))
    return Sample(stack, values, tuple(labels))


def _message(raw: bytes) -> dict[int, Any]:
    return dict(_fields(raw))


def _fields(raw: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    while at < len(raw):
        tag, at = _varint(raw, at)
        value: int | bytes
        value, at = _varint(raw, at)
        if tag & 7 == 2:
            assert at + value <= len(raw)
            value, at = raw[at : at + value], at + value
        else:
            assert tag & 7 == 0
        yield tag >> 3, value


def _varints(raw: bytes) -> Iterator[int]:
    at = 0
    while at < len(raw):
        value, at = _varint(raw, at)
        yield value


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value - (1 << 64) if value >> 63 else value, at
