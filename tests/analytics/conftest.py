from tests.support.analytics import analytics

__all__ = ["analytics"]
