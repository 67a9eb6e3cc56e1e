"""The configuration of a recorded cache, as a recording states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from cache_core.config import CacheConfig
from cache_core.errors import ConfigError
from probes.errors import RecordingError

MOST_SLOTS = 1 << 27
"""A pool takes 4 bytes a slot and more: what asks for more than this is no recording of a cache of ours."""


def recorded_config(config: Mapping[str, object]) -> CacheConfig:
    """Return the settings of the cache that was recorded. Raises RecordingError when they are not all there.

    What a newer cache has besides is left out.
    """
    kind = config.get("cache", "prefix")
    if kind != "prefix":
        raise RecordingError(
            f"the recording is of a {kind!s:.40} cache", "only that of a prefix cache can be replayed"
        )
    names = [field.name for field in fields(CacheConfig)]
    missing = [name for name in ("components", "page_size", "full_slots", "policy") if name not in config]
    if missing:
        raise RecordingError(f"the recording does not say the {', '.join(missing)} of its cache", _HINT)
    settings = {name: config[name] for name in names if name in config}
    settings["components"] = tuple(str(each) for each in _listed(settings["components"]))
    try:
        for name in ("full_slots", "swa_slots", "mamba_slots", "host_slots", "swa_host_slots", "mamba_host_slots"):
            slots = settings.get(name)
            if isinstance(slots, int) and slots > MOST_SLOTS:
                raise ConfigError(f"{name} is {slots:,}, more than {MOST_SLOTS:,}")
        return CacheConfig(**settings)  # type: ignore[arg-type]
    except (ConfigError, TypeError, ValueError) as error:
        raise RecordingError(f"the recording is of a cache that cannot be: {error}", _HINT) from None


_HINT = "record a cache of ours: radixtop live --record FILE"


def _listed(components: object) -> list[object]:
    return components if isinstance(components, list) else []
