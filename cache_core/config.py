"""The configuration of a cache, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal, get_args

from cache_core.backend import BACKENDS
from cache_core.branching import ceil_page
from cache_core.component import COMPONENTS
from cache_core.errors import ConfigError
from cache_core.evictor import EVICTORS
from cache_core.policy import POLICIES, PolicyOptions, checked_options, shown

_LARGEST = 2**31 - 1
"""Positions and slot numbers are kept in 32 bits."""

HitRule = Literal["request", "insert"]
SplitRecency = Literal["keep", "reference"]
FinishBranch = Literal["both", "branch"]
SwaEviction = Literal["lru", "tail_window_last"]
WritePolicy = Literal["write_through", "write_through_selective", "write_back"]

CHOICES: Mapping[str, tuple[str, ...]] = {
    "hit_rule": get_args(HitRule),
    "split_recency": get_args(SplitRecency),
    "finish_branch": get_args(FinishBranch),
    "swa_eviction": get_args(SwaEviction),
    "write_policy": get_args(WritePolicy),
    "evictor": tuple(EVICTORS),
}
"""The switches that are one of a few words."""


@dataclass(frozen=True, slots=True)
class CacheConfig:
    """What a cache is made of and which rules it follows. Raises ConfigError.

    Keys are cached in pages of `page_size` tokens. `components` are the kinds of state on the nodes, "full" first.
    `window` is how many tokens a sliding window spans. `full_slots` and `swa_slots` are tokens that the pools hold
    (by default as many windowed ones as full ones), `mamba_slots` the states (by default one for every
    `mamba_chunk_tokens` of the full pool). Requests keep states at multiples of `mamba_chunk_tokens` and of the page.

    `policy` orders the leaves for eviction, by `policy_options`: a mapping or pairs, kept as pairs. `evictor` is how
    victims are found, not which. `swa_eviction` orders the windows: by age alone, or first
    those that lie before no end of a branch and no fork.

    `branching` keeps one window alive at the point where a request leaves a stored prefix that it cannot use.
    `free_behind_window` gives window slots back as they slide out, in decode once `swa_free_interval_tokens` did.
    `hit_rule` counts a hit once per request and node, or once per insert. `split_recency` keeps the age of the
    unmatched suffix of a split node, or stamps it as the reference does. `finish_branch` writes both the branch
    and the tail of a request that finishes with an open branching point, or the branch alone.

    `bigram` caches pairs of tokens, for speculative decoding.

    `host_slots` adds copies of so many tokens in host memory, 0 none; `swa_host_slots` and `mamba_host_slots` are its
    shares of windows and states (by default the device's). `write_policy` says when they are made: after the first
    insert that uses a node, after the second, or when it is evicted. `load_back_tokens` is the least worth loading.

    `backend` is what keeps the tree; all do the same, some slower.
    """

    page_size: int = 1
    components: tuple[str, ...] = ("full", "swa")
    window: int | None = None
    full_slots: int = 100_000
    swa_slots: int | None = None
    mamba_slots: int | None = None
    mamba_chunk_tokens: int = 64
    bigram: bool = False
    policy: str = "lru"
    policy_options: PolicyOptions | Mapping[str, int] = ()
    evictor: str = "incremental"
    branching: bool = True
    free_behind_window: bool = True
    swa_free_interval_tokens: int = 128
    hit_rule: HitRule = "request"
    split_recency: SplitRecency = "keep"
    finish_branch: FinishBranch = "both"
    swa_eviction: SwaEviction = "tail_window_last"
    host_slots: int = 0
    swa_host_slots: int | None = None
    mamba_host_slots: int | None = None
    write_policy: WritePolicy = "write_through"
    load_back_tokens: int = 10
    backend: str = "python"

    def __post_init__(self) -> None:
        self._check_components()
        self._check_sizes()
        _require_known("policy", self.policy, POLICIES)
        object.__setattr__(self, "policy_options", checked_options(self.policy, self.policy_options))
        _require_known("backend", self.backend, BACKENDS)
        for switch, choices in CHOICES.items():
            _require_known(switch, getattr(self, switch), choices)
        for switch in ("bigram", "branching", "free_behind_window"):
            if type(getattr(self, switch)) is not bool:
                raise ConfigError(f"{switch} is {shown(getattr(self, switch))}, True or False is needed")

    def _check_components(self) -> None:
        given: object = self.components
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise ConfigError(
                f"components is {shown(given)}, some of these are needed: {', '.join(COMPONENTS.names)}"
            )
        object.__setattr__(self, "components", tuple(given))
        for name in self.components:
            _require_known("component", name, COMPONENTS)
        in_order = tuple(name for name in COMPONENTS.names if name in self.components)
        if self.components[:1] != ("full",) or self.components != in_order:
            raise ConfigError(
                f"components {', '.join(self.components)!r} must start with 'full' and name each one once, "
                f"in the order of: {', '.join(COMPONENTS.names)}"
            )
        if self.bigram and "mamba" in self.components:
            raise ConfigError("bigram keys and the component 'mamba' do not go together: choose one")

    def _check_sizes(self) -> None:
        for name in ("page_size", "swa_free_interval_tokens", "mamba_chunk_tokens"):
            _require_number(name, getattr(self, name))
        for name in ("window", "swa_slots", "mamba_slots"):
            if getattr(self, name) is not None:
                _require_number(name, getattr(self, name))
        self._check_pool("full_slots", self.full_slots)
        if "swa" in self.components:
            self._check_window()
        if "mamba" in self.components and self.mamba_slots is None:
            object.__setattr__(self, "mamba_slots", max(1, self.full_slots // self.mamba_chunk_tokens))
        self._check_host()

    def _check_window(self) -> None:
        if self.window is None:
            raise ConfigError("window is missing: the component 'swa' needs its length in tokens")
        if self.swa_slots is None:
            object.__setattr__(self, "swa_slots", self.full_slots)
        self._check_pool("swa_slots", self.swa_slots)
        self._check_window_room(self.window, self.swa_slots)

    def _check_window_room(self, window: int | None, swa_slots: int | None) -> None:
        """A request holds one window in whole pages and the page that it writes next."""
        assert window is not None and swa_slots is not None
        least = ceil_page(window, self.page_size) + self.page_size
        if swa_slots < least:
            raise ConfigError(
                f"swa_slots {swa_slots} is too few: a window of {window} and a page of {self.page_size} take {least}"
            )

    def _check_host(self) -> None:
        """The host's share of each kind is the device's, unless a number is given."""
        _require_number("load_back_tokens", self.load_back_tokens, least=0)
        _require_number("host_slots", self.host_slots, least=0)
        if self.host_slots != 0:
            self._check_pool("host_slots", self.host_slots)
            if self.split_recency == "reference":
                raise ConfigError("split_recency 'reference' is for the logs, which have no host tier; use 'keep'")
        for name, device_slots, page in (
            ("swa_host_slots", self.swa_slots if "swa" in self.components else None, self.page_size),
            ("mamba_host_slots", self.mamba_slots if "mamba" in self.components else None, 1),
        ):
            given = getattr(self, name)
            if self.host_slots == 0 or device_slots is None:
                if given is not None:
                    raise ConfigError(f"{name} is {shown(given)}: it takes host_slots and the component to have any")
                continue
            if given is None:
                share = self.host_slots * device_slots // self.full_slots
                object.__setattr__(self, name, max(page, share - share % page))
            self._check_pool(name, getattr(self, name), page)

    def _check_pool(self, name: str, tokens: int | None, page: int | None = None) -> None:
        _require_number(name, tokens)
        assert tokens is not None
        page = page or self.page_size
        if tokens % page:
            down = tokens - tokens % page
            raise ConfigError(
                f"{name} {tokens} is no multiple of page_size {page}; use {down or page} or {down + page}"
            )
        if tokens >= 2**31 - page:
            raise ConfigError(f"{name} {tokens} does not fit int32 slot numbers")

    @classmethod
    def for_oplog(cls, config: Mapping[str, object], evictor: str = "incremental") -> CacheConfig:
        """Return the configuration that a recorded operation log was made with (see `cache_core.oplog`)."""
        window = config.get("window")
        size_swa = config.get("size_swa")
        return cls(
            page_size=_integer(config, "page_size"),
            components=("full",) if window is None else ("full", "swa"),
            window=None if window is None else _integer(config, "window"),
            full_slots=_integer(config, "size_full"),
            swa_slots=None if size_swa is None else _integer(config, "size_swa"),
            policy=str(config["policy"]),
            evictor=evictor,
            swa_free_interval_tokens=1,
            hit_rule="request" if config["hit_rule"] == "request" else "insert",
            split_recency="reference",
            finish_branch="branch",
            swa_eviction="lru",
        )

    def describe(self) -> dict[str, object]:
        """Return every setting as JSON-able values."""
        options = POLICIES.load(self.policy)(self.policy_options).settings
        return {**asdict(self), "components": list(self.components), "policy_options": options}


def _integer(config: Mapping[str, object], name: str) -> int:
    value = config.get(name)
    if type(value) is not int:
        raise ConfigError(f"{name} is {shown(value)}, an integer is needed")
    return value


def _require_number(name: str, value: object, least: int = 1) -> None:
    if type(value) is not int or not least <= value <= _LARGEST:
        raise ConfigError(f"{name} is {shown(value)}, an int32 of at least {least} is needed")


def _require_known(kind: str, name: object, known: Iterable[str]) -> None:
    if not isinstance(name, str) or name not in tuple(known):
        raise ConfigError(f"{kind} {shown(name)} is unknown; choose from: {', '.join(known)}")
