"""Checks of databases and mail, against servers on the loopback."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.checks.test_machine_checks import machine
from tests.support.processes.mailserver import MailServer, mail_server
from tests.support.processes.valkey import running_valkey
from trackyard.base.ids import new_id
from trackyard.base.secrets import SecretCipher
from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff import Staff, StaffStatus
from trackyard.runtime.checks.stores import check_analytics, check_mail, check_redis, check_second_person, check_sql
from trackyard.runtime.settings import encryption_keys
from trackyard.runtime.start_checks import warn_of_lone_administrator
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade
from trackyard.store.people import staff
from trackyard.store.platform.settings import SMTP_URL, edit_setting

__all__ = ["mail_server"]


def unused_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.fixture
def refusing_store() -> Iterator[str]:
    """A ClickHouse server that knows no user."""

    class Refusal(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = b"Code: 516. DB::Exception: me: Authentication failed. (AUTHENTICATION_FAILED)"
            self.send_response(403)
            self.send_header("X-ClickHouse-Exception-Code", "516")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST

        def log_message(self, *_given: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusal) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_stores_in_the_data_directory_have_no_findings(tmp_path: Path) -> None:
    here = machine(tmp_path)
    assert [*check_sql(here), *check_analytics(here), *check_mail(here)] == []


def test_sql_database_that_is_away_is_found_without_its_password(tmp_path: Path) -> None:
    address = unused_address()
    (found,) = check_sql(machine(tmp_path, database_url=f"postgresql://me:hush@{address}/yard"))
    assert (found.kind.value, found.subject) == ("sql_silent", f"{address}/yard")
    assert "Connection refused" in found.sentence and "hush" not in str(found.answer())


def test_sql_database_that_refuses_is_found(database_url: str, tmp_path: Path) -> None:
    assert list(check_sql(machine(tmp_path, database_url=database_url))) == []
    if database_url.startswith("postgresql"):
        wrong = database_url.replace("/test_", "/no_such_")
        (found,) = check_sql(machine(tmp_path, database_url=wrong))
        assert found.kind.value == "sql_refused" and "does not exist" in found.sentence


def test_clickhouse_that_is_away_is_found(tmp_path: Path) -> None:
    address = unused_address()
    (found,) = check_analytics(machine(tmp_path, analytics_url=f"http://me:hush@{address}/yard"))
    assert found.kind.value == "store_silent"
    assert found.sentence == f"ClickHouse at {address} does not answer: Connection refused."


def test_clickhouse_that_refuses_the_login_is_found(tmp_path: Path, refusing_store: str) -> None:
    (found,) = check_analytics(machine(tmp_path, analytics_url=f"http://me:hush@{refusing_store}/yard"))
    assert (found.kind.value, found.subject) == ("store_refused", refusing_store)
    assert "Authentication failed" in found.sentence and "hush" not in str(found.answer())


def test_redis_that_is_away_is_found_without_its_password(tmp_path: Path) -> None:
    address = unused_address()
    (found,) = check_redis(machine(tmp_path, redis_url=f"redis://me:hush@{address}/0"))
    assert (found.kind.value, found.subject) == ("redis_silent", address)
    assert "Connection refused" in found.sentence and "hush" not in str(found.answer())
    assert list(check_redis(machine(tmp_path))) == []
    with running_valkey() as server:
        assert list(check_redis(machine(tmp_path, redis_url=server.url))) == []


def test_mail_server_that_takes_the_login_gets_no_mail(tmp_path: Path, mail_server: MailServer) -> None:
    url = mail_server.url.replace("//", "//me:hush@")
    assert list(check_mail(machine(tmp_path, smtp_url=url))) == []
    assert len(mail_server.logins) == 1 and mail_server.received == []


def test_mail_server_that_refuses_the_login_is_found(tmp_path: Path, mail_server: MailServer) -> None:
    mail_server.login_answer = "535 5.7.8 wrong password"
    (found,) = check_mail(machine(tmp_path, smtp_url=mail_server.url.replace("//", "//me:hush@")))
    assert found.kind.value == "mail_refused" and "535 5.7.8 wrong password." in found.sentence
    assert "hush" not in str(found.answer())


def test_mail_server_that_is_away_is_found(tmp_path: Path) -> None:
    (found,) = check_mail(machine(tmp_path, smtp_url=f"smtp://{unused_address()}"))
    assert found.kind.value == "mail_refused" and found.evidence["reason"] == "Connection refused"


def installed(tmp_path: Path, smtp_url: str) -> None:
    """An installation in the data directory, with a mail server that staff set; "" = none."""
    config = machine(tmp_path).config
    with Database(config.database_url) as database:
        upgrade(database)
        with database.write() as connection:
            stored = SecretCipher(*encryption_keys(config)).encrypt(smtp_url) if smtp_url else ""
            edit_setting(connection, SMTP_URL, stored)


def test_mail_server_in_force_is_checked_whatever_the_file_says(tmp_path: Path, mail_server: MailServer) -> None:
    dead = f"smtp://{unused_address()}"
    installed(tmp_path, dead)
    (found,) = check_mail(machine(tmp_path, smtp_url=mail_server.url))
    assert found.subject == dead.removeprefix("smtp://") and "password in Settings → Mail" in found.advice
    installed(tmp_path, mail_server.url)
    assert list(check_mail(machine(tmp_path, smtp_url=dead))) == []
    assert list(check_mail(machine(tmp_path, api_url="https://api.example.org"))) == [], "a server of staff is one"
    installed(tmp_path, "")
    (found,) = check_mail(machine(tmp_path, smtp_url=dead))
    assert "password in TRACKYARD_SMTP_URL" in found.advice
    assert not mail_server.received


def test_mail_in_files_is_found_on_the_internet_only(tmp_path: Path) -> None:
    (found,) = check_mail(machine(tmp_path, api_url="https://api.example.org"))
    assert (found.kind.value, found.subject) == ("mail_in_files", str(tmp_path / "mail"))
    assert list(check_mail(machine(tmp_path, api_url="https://api.example.org", roles="api"))) == []


def add_administrator(database: Database, email: str, **values: Any) -> None:
    with database.write() as conn:
        new = Staff(id=new_id(1_000), email=email, created_at=1_000, updated_at=1_000, **values)
        staff.add_staff(conn, new)


def test_payments_that_no_second_person_can_confirm_are_found(
    tmp_path: Path, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"database_url": database.url, "require_second_person": "1"}
    asked = machine(tmp_path, **settings)
    administrator = {"roles": [Role.ADMIN], "password_hash": "x"}
    add_administrator(database, "ann@staff.example", **administrator)
    add_administrator(database, "keyless@staff.example", roles=[Role.ADMIN])
    add_administrator(database, "payer@staff.example", roles=[Role.SECTION_PAYMENT], password_hash="x")
    add_administrator(database, "gone@staff.example", **administrator, status=StaffStatus.BLOCKED)
    (found,) = check_second_person(asked)
    assert (found.kind.value, dict(found.evidence)) == ("second_person_missing", {"administrators": 1})
    warn_of_lone_administrator(asked.config, database)
    [logged] = [each for each in caplog.records if each.message == "second person missing"]
    assert logged.__dict__["administrators"] == 1
    assert list(check_second_person(machine(tmp_path, database_url=database.url))) == [], "the setting is off"
    add_administrator(database, "bob@staff.example", **administrator)
    assert list(check_second_person(asked)) == []


def test_second_person_of_a_database_without_installation_is_not_asked_for(tmp_path: Path) -> None:
    here = machine(tmp_path, require_second_person="1")
    assert list(check_second_person(here)) == []
    assert list(tmp_path.iterdir()) == [], "a check makes no database"
    (tmp_path / "trackyard.db").touch()
    assert list(check_second_person(here)) == []
