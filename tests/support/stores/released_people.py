"""People with credentials as an earlier version made them: what an upgrade has to keep.

From the root of a checkout of that version, with its packages:

    PYTHONPATH=. .venv/bin/python /PATH/OF/tests/support/stores/released_people.py 1d3ce804 > people_1d3ce804.json

It fills a data directory through the API and the pages of that version. The file has the rows of each table that has
any, the key file's key, and each secret in clear: these are the secrets of a test. The tables are made by the
migrations up to that version's, which never change.
"""

import base64
import hashlib
import json
import re
import sys
import tempfile
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, insert, select

from tests.support import api as support
from tests.support.api import Api
from tests.support.pages import Visitor, console_app
from tests.support.stores.analytics import empty_store
from trackyard.base.secrets import SecretCipher, hash_password
from trackyard.domain.people.one_time_codes import STEP_S, code_at
from trackyard.domain.people.roles import Role
from trackyard.store.engine.database import Database
from trackyard.store.engine.migrations import versions
from trackyard.store.engine.schema import newest_version, upgrade
from trackyard.store.people import advertisers
from trackyard.store.tables import mail

KEY = base64.urlsafe_b64encode(b"the key of a test data directory"[:32]).decode()
"""The content of the key file."""


def as_json(value: Any) -> Any:
    """Return a value of a column as JSON has it."""
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    return {"decimal": str(value)} if isinstance(value, Decimal) else value


def from_json(value: Any) -> Any:
    """Return a value of a column."""
    match value:
        case {"bytes": str(text)}:
            return bytes.fromhex(text)
        case {"decimal": str(text)}:
            return Decimal(text)
    return value


def read_rows(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table that has any, but of the version of the schema."""
    found = MetaData()
    found.reflect(connection)
    rows = {
        table.name: [
            {name: as_json(value) for name, value in row._mapping.items()} for row in connection.execute(select(table))
        ]
        for table in found.sorted_tables
        if table.name != "alembic_version"
    }
    return {name: each for name, each in rows.items() if each}


def write_rows(connection: Connection, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Put rows into the tables that a migration made, instead of those that it put there."""
    found = MetaData()
    found.reflect(connection)
    for table in reversed(found.sorted_tables):
        if table.name != "alembic_version":
            connection.execute(table.delete())
    for table in found.sorted_tables:
        if table.name in rows:
            values = [{name: from_json(value) for name, value in row.items()} for row in rows[table.name]]
            connection.execute(insert(table), values)


def digest_of_migrations(version: str) -> str:
    """Return the SHA-256 of the migrations up to a version."""
    found = hashlib.sha256()
    for path in sorted(Path(next(iter(versions.__path__))).glob("[0-9]*_*.py")):
        if path.name.partition("_")[0] <= version:
            found.update(path.read_bytes())
    return found.hexdigest()


@dataclass
class OldInstallation:
    """An installation of the version in the current folder, and the people that it has."""

    api: Api
    people: list[dict[str, Any]] = field(default_factory=list)

    def add_staff(self) -> None:
        """Two with all that staff users have, and one with a link alone."""
        for place, role in enumerate((Role.ADMIN, Role.MANAGER_AFFILIATE)):
            password, email = f"a password of staff {place}", f"staff{place}@network.example"
            user = {"email": email, "password": password, "first_name": "Mia", "last_name": f"Manager {place}"}
            made = self.api.admin.post("/3.0/admin/user", **user, **{"roles[]": role})["user"]
            own = {"kind": "staff", "id": made["id"], "login": email, "password": password, "key": made["api_key"]}
            self.people.append(own | self._with_more(own))
        user = {"email": "linked@network.example", "password": "never told", "first_name": "L", "last_name": "L"}
        linked = self.api.admin.post("/3.0/admin/user", **user, **{"roles[]": Role.ADMIN})["user"]["id"]
        link = str(self.api.admin.post(f"/3.1/admin/user/{linked}/sign_in_link")["user"]["link"])
        own = {"kind": "staff", "id": linked, "login": user["email"]}
        self.people.append(own | {"link": link.partition("token=")[2]})

    def add_affiliates(self) -> None:
        """One with all that affiliates have, one with sessions, one that forgot its password."""
        for place in range(3):
            password, email = f"a password of media {place}", f"media{place}@media.example"
            given = {"email": email, "password": password, "company": f"Media {place}", "status": "active"}
            made = self.api.admin.post("/3.0/admin/partner", **given)["partner"]
            own = {"kind": "affiliate", "id": str(made["id"]), "login": email, "key": made["api_key"]}
            if place == 2:
                self.people.append(own | {"link": self._link_for(email)})
                continue
            own |= {"password": password}
            if place == 0:
                self.people.append(own | self._with_more(own))
                continue
            opened = self.api.admin.with_key(None).post("/3.1/auth", login=email, password=password)
            self.people.append(own | {"session": opened["api_key"], "cookie": self._cookie_of(own)})

    def add_advertisers(self) -> None:
        """Two with a key, a password and sessions."""
        for place in range(2):
            password, email = f"a password of shop {place}", f"shop{place}@shop.example"
            number = self.api.add_advertiser(title=f"Shop {place}", email=email, contact=f"Sue {place}")
            with self.api.deps.database.write() as conn:
                advertisers.edit_advertiser(conn, number, {"password_hash": hash_password(password)})
            shown = self.api.admin.with_key(None).post("/3.1/advertiser/login", email=email, password=password)
            own = {"kind": "advertiser", "id": number, "login": email, "password": password}
            own |= {"key": str(self.api.advertiser_client(number).key), "session": shown["access_token"]}
            self.people.append(own | {"cookie": self._cookie_of(own)})

    def _with_more(self, own: dict[str, Any]) -> dict[str, Any]:
        """Give a person a further key, a saved report, a second factor and a session."""
        client, login, password = self.api.admin.with_key(own["key"]), own["login"], own["password"]
        scopes = {"scopes[]": ["read", "write", "stats"]}
        further = client.post("/3.1/auth/keys", name="program", **scopes)["key"]["api_key"]
        report = client.post("/3.1/stats/saved-reports", name=f"Report of {login}", query="by=offer")["report"]
        secret = client.post("/3.1/auth/second_factor", password=password)["secret"]
        code = code_at(secret, self.api.clock.now_ms() // 1000 // STEP_S)
        used, *codes = client.post("/3.1/auth/second_factor/confirm", otp=code)["recovery_codes"]
        self.api.clock.advance(5 * STEP_S * 1000)
        opened = self.api.admin.with_key(None).post("/3.1/auth", login=login, password=password, otp=used)
        return {
            "further_key": further, "session": opened["api_key"], "otp_secret": secret, "recovery_codes": codes,
            "used_recovery_code": used, "report": report["id"],
        }  # fmt: skip

    def _cookie_of(self, own: dict[str, Any]) -> str:
        visitor = Visitor(console_app(self.api))
        answer = visitor.sign_in(own["login"], own["password"])
        assert answer.status_code == 303, answer.text
        return str(visitor.client.cookies["trackyard"])

    def _link_for(self, email: str) -> str:
        Visitor(console_app(self.api)).client.post("/sign-in/forgotten", data={"login": email})
        with self.api.deps.database.read() as conn:
            bodies = [each.body for each in conn.execute(select(mail).where(mail.c.recipient == email))]
        [found] = [each for body in bodies for each in re.findall(r"/sign-in/link\?token=(\w+)", body)]
        return str(found)


def _fill(release: str) -> dict[str, Any]:
    """Fill a data directory; return what is in it."""
    support.CIPHER = SecretCipher(KEY)
    url = f"sqlite:///{tempfile.mkdtemp()}/trackyard.db"
    with Database(url) as database, empty_store() as analytics:
        upgrade(database)
        made = OldInstallation(support.installed(database, analytics))
        made.add_staff()
        made.add_affiliates()
        made.add_advertisers()
        with database.read() as conn:
            rows = read_rows(conn)
    version = newest_version()
    return {
        "release": release, "schema": version, "migrations": digest_of_migrations(version), "key": KEY,
        "now": made.api.clock.now_ms(), "people": made.people, "rows": rows,
    }  # fmt: skip


if __name__ == "__main__":
    filled = _fill(sys.argv[1])
    lines = [f"  {json.dumps(name)}: {json.dumps(rows, sort_keys=True)}" for name, rows in filled.pop("rows").items()]
    sys.stdout.write(json.dumps(filled, indent=1)[:-2] + ',\n "rows": {\n' + ",\n".join(lines) + "\n }\n}\n")
