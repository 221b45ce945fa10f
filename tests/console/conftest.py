from tests.support.api import api, shared_api
from tests.support.stores.analytics import analytics

__all__ = ["analytics", "api", "shared_api"]
