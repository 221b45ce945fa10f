"""The dependencies of use cases, set once at the start of the program.

Every process that runs a use case imports this module, so that it imports no store: its caller has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from trackyard.actions.platform.traffic_findings import QualityMemory
from trackyard.base.web_addresses import TELEGRAM_URL
from trackyard.domain.people.passwords import PasswordPolicy
from trackyard.domain.people.sessions import SessionPolicy
from trackyard.domain.platform.retention import DEFAULT_RETENTION, RetentionPolicy
from trackyard.domain.platform.status import MachineStatus

if TYPE_CHECKING:
    from trackyard.actions.platform.rebuild import Rebuilder
    from trackyard.actions.platform.settings_in_force import MailSettings
    from trackyard.analytics.engine.connection import Analytics
    from trackyard.base.clock import Clock
    from trackyard.base.secrets import SecretCipher
    from trackyard.decision.click.state import ClickState
    from trackyard.decision.visitor.visitor import VisitorLookup
    from trackyard.domain.platform.findings import CheckFindings
    from trackyard.outbound.interactive import OnDemandClient
    from trackyard.store.engine.database import Database
    from trackyard.store.platform.file_storage import FileStore


def _no_click_state() -> ClickState:
    from trackyard.decision.click.state import EMPTY_CLICK_STATE

    return EMPTY_CLICK_STATE


def _visitor_lookup() -> VisitorLookup:
    from trackyard.decision.visitor.visitor import VisitorLookup

    return VisitorLookup()


def _mail_in_files() -> MailSettings:
    from trackyard.actions.platform.settings_in_force import MailSettings

    return MailSettings("", "trackyard@localhost")


def _on_demand_client() -> OnDemandClient:
    from trackyard.outbound.interactive import OnDemandClient

    return OnDemandClient()


@dataclass(frozen=True, slots=True)
class Deps:
    """Stores, clock, keys, and the settings of the platform.

    origin: identifies this installation in requests to other hosts.
    mail: the mail settings at the start; settings of staff override them.
    currency, zone: the defaults for amounts and times.
    tracking_url, api_url: the beginning of links and of files' addresses, without a slash at the end.
    files: creatives and logos.
    isp_database: an MMDB of providers, None without one.
    address_databases: the configured ones of "city", "isp" and "connection".
    trials: requests to other hosts that a caller waits for.
    telegram_url: the start of the URLs of Telegram's Bot API.
    visitors: visitor data, opened by the first use.
    journals: the directory of this machine's journals, None without one; rebuilder: likewise.
    click_state: the state of this machine's edges, to read.
    sessions: how long sessions last.
    passwords: the rule for new passwords.
    machine: returns the current state of this machine.
    checks: returns the last findings of this machine's checks.
    needs_confirmed_email: whether approval and sign-in wait for the confirmation of an e-mail address.
    needs_second_person: whether payments and changes of payment systems wait for another administrator.
    quality: a cache of the latest findings about the quality of all traffic.
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
    origin: str = ""
    mail: MailSettings = field(default_factory=_mail_in_files)
    isp_database: Path | None = None
    address_databases: frozenset[str] = frozenset()
    trials: OnDemandClient = field(default_factory=_on_demand_client)
    telegram_url: str = TELEGRAM_URL
    visitors: Callable[[], VisitorLookup] = field(default_factory=lambda: cache(_visitor_lookup))
    retention_policy: RetentionPolicy = DEFAULT_RETENTION
    journals: Path | None = None
    rebuilder: Rebuilder | None = None
    click_state: Callable[[], ClickState] = field(default=_no_click_state)
    sessions: SessionPolicy = field(default_factory=SessionPolicy)
    passwords: PasswordPolicy = field(default_factory=PasswordPolicy)
    machine: Callable[[], MachineStatus] = MachineStatus
    checks: Callable[[], Sequence[CheckFindings]] = tuple
    needs_confirmed_email: bool = False
    needs_second_person: bool = False
    quality: QualityMemory = field(default_factory=QualityMemory)
