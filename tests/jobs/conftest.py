from tests.support.api import api  # noqa: F401
from tests.support.limited_offer import limited  # noqa: F401
from tests.support.processes.receiver import receiver  # noqa: F401
from tests.support.stores.analytics import analytics  # noqa: F401
