"""Expired and erased data is gone for good, while every sum stays."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from tests.support.counted import counted
from tests.support.installation import SteppedInstallation
from tests.support.manual_seconds import ManualSeconds
from tests.support.models.events import new_click
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.clicks import find_click
from trackyard.analytics.reports.reports import run_report
from trackyard.base.ids import new_id
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.erasures import ErasureSubject
from trackyard.domain.platform.retention import RetentionPolicy
from trackyard.domain.statistics.reports import Report
from trackyard.jobs.schedule.retention import RetentionRunner
from trackyard.journal import packing, segments
from trackyard.journal.archive import archive_path, zstd
from trackyard.journal.reader import OffsetRange
from trackyard.journal.records import RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.conversions.inbox import NewInboxEntry
from trackyard.store.engine.database import Database
from trackyard.store.platform import erasures, rebuilds
from trackyard.store.platform.rebuilds import RebuildStage
from trackyard.store.tables import conversion, delivery, inbox

pytestmark = pytest.mark.slow

PERSON = {"ip": "203.0.113.9", "ua": "Someones browser", "referrer": "https://me.example/", "user_id": "u-77"}
PERSON |= {"os_id": "os-1", "fbclid": "fb.1", "ios_idfa": "idfa-1", "android_id": "gaid-1"}
TEXTS = [*PERSON.values(), "198.51.100.77", "the-mail"]
STAFF = "5" * 24


class RetentionSetup:
    """An installation with two affiliates, the visitor of one of them converted, and its jobs."""

    def __init__(self, database: Database, analytics: Analytics, home: Path) -> None:
        self.plant = SteppedInstallation(database, analytics, home)
        self.journals = home / "journal"
        self.start()
        api = self.plant.api
        self.advertiser = api.add_advertiser()
        self.offer = api.add_offer(advertiser=self.advertiser, privacy="public")
        self.affiliate, self.client = api.add_affiliate(
            email="the-mail@affiliate.example", contactPerson="the-mail person", phone="the-mail 1", notes="the-mail"
        )
        self.other, _ = api.add_affiliate()
        api.admin.post(f"/3.0/admin/partner/{self.affiliate}", phone="the-mail 2")
        url = "https://a.example/?c={clickid}&ip={ip}&ua={uagent}&u={user_id}&r={referrer}&s={status}&g={sum}"
        self.client.post("/3.0/partner/postback", url=url)

    def start(self, **days: int) -> None:
        """Make new workers, as after a kill."""
        deps = self.plant.api.deps
        retention_policy = RetentionPolicy(**days)
        self.plant.api = replace(self.plant.api, deps=replace(deps, retention_policy=retention_policy))
        self.plant.start()
        self.plant.schedule = type(self.plant.schedule)(deps.database, deps.zone, deps.clock, None, retention_policy)
        self.retention = RetentionRunner(deps.database, deps.analytics, self.journals, deps.clock, retention_policy)

    def visit(self, affiliate: int, **fields: Any) -> str:
        """Make an impression, a click and a postback that converts; return the click's id."""
        click = self.plant.click(self.offer, affiliate, self.advertiser, **fields)
        view = new_click(
            1, affiliate=affiliate, offer=self.offer, time=click.time, **fields | {"landing": 0, "uniq": 0}
        )
        self.plant.writer.append(RecordKind.IMPRESSION, encode(view))
        self.plant.call(clickid=click.id, ip="198.51.100.77" if fields else "192.0.2.1")
        self.plant.write_checkpoint()
        return click.id

    def erase(self, subject: ErasureSubject, value: str) -> None:
        """Erase by a request of staff."""
        with self.plant.database.write() as conn:
            erasures.add(conn, subject, value, STAFF, self.plant.clock.now_ms())

    def keep(self) -> None:
        """Do all that can be done now."""
        for _ in range(10):
            busy = 0
            while self.plant.schedule.eraser.erase():
                busy += 1
            while self.plant.schedule.eraser.empty_old():
                busy += 1
            self.plant.projector.drain()
            self.retention.drain()
            if not busy:
                return

    def new_journal(self) -> None:
        """Restart the edge, which finishes its journal."""
        self.plant.writer.close()
        self.plant.writer = JournalWriter(self.journals, self.plant.edge, self.plant.clock)

    def everything(self) -> str:
        """Return all stored data, apart from the list of erasures."""
        with self.plant.database.read() as conn:
            names = conn.dialect.get_table_names(conn)  # type: ignore[no-untyped-call]
            tables = [name for name in names if name not in ("erasure", "rule_change", "alembic_version")]
            rows = [row for name in tables for row in conn.exec_driver_sql(f'SELECT * FROM "{name}"')]
        store = self.plant.analytics
        for table in ("click", "view", "fact", "server_log", "affiliate_log"):
            rows += store.rows(f"SELECT toString(tuple(*)) FROM {table}", {}, tuple[str])
        rows += store.rows("SELECT record FROM click_lookup", {}, tuple[str])
        text = " ".join(repr(tuple(row)) for row in rows)
        for path in self.journals.rglob("*.zst"):
            text += zstd.decompress(path.read_bytes()).decode("latin-1")
        return text

    def figures(self) -> Any:
        """Return all sums of reports."""
        api = self.plant.api
        report = Report(Scope.everything(), 0, api.clock.now_ms() + DAY_MS, ("affiliate", "day"))
        rows = [(row.keys, row.raw, row.views, row.actions) for row in run_report(api.deps.analytics, report).rows]
        with self.plant.database.read() as conn:
            columns = [each for each in conversion.c if each.name not in ("click", "click_ip", "call_ip", "user_id")]
            stored = conn.execute(select(*columns).order_by(conversion.c.id)).all()
        listed = api.admin.get("/3.0/stats/conversions", date_from="2023-01-01", date_to="2023-12-31")
        shown = [{key: each[key] for key in ("id", "status", "payouts", "revenue")} for each in listed["conversions"]]
        balance = api.admin.get("/3.0/balance", pid=self.affiliate)
        return rows, [tuple(row) for row in stored], shown, balance


@pytest.fixture
def kept(database: Database, analytics: Analytics, tmp_path: Path) -> Iterator[RetentionSetup]:
    """The installation on each engine of SQL."""
    kept = RetentionSetup(database, analytics, tmp_path)
    yield kept
    kept.plant.close()


@pytest.mark.long_on_postgresql
@pytest.mark.parametrize("subject", list(ErasureSubject))
def test_erasure_removes_personal_data_and_keeps_metrics(kept: RetentionSetup, subject: ErasureSubject) -> None:
    click_id = kept.visit(kept.affiliate, **PERSON)
    kept.visit(kept.other)
    kept.plant.work()
    kept.new_journal()
    before = kept.figures()
    assert all(text in kept.everything() for text in TEXTS)
    named = {ErasureSubject.CLICK: click_id, ErasureSubject.USER: "u-77", ErasureSubject.AFFILIATE: str(kept.affiliate)}
    kept.plant.clock.advance(1000)
    kept.erase(subject, named[subject])
    if subject is ErasureSubject.CLICK:  # a view is a thing of its own
        view = kept.plant.analytics.rows("SELECT id FROM view WHERE ip != ''", {}, tuple[str])
        kept.erase(subject, view[0][0])
    kept.keep()
    left = kept.everything()
    account = () if subject is ErasureSubject.AFFILIATE else ("the-mail",)
    assert [text for text in TEXTS if text in left] == list(account)
    assert kept.figures() == before
    assert reconcile(kept.plant.api.deps).differences == []
    with kept.plant.database.read() as conn:
        assert erasures.list_not_in_sql(conn) == erasures.list_not_in_analytics(conn) == []
        [url] = conn.execute(select(delivery.c.url)).scalars()
    assert url.startswith(f"https://a.example/?c={click_id}&ip=&ua=&u=&r=&s=1&g=7")
    assert packing.erased_until(kept.journals) == (2 if subject is not ErasureSubject.AFFILIATE else 1) + (
        1 if subject is ErasureSubject.USER else 0
    )


def test_erasure_of_account_disables_login_and_keeps_balance(kept: RetentionSetup) -> None:
    kept.visit(kept.affiliate, **PERSON)
    kept.plant.work()
    balance = kept.plant.api.admin.get("/3.0/balance", pid=kept.affiliate)
    kept.erase(ErasureSubject.AFFILIATE, str(kept.affiliate))
    kept.keep()
    assert kept.client.get("/3.0/partner/me", status=401)["code"]
    body = {"login": "the-mail@affiliate.example", "password": "long-enough"}
    assert kept.plant.api.admin.post("/3.1/auth", **body, status=401)
    shown = kept.plant.api.admin.get(f"/3.0/admin/partner/{kept.affiliate}")["partner"]
    assert (shown["id"], shown["email"]) == (kept.affiliate, f"erased-{kept.affiliate}@erased.invalid")
    assert kept.plant.api.admin.get("/3.0/balance", pid=kept.affiliate) == balance
    log = kept.plant.api.admin.get("/3.1/admin/audit", what="affiliate", key=str(kept.affiliate))
    phones = [item["changes"]["phone"] for item in log["audit"] if "phone" in item["changes"]]
    assert phones == [{"from": "***", "to": "***"}] * 2, "when, not what"


@pytest.mark.long_on_postgresql
@pytest.mark.parametrize("subject", list(ErasureSubject))
def test_erasure_covers_records_loaded_later(kept: RetentionSetup, subject: ErasureSubject) -> None:
    click_id = kept.visit(kept.affiliate, **PERSON)  # recorded, and not loaded
    view = new_click(1, time=kept.plant.clock.now_ms() - 400, affiliate=kept.affiliate).id
    kept.plant.clock.advance(1000)
    named = {ErasureSubject.CLICK: click_id, ErasureSubject.USER: "u-77", ErasureSubject.AFFILIATE: str(kept.affiliate)}
    kept.erase(subject, named[subject])
    if subject is ErasureSubject.CLICK:
        kept.erase(subject, view)
    kept.keep()
    kept.plant.work()
    kept.new_journal()
    kept.keep()
    left = kept.everything()
    assert [text for text in TEXTS[:-1] if text in left] == []
    found = find_click(kept.plant.analytics, click_id)
    assert found is not None
    assert (found.ip, found.affiliate) == ("", kept.affiliate)
    with kept.plant.database.read() as conn:
        assert conn.execute(select(conversion.c.click_id, conversion.c.click_ip)).all() == [(click_id, "")]


@pytest.mark.long_on_postgresql
def test_erasure_missed_by_parallel_load_is_repeated(kept: RetentionSetup) -> None:
    click_id = kept.visit(kept.affiliate, **PERSON)
    load = kept.plant.projector.journals._inbox_postbacks

    def ask_meanwhile(edge: int, found: OffsetRange) -> list[NewInboxEntry]:
        kept.erase(ErasureSubject.CLICK, click_id)
        kept.keep_stores_only()  # before the postbacks of the range are in the inbox
        return load(edge, found)

    kept.keep_stores_only = lambda: [kept.plant.schedule.eraser.erase() for _ in range(20)]  # type: ignore[attr-defined]
    kept.plant.projector.journals._inbox_postbacks = ask_meanwhile  # type: ignore[method-assign]
    kept.plant.projector.journals.load_next()
    kept.plant.projector.journals._inbox_postbacks = load  # type: ignore[method-assign]
    with kept.plant.database.read() as conn:
        assert PERSON["ip"] in repr(conn.execute(select(inbox.c.click)).all())
        assert [each.value for each in erasures.list_not_in_sql(conn)] == [click_id]
    kept.keep()
    kept.plant.work()
    with kept.plant.database.read() as conn:
        assert conn.execute(select(conversion.c.click_ip)).scalars().all() == [""]


@pytest.mark.long_on_postgresql
def test_erasure_spares_later_users(kept: RetentionSetup) -> None:
    kept.erase(ErasureSubject.USER, "u-77")
    kept.erase(ErasureSubject.AFFILIATE, str(kept.affiliate))
    kept.plant.clock.advance(1)
    click_id = kept.visit(kept.affiliate, **PERSON)
    kept.plant.work()
    kept.keep()
    found = find_click(kept.plant.analytics, click_id)
    assert found is not None and found.ip == PERSON["ip"]


def test_retention_empties_old_personal_data(kept: RetentionSetup) -> None:
    kept.start(journals=7, clicks=400, logs=400, personal=10)
    kept.visit(kept.affiliate, **PERSON)
    kept.plant.work()
    kept.plant.call(clickid="", ip="198.51.100.77", user_id="u-77")
    kept.plant.settle()
    with kept.plant.database.write() as conn:  # one that could not be decided
        call = conn.execute(select(inbox)).first()
        assert call is None
        row = {"journal": "x", "position": 1, "click_id": "", "state": "aside", "logged": False}
        payload = encode(new_click(1, **PERSON))
        made = b'[1,"%s","postback","GET","203.0.113.9","a","b","c",{"ip":"203.0.113.9"}]' % (b"a" * 24)
        conn.execute(insert(inbox).values(**row, call=made, click=payload, received_at=kept.plant.clock.now_ms()))
    before = kept.figures()
    kept.plant.clock.advance(9 * DAY_MS)
    kept.keep()
    assert PERSON["ip"] in kept.everything()
    kept.plant.clock.advance(2 * DAY_MS)
    young = kept.visit(kept.other, **PERSON | {"ip": "203.0.113.10", "user_id": "u-78"})
    kept.plant.work()
    before = kept.figures()
    kept.new_journal()
    kept.keep()
    kept.plant.clock.advance(8 * DAY_MS)
    kept.keep()
    left = kept.everything()
    assert [text for text in ("203.0.113.9'", "u-77'") if text in left] == []
    found = find_click(kept.plant.analytics, young)
    assert found is not None and found.ip == "203.0.113.10"
    assert kept.figures() == before
    assert reconcile(kept.plant.api.deps).differences == []


@pytest.mark.long_on_postgresql
def test_retention_compresses_loaded_and_removes_old_journals(kept: RetentionSetup) -> None:
    kept.visit(kept.affiliate)
    first = kept.plant.writer.name
    kept.new_journal()
    kept.retention.drain()
    assert segments.list_archived(kept.journals, kept.plant.edge) == [], "it is not loaded"
    kept.plant.work()
    kept.retention.drain()
    assert segments.list_archived(kept.journals, kept.plant.edge) == [first]
    assert segments.list_plain(kept.journals, kept.plant.edge) == [kept.plant.writer.name]
    assert reconcile(kept.plant.api.deps).differences == []
    assert reconcile(kept.plant.api.deps).checked["clicks"] == 1
    kept.plant.clock.advance(35 * DAY_MS)
    kept.keep()
    assert archive_path(kept.journals, first).exists()
    kept.plant.clock.advance(1)
    kept.keep()
    assert segments.list_journals(kept.journals, kept.plant.edge) == [kept.plant.writer.name]
    kept.visit(kept.affiliate)
    kept.plant.work()
    assert reconcile(kept.plant.api.deps).differences == []


@pytest.mark.long_on_postgresql
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_journal_that_was_cut_stays_and_holds_up_no_other_one(
    kept: RetentionSetup, share: float, caplog: pytest.LogCaptureFixture
) -> None:
    names = []
    for _ in range(2):
        kept.visit(kept.affiliate)
        names.append(kept.plant.writer.name)
        kept.new_journal()
    kept.plant.work()
    path = segments.log_path(kept.journals, names[0])
    rest = int(path.stat().st_size * share)
    os.truncate(path, rest)
    for _ in range(3):
        kept.retention.drain()
    assert segments.list_archived(kept.journals, kept.plant.edge) == names[1:]
    assert segments.list_plain(kept.journals, kept.plant.edge) == [names[0], kept.plant.writer.name]
    [said] = [each for each in caplog.records if each.message == "journal was cut"]
    assert f"{path} ends after {rest} of " in said.__dict__["reason"]
    assert not [each for each in caplog.records if each.exc_info]


def test_retention_drops_old_months_and_reconciliation_agrees(kept: RetentionSetup) -> None:
    old = kept.visit(kept.affiliate)
    kept.plant.work()
    kept.new_journal()
    kept.plant.clock.advance(120 * DAY_MS)
    kept.keep()
    count = "SELECT (SELECT count() FROM server_log), (SELECT count() FROM click), (SELECT count() FROM fact)"
    assert kept.plant.analytics.rows(count, {}, tuple[int, int, int]) == [(0, 1, 1)]
    assert reconcile(kept.plant.api.deps).differences == []
    kept.plant.clock.advance(310 * DAY_MS)
    kept.plant.api.admin.post(f"/3.0/admin/offer/{kept.offer}", click_session="2y")
    kept.keep()
    assert find_click(kept.plant.analytics, old) is not None, "an offer still takes conversions for it"
    kept.plant.api.admin.post(f"/3.0/admin/offer/{kept.offer}", click_session="1y")
    kept.keep()
    assert find_click(kept.plant.analytics, old) is None
    assert kept.plant.analytics.rows(count, {}, tuple[int, int, int]) == [(0, 0, 1)]
    assert reconcile(kept.plant.api.deps).differences == []


@pytest.mark.long_on_postgresql
def test_retention_pauses_during_rebuild(kept: RetentionSetup) -> None:
    click_id = kept.visit(kept.affiliate, **PERSON)
    kept.plant.work()
    now = kept.plant.clock.now_ms()
    with kept.plant.database.write() as conn:
        gate = rebuilds.begin_rebuild(conn, "d" * 24, now)
    kept.erase(ErasureSubject.CLICK, click_id)
    kept.keep()
    found = find_click(kept.plant.analytics, click_id)
    assert found is not None and found.ip == PERSON["ip"]
    with kept.plant.database.write() as conn:
        rebuilds.move_to_stage(conn, gate, RebuildStage.FAILED, now)
    kept.keep()
    found = find_click(kept.plant.analytics, click_id)
    assert found is not None and found.ip == ""


@pytest.mark.long_on_postgresql
def test_retention_removes_quarantined_records_with_personal_data(kept: RetentionSetup) -> None:
    damaged = kept.journals / "damaged" / f"{new_id(1)}.record"
    damaged.parent.mkdir()
    damaged.write_bytes(b"personal")
    at = kept.plant.clock.now_ms() / 1000
    os.utime(damaged, (at, at))
    kept.plant.clock.advance(400 * DAY_MS)
    kept.retention.remove_journals()
    assert damaged.exists()
    kept.plant.clock.advance(DAY_MS)
    kept.retention.remove_journals()
    assert not damaged.exists()


@pytest.mark.long_on_postgresql
def test_retention_step_that_fails_does_not_block_others(
    kept: RetentionSetup, caplog: pytest.LogCaptureFixture
) -> None:
    kept.visit(kept.affiliate)
    kept.new_journal()
    kept.plant.work()

    def fail() -> bool:
        raise OSError("no space")

    kept.retention.tasks[0].work = fail
    failures = counted("trackyard_task_failures_total", part="retention", task="erasures")
    kept.plant.clock.advance(1)
    kept.retention.step()
    assert segments.list_archived(kept.journals, kept.plant.edge) != []
    failed = [record for record in caplog.records if record.levelname == "ERROR"]
    assert [(record.message, record.__dict__["task"]) for record in failed] == [("job failed", "erasures")]
    assert counted("trackyard_task_failures_total", part="retention", task="erasures") == failures + 1


def test_retention_task_after_the_clock_was_set_back_runs_on_time(
    kept: RetentionSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = ManualSeconds()
    monkeypatch.setattr("time.monotonic", seconds)
    runs: list[int] = []
    kept.retention.tasks = kept.retention.tasks[:1]

    def work() -> bool:
        runs.append(1)
        return False

    kept.retention.tasks[0].work = work
    kept.retention.step()
    kept.plant.clock.advance(-3_600_000)
    seconds.now += 1.0
    kept.retention.step()
    kept.plant.clock.advance(7_200_000)
    kept.retention.step()
    assert len(runs) == 2
