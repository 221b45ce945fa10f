"""Fixtures of the end to end tests."""

from tests.support.receiver import receiver  # noqa: F401
