"""Fixtures of the commands: an API without a server."""

from tests.support.api import api
from tests.support.stores.analytics import analytics

__all__ = ["analytics", "api"]
