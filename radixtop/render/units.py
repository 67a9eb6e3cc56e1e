"""Numbers as short text of bounded width; unknown is always "-", never 0."""

from __future__ import annotations

UNKNOWN = "-"

_SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))


def _three_digits(number: float) -> str:
    """Return `number`, 0 <= number < 1000, with three significant digits."""
    if number < 9.995:
        return f"{number:.2f}"
    return f"{number:.1f}" if number < 99.95 else f"{number:.0f}"


def count(number: float | None) -> str:
    """Return a count in at most five cells: 0, 9,999, 12.3k, 1.23M."""
    if number is None:
        return UNKNOWN
    if number < 0:
        return "-" + count(-number)
    if number < 9_999.5:
        return f"{round(number):,}"
    for scale, suffix in _SCALES:
        if number >= scale * 0.9995:
            return _three_digits(number / scale) + suffix
    raise AssertionError(f"{number=}")


def grouped(number: int | None) -> str:
    """Return a whole count with thousands separated: 1,234,567."""
    return UNKNOWN if number is None else f"{number:,}"


_SLOW = (("min", 60), ("h", 3600), ("d", 86_400))


def rate(per_second: float | None) -> str:
    """Return a rate in at most seven cells: 3.4/s, 812/s, 12.3k/s."""
    if per_second is None:
        return UNKNOWN
    if 0 < per_second < 99.95:
        return f"{per_second:.1f}/s"
    return count(per_second) + "/s"


def pace(per_second: float | None) -> str:
    """Return a rate by the second, or by the minute, hour or day where that is less than 1: 812/s, 7.2/min, 3.4/h."""
    if per_second is None or per_second == 0 or per_second >= 1:
        return rate(per_second)
    unit, seconds = next((each for each in _SLOW if per_second * each[1] >= 1), _SLOW[-1])
    return rate(per_second * seconds).removesuffix("s") + unit


def size(size_bytes: int) -> str:
    """Return bytes with three digits: 812 B, 12.3 MB."""
    for scale, suffix in _SCALES:
        if size_bytes >= scale * 0.9995:
            digits = size_bytes / scale
            return f"{digits:.3g} {suffix}B" if digits < 99.95 else f"{digits:.0f} {suffix}B"
    return f"{size_bytes} B"


def share(fraction: float | None) -> str:
    """Return a fraction as a percentage in at most five cells: 0.0% for none, 87.3%, 100% for all.

    What is not none and not all is told as less than 0.1%, and as 99.9%.
    """
    if fraction is None:
        return UNKNOWN
    if 0 < fraction < 0.0005:
        return "<0.1%"
    return f"{fraction:.0%}" if fraction >= 1 else f"{min(fraction, 0.999):.1%}"


def duration(ns: float | None) -> str:
    """Return a duration in at most six cells: 870ns, 12.3µs, 4.56ms, 1.23s, 3m20s, 2h05m."""
    if ns is None:
        return UNKNOWN
    if ns >= 99.95e9:
        return _clock(int(ns / 1e9))
    for scale, unit in _TIMES:
        if ns >= scale * 0.9995:
            return _three_digits(ns / scale) + unit
    return f"{ns:.0f}ns"


def age(ns: int | None) -> str:
    """Return how long ago something was, in at most six cells: 0.4s, 12s, 3m20s, 2h05m, 3d04h."""
    if ns is None:
        return UNKNOWN
    seconds = max(0, ns) / 1e9
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    return f"{seconds:.0f}s" if seconds < 99.5 else _clock(int(seconds))


def since(now: int, at: int) -> str:
    """Return how long before `now` a moment was; -1 is a moment that nobody saw."""
    return UNKNOWN if at < 0 else age(now - at)


def _clock(seconds: int) -> str:
    """Return whole seconds, 99 or more, by their two largest units."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d{hour:02}h"
    return f"{hours}h{minute:02}m" if hours else f"{minutes}m{second:02}s"


def clock(ns: int, digits: int = 1) -> str:
    """Return a place in a run to a tenth of a second, or to so many digits: 00:12.5, 1:02:03.4."""
    seconds, fraction = divmod(max(0, ns), 1_000_000_000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    hour = f"{hours}:" if hours else ""
    return f"{hour}{minute:02}:{second:02}.{fraction // 10 ** (9 - digits):0{digits}}"


def elapsed(ns: int | None) -> str:
    """Return a running time as hours, minutes and seconds: 00:01:23."""
    if ns is None:
        return UNKNOWN
    minutes, second = divmod(max(0, ns) // 1_000_000_000, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours:02}:{minute:02}:{second:02}"
