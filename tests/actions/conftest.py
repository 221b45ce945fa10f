from tests.support.limited_offer import limited
from tests.support.stores.analytics import analytics  # noqa: F401

__all__ = ["limited"]
