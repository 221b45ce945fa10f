"""What use cases work with: handed in once, when the program starts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from trackyard.actions.platform.rebuild import Rebuilder
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import Clock
from trackyard.base.secrets import SecretCipher
from trackyard.decision.click.state import EMPTY_CLICK_STATE, ClickState
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.platform.retention import DEFAULT_RETENTION, RetentionPolicy
from trackyard.outbound.interactive import OnDemandClient
from trackyard.store.engine.database import Database
from trackyard.store.platform.file_storage import FileStore


@dataclass(frozen=True, slots=True)
class Deps:
    """Stores, clock, keys, and the settings of the platform.

    currency: the platform's, of all amounts that name none · zone: of all times that name none · tracking_url:
    what links begin with, without a slash at the end · files: creatives and logos · api_url: what their addresses
    begin with, likewise · isp_database: an MMDB of providers, None when there is none ·
    address_databases: which of "city", "isp" and "connection" are configured ·
    trials: calls to strangers that somebody waits for · visitors: who clicked, made when first asked for · seen: the
    state of this machine's edges, to look at · journals: the directory of this machine's, None where there are none ·
    rebuilder: makes tables again from these, likewise.
    """

    database: Database
    analytics: Analytics
    cipher: SecretCipher
    clock: Clock
    currency: str
    zone: ZoneInfo
    tracking_url: str
    files: FileStore
    api_url: str
    isp_database: Path | None = None
    address_databases: frozenset[str] = frozenset()
    trials: OnDemandClient = field(default_factory=OnDemandClient)
    visitors: Callable[[], VisitorLookup] = field(default_factory=lambda: cache(VisitorLookup))
    retention_policy: RetentionPolicy = DEFAULT_RETENTION
    journals: Path | None = None
    rebuilder: Rebuilder | None = None
    click_state: Callable[[], ClickState] = field(default=lambda: EMPTY_CLICK_STATE)
