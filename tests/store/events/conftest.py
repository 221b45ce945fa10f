"""Fixtures of events."""

from tests.support.limited_offer import limited  # noqa: F401
