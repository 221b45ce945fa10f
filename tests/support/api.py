"""The API over real stores, with its people."""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from cryptography.fernet import Fernet

from tests.support.client import ApiClient
from tests.support.stores.analytics import empty_store
from tests.support.stores.rebuilds import IdleRebuilder
from tests.support.stores.shared_statements import open_database
from trackyard.actions.deps import Deps
from trackyard.actions.people.callers import find_caller
from trackyard.actions.platform.installation import first_start, store_api_url
from trackyard.analytics.engine.connection import Analytics
from trackyard.api.app import build
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.secrets import SecretCipher
from trackyard.domain.people.callers import AccountKind, Caller
from trackyard.domain.people.roles import Role
from trackyard.domain.people.sessions import Session
from trackyard.domain.people.staff import Staff
from trackyard.store.engine.database import Database
from trackyard.store.people import keys, sessions, staff
from trackyard.store.platform.file_storage import DirectoryStore
from trackyard.wire.http.rate_limits import ApiLimits

NOW = 1_700_000_000_000
"""2023-11-14 22:13:20 UTC, a Tuesday."""

CIPHER = SecretCipher(Fernet.generate_key().decode())
ADMIN_KEY = "ad" * 20
"""The key of the first administrator: fixed, because the API pages show it."""
PASSWORD = "long-enough"
"""The password of affiliates."""
UNBOUNDED = ApiLimits(
    per_second=10**6,
    burst=10**6,
    reports=100,
    strangers_per_second=10**6,
    strangers_burst=10**6,
    pages_per_second=10**6,
    pages_burst=10**6,
)
"""Tests call faster than anyone may."""

API_URL = "http://api.example"


@dataclass(frozen=True)
class Api:
    """The application, its clock, and a client of the first administrator."""

    deps: Deps
    clock: ManualClock
    app: Any
    admin: ApiClient

    def add_staff(self, *roles: Role) -> tuple[str, ApiClient]:
        """A staff user with roles: id, and a client of it."""
        now, key = self.clock.now_ms(), new_api_key()
        user = Staff(
            id=new_id(now), email=f"{key}@staff.example", first_name="Mia", last_name="Manager", roles=[*roles],
            created_at=now, updated_at=now,
        )  # fmt: skip
        with self.deps.database.write() as conn:
            staff.add_staff(conn, user)
            keys.add_key(conn, AccountKind.STAFF, user.id, key, self.deps.cipher, now)
        return user.id, self.admin.with_key(key)

    def caller_of(self, client: ApiClient) -> Caller:
        """Return the caller of a client."""
        caller = find_caller(self.deps.database, self.clock, client.key or "")
        assert caller is not None
        return caller

    def open_session(self, client: ApiClient) -> tuple[str, ApiClient]:
        """Open a session of the caller of a client; return its id, and a client of it."""
        caller = self.caller_of(client)
        now, key = self.clock.now_ms(), new_api_key()
        new = Session(
            id=new_id(now), account=caller.account, created_at=now, last_used_at=now,
            idle_until=now + self.deps.sessions.idle_ms, expires_at=now + self.deps.sessions.lifetime_ms,
        )  # fmt: skip
        with self.deps.database.write() as conn:
            sessions.add_session(conn, new, key)
        return new.id, self.admin.with_key(key)

    def add_advertiser(self, **params: Any) -> str:
        """An advertiser's id."""
        body = self.admin.post("/3.0/admin/advertiser", **{"title": "Shop"} | params)
        return str(body["advertiser"]["id"])

    def advertiser_client(self, advertiser_id: str) -> ApiClient:
        """A client of an advertiser, with a key of its own."""
        key = new_api_key()
        with self.deps.database.write() as conn:
            keys.add_key(conn, AccountKind.ADVERTISER, advertiser_id, key, self.deps.cipher, self.clock.now_ms())
        return self.admin.with_key(key)

    def add_offer(self, **params: Any) -> int:
        """The id of an active offer that charges 10 and pays 7."""
        given = {"title": "Shoes", "url": "https://shop.example/", "status": "active"}
        payment = {"payments[0][total]": "10", "payments[0][revenue]": "7"}
        advertiser = params.pop("advertiser", None) or self.add_advertiser()
        body = self.admin.post("/3.0/admin/offer", **given | payment | {"advertiser": advertiser} | params)
        return int(body["offer"]["id"])

    def add_affiliate(self, **params: Any) -> tuple[int, ApiClient]:
        """An affiliate's id, and a client of it."""
        given = {"email": f"{new_api_key()}@affiliate.example", "password": PASSWORD}
        body = self.admin.post("/3.0/admin/partner", **given | params)
        return int(body["partner"]["id"]), self.admin.with_key(body["partner"]["api_key"])


@lru_cache(maxsize=1)
def _files() -> str:
    """A directory for stored files, which goes with the process."""
    directory = tempfile.mkdtemp(prefix="files-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def _start(database: Database) -> None:
    first_start(database, CIPHER, ManualClock(NOW), ADMIN_KEY)
    store_api_url(database, API_URL)


def installed(database: Database, analytics: Analytics) -> Api:
    """Make a fresh installation over migrated stores."""
    _start(database)
    return opened(database, analytics)


def opened(database: Database, analytics: Analytics) -> Api:
    """Open the API over the stores of an installation."""
    clock = ManualClock(NOW)
    deps = Deps(
        database=database,
        analytics=analytics,
        cipher=CIPHER,
        clock=clock,
        currency="USD",
        zone=ZoneInfo("UTC"),
        tracking_url="http://track.example",
        files=DirectoryStore(Path(tempfile.mkdtemp(dir=_files()))),
        api_url=API_URL,
        rebuilder=IdleRebuilder(database, analytics, Path(_files()), clock, "d" * 24),
    )
    app = build(deps, limits=UNBOUNDED)
    return Api(deps, clock, app, ApiClient(app, CATALOGUE, ADMIN_KEY))


@lru_cache(maxsize=1)
def _installed_sqlite(migrated_sqlite: Path) -> Path:
    """Return a SQLite file of an installation after its first start."""
    path = Path(_files()) / "trackyard.db"
    shutil.copy(migrated_sqlite, path)
    database = open_database(f"sqlite:///{path}")
    _start(database)
    database.close()
    return path


@pytest.fixture
def api(migrated_sqlite: Path, analytics: Analytics, tmp_path: Path) -> Iterator[Api]:
    """A fresh installation for one test."""
    path = tmp_path / "only.db"
    shutil.copy(_installed_sqlite(migrated_sqlite), path)
    database = open_database(f"sqlite:///{path}")
    yield opened(database, analytics)
    database.close()


@pytest.fixture(scope="session")
def shared_api(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """One installation for tests that look at nothing but what they made themselves."""
    path = tmp_path_factory.mktemp("shared") / "trackyard.db"
    shutil.copy(migrated_sqlite, path)
    database = open_database(f"sqlite:///{path}")
    with empty_store() as analytics:  # its own: other installations have the same numbers
        yield installed(database, analytics)
    database.close()
