"""These tests build caches: each runs on every backend."""

from tests.support.backends import backend, on_each_backend, pytest_generate_tests

__all__ = ["backend", "on_each_backend", "pytest_generate_tests"]
