from tests.support.analytics import analytics
from tests.support.api import api, shared_api

__all__ = ["analytics", "api", "shared_api"]
