from tests.support.stores.analytics import analytics

__all__ = ["analytics"]
