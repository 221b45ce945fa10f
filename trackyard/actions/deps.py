"""What use cases work with: handed in once, when the program starts."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from trackyard.base.clock import Clock
from trackyard.base.secrets import Seal
from trackyard.stats.engine import Analytics
from trackyard.store.engine import Database


@dataclass(frozen=True, slots=True)
class Deps:
    """Stores, clock, keys, and the settings of the platform.

    currency: the platform's, of all amounts that name none · zone: of all times that name none · tracking_url:
    what links begin with, without a slash at the end.
    """

    database: Database
    analytics: Analytics
    seal: Seal
    clock: Clock
    currency: str
    zone: ZoneInfo
    tracking_url: str
