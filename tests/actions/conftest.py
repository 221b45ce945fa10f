from tests.support.analytics import analytics  # noqa: F401
from tests.support.limited_offer import limited

__all__ = ["limited"]
