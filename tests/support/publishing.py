"""A program that publishes a cache, as a user's would."""

from __future__ import annotations

EMBEDDING = """
import time
from array import array
import radixtop
from cache_core import CacheConfig, PrefixCache, RadixKey

cache = PrefixCache(CacheConfig(components=("full",), full_slots=1000))
cache.insert(RadixKey(array("i", range(300))), cache.allocate(300))
recorder = radixtop.attach(cache)
print("ready", flush=True)
while True:
    recorder.flush()
    time.sleep(0.02)
"""
"""Publishes a cache of 300 tokens that was there before."""
