"""Edits and imports of conversions: in order, once, with all that follows."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import func, select, update

from tests.support.clicks.inbound_postbacks import AT, make_click, make_inbound_postback, make_inbox_postback
from tests.support.clicks.mmdb import write_mmdb
from tests.support.stores.outbox_lines import queued_lines
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer, add_postback
from trackyard.base.clock import ManualClock
from trackyard.base.ids import IMPORT_EDGE, find_click_id
from trackyard.decision.visitor.databases import AddressDatabases
from trackyard.domain.conversions.conversions import Conversion
from trackyard.domain.conversions.edits import ConversionEdit, ConversionImport
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.rows import ConversionEvent, ServerPostbackLog
from trackyard.jobs.conversions.edits import ConversionEditor
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.store.conversions import conversions, edits, inbox
from trackyard.store.engine.database import Database
from trackyard.store.money.exchange_rates import add_rate
from trackyard.store.money.ledger import list_balances
from trackyard.store.tables import affiliate, conversion, conversion_event, conversion_task, delivery, offer

UTC = ZoneInfo("UTC")
NOW = AT + 1_000
STAFF = "staff:" + "5" * 24
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
)


@dataclass
class EditWorkerSetup:
    """An offer of 5 USD, an affiliate with one postback, and both queues of the worker."""

    database: Database
    advertiser: str
    affiliate: int
    offer: int
    clock: ManualClock = field(default_factory=lambda: ManualClock(NOW))
    positions: Iterator[int] = field(default_factory=lambda: count(1))

    def editor(self) -> ConversionEditor:
        return ConversionEditor(self.database, "USD", UTC, self.clock)

    def call(self, **params: str) -> Conversion:
        """Make a conversion of a click by a postback."""
        click = make_click(self.offer, self.affiliate, self.advertiser)
        self.repeat(click, **params)
        [made] = [item for item in self.conversions() if item.click_id == click.id]
        return made

    def repeat(self, click: Any, **params: str) -> None:
        with self.database.write() as conn:
            call = make_inbox_postback(
                next(self.positions), make_inbound_postback(AT, clickid=click.id, **params), click
            )
            inbox.add_entries(conn, "001-1", [call])
        while PostbackProcessor(self.database, "USD", UTC, self.clock).step():
            pass

    def order(self, *items: ConversionEdit | ConversionImport) -> None:
        """Queue edits and imports, and make them."""
        with self.database.write() as conn:
            for item in items:
                kind = "edit" if isinstance(item, ConversionEdit) else "import"
                edits.add_tasks(conn, kind, STAFF, [msgspec.to_builtins(item)], self.clock.now_ms())
        self.settle()

    def settle(self) -> None:
        editor = self.editor()
        while editor.step():
            pass

    def imported(self, **fields: Any) -> ConversionImport:
        return ConversionImport(**{"offer_id": self.offer, "affiliate_id": self.affiliate, "goal": "1"} | fields)

    def conversions(self) -> list[Conversion]:
        """Return all conversions, oldest first."""
        with self.database.write() as conn:
            ids = conn.execute(select(conversion.c.id)).scalars().all()
            return sorted(conversions.find_by_id(conn, ids).values(), key=lambda item: (item.created_at, item.id))

    def balance(self) -> dict[str, Any]:
        """Return (hold, available) by currency."""
        with self.database.read() as conn:
            return {item.currency: (item.hold, item.available) for item in list_balances(conn, [self.affiliate])}

    def facts(self) -> list[ConversionEvent]:
        return [msgspec.json.decode(line, type=ConversionEvent) for line in self.lines("fact")]

    def logs(self) -> list[ServerPostbackLog]:
        rows = [msgspec.json.decode(line, type=ServerPostbackLog) for line in self.lines("server_log")]
        return [row for row in rows if row.method in ("EDIT", "IMPORT")]

    def lines(self, target: str) -> list[bytes]:
        return queued_lines(self.database, target)

    def count(self, table: Any) -> int:
        with self.database.read() as conn:
            return int(conn.execute(select(func.count()).select_from(table)).scalar_one())


@pytest.fixture
def world(database: Database) -> EditWorkerSetup:
    with database.write() as conn:
        advertiser_id, affiliate_id = add_advertiser(conn), add_affiliate(conn)
        offer_id = add_offer(conn, advertiser_id)
        add_postback(conn, affiliate_id, "http://127.0.0.1:9/?s={status}&n={status_name}&sum={sum}")
    return EditWorkerSetup(database, advertiser_id, affiliate_id, offer_id)


def test_conversion_edit_of_status_updates_ledger_events_and_history(world: EditWorkerSetup) -> None:
    made = world.call(status="2")
    world.order(ConversionEdit(conversion_id=made.id, status=Status.CONFIRMED, comment="checked"))
    [after] = world.conversions()
    assert (after.status, after.version, after.comment, after.sent_status) == ("confirmed", 2, "checked", "pending")
    assert world.balance() == {"USD": (0, 5)}
    assert [(fact.sign, fact.status) for fact in world.facts()] == [(1, 2), (-1, 2), (1, 1)]
    assert world.count(delivery) == 2
    [log] = world.logs()
    assert (log.response, log.conversion_id, log.click_id, log.status) == ("", made.id, made.click_id, 1)
    assert (log.offer, log.affiliate) == (world.offer, world.affiliate)
    with world.database.read() as conn:
        history, total = conversions.list_history(conn, made.id, page=1, limit=10)
    assert total == 2
    assert [(event.version, event.status, event.actor) for event in history][1] == (2, "confirmed", STAFF)
    assert history[1].at == NOW
    assert world.count(conversion_task) == 0


def test_conversion_edit_of_amounts_books_the_difference(world: EditWorkerSetup) -> None:
    made = world.call()
    world.order(ConversionEdit(conversion_id=made.id, payout=Decimal("7.25"), charge=Decimal(12)))
    [after] = world.conversions()
    assert (after.payout, after.charge, after.payout_base, after.charge_base) == (
        Decimal("7.25"),
        12,
        Decimal("7.25"),
        12,
    )
    assert world.balance() == {"USD": (0, Decimal("7.25"))}
    assert sum(fact.sign * fact.payout_base for fact in world.facts()) == Decimal("7.25")
    assert world.count(delivery) == 1, "an edit that leaves the status causes no delivery"


def test_conversion_edit_of_currency_uses_rate_of_creation_day(world: EditWorkerSetup) -> None:
    with world.database.write() as conn:
        add_rate(conn, "EUR", AT - DAY_MS, Decimal("0.5"))
        add_rate(conn, "EUR", AT + DAY_MS, Decimal("0.25"))
    made = world.call()
    world.clock.advance(2 * DAY_MS)
    world.order(ConversionEdit(conversion_id=made.id, currency="EUR"))
    [after] = world.conversions()
    assert (after.currency, after.payout, after.charge, after.rate) == ("EUR", 5, 10, Decimal("0.5"))
    assert (after.payout_base, after.charge_base) == (10, 20)
    assert world.balance() == {"USD": (0, 0), "EUR": (0, 5)}
    world.order(ConversionEdit(conversion_id=made.id, currency="XXX"))
    assert world.logs()[-1].response == "Wrong currency"
    world.order(ConversionEdit(conversion_id=made.id, currency="USD", status=Status.DECLINED))
    assert world.balance() == {"USD": (0, 0), "EUR": (0, 0)}


def test_conversion_edit_to_hold_sets_hold_end(world: EditWorkerSetup) -> None:
    with world.database.write() as conn:
        conn.execute(update(offer).values(hold_period=3))
    made = world.call()
    assert made.status == "hold"
    world.order(ConversionEdit(conversion_id=made.id, status=Status.CONFIRMED))
    [after] = world.conversions()
    assert (after.status, after.hold_until) == ("confirmed", None)
    world.order(ConversionEdit(conversion_id=made.id, status=Status.HOLD))
    assert world.conversions()[0].hold_until == AT + 3 * DAY_MS
    world.clock.advance(4 * DAY_MS)
    world.order(
        ConversionEdit(conversion_id=made.id, status=Status.DECLINED),
        ConversionEdit(conversion_id=made.id, status=Status.HOLD),
    )
    assert world.conversions()[0].hold_until is None, "held until a person decides"
    assert world.balance() == {"USD": (5, 0)}


def test_conversion_edits_are_applied_in_order(world: EditWorkerSetup) -> None:
    made = world.call()
    world.order(
        ConversionEdit(conversion_id=made.id, status=Status.DECLINED),
        ConversionEdit(conversion_id=made.id, status=Status.DECLINED),
        ConversionEdit(conversion_id=made.id, status=Status.NOT_FOUND, comment="b"),
        ConversionEdit(conversion_id="f" * 24, comment="c"),
        ConversionEdit(conversion_id=made.id, status=Status.CONFIRMED),
    )
    assert [log.response for log in world.logs()] == ["", "Nothing to change", "", "Conversion does not exist", ""]
    [after] = world.conversions()
    assert (after.status, after.comment, after.version) == ("confirmed", "b", 4)
    assert world.count(conversion_event) == 4
    assert world.balance() == {"USD": (0, 5)}


def test_conversion_import_is_computed_like_a_postback(world: EditWorkerSetup) -> None:
    world.order(world.imported(ip="217.0.0.1", ua=CHROME, action_id="A1", comment="late"))
    [made] = world.conversions()
    assert (made.status, made.payout, made.charge, made.comment, made.action_id) == ("confirmed", 5, 10, "late", "A1")
    assert (made.created_at, made.click_time, made.advertiser_id) == (NOW, NOW, world.advertiser)
    click = find_click_id(made.click_id)
    assert click is not None and (click.edge, click.second) == (IMPORT_EDGE, NOW // 1000)
    shown = {name: made.click[name] for name in ("country", "os", "browser", "device", "ip")}
    assert shown == {"country": "DE", "os": "Windows", "browser": "Chrome", "device": "desktop", "ip": "217.0.0.1"}
    assert world.balance() == {"USD": (0, 5)}
    [log] = world.logs()
    assert (log.response, log.method, log.conversion_id, log.click_id) == ("", "IMPORT", made.id, made.click_id)
    [fact] = world.facts()
    assert (fact.country, fact.os, fact.advertiser) == ("DE", "Windows", world.advertiser)
    with world.database.read() as conn:
        [event] = conversions.list_history(conn, made.id, page=1, limit=9)[0]
        assert event.actor == STAFF
        url = conn.execute(select(delivery.c.url)).scalar_one()
    assert url == "http://127.0.0.1:9/?s=1&n=confirmed&sum=5"


def test_conversion_import_has_geo_data_of_its_ip(world: EditWorkerSetup, tmp_path: Path) -> None:
    def cities(path: Path, name: str) -> Path:
        division, city = {"geoname_id": 2950157}, {"geoname_id": 2950159, "names": {"en": name}}
        record = {"country": {"iso_code": "DE"}, "subdivisions": [division], "city": city}
        return write_mmdb(path, {"217.0.0.0/24": record}, "GeoLite2-City")

    def place_of(action_id: str) -> list[Any]:
        with world.database.write() as conn:
            item = msgspec.to_builtins(world.imported(ip="217.0.0.1", action_id=action_id))
            edits.add_tasks(conn, "import", STAFF, [item], world.clock.now_ms())
        editor.step()
        [made] = [item for item in world.conversions() if item.action_id == action_id]
        return [made.click[name] for name in ("country", "region", "city_id", "city", "isp", "connection")]

    asn = write_mmdb(tmp_path / "asn", {"217.0.0.0/24": {"autonomous_system_organization": "Telekom"}}, "GeoLite2-ASN")
    kind = write_mmdb(tmp_path / "kind", {"217.0.0.0/24": {"connection_type": "Cable/DSL"}}, "GeoIP2-Connection-Type")
    path = cities(tmp_path / "city", "Berlin")
    editor = ConversionEditor(
        world.database, "USD", UTC, world.clock, AddressDatabases(city=path, isp=asn, connection=kind)
    )
    assert place_of("A1") == ["DE", "2950157", 2950159, "Berlin", "Telekom", "wi-fi"]
    cities(tmp_path / "new", "Köpenick").replace(path)
    assert place_of("A2")[3] == "Berlin"
    world.clock.advance(60_000)
    assert place_of("A3")[3] == "Köpenick"


def test_conversion_import_with_existing_identity_is_rejected(world: EditWorkerSetup) -> None:
    world.call(action_id="A1", status="2")
    world.order(world.imported(action_id="A1"), world.imported(action_id="A2"), world.imported(action_id="A2"))
    assert [log.response for log in world.logs()] == ["Conversion exists", "", "Conversion exists"]
    assert [(item.action_id, item.status, item.version) for item in world.conversions()] == [
        ("A1", "pending", 1),
        ("A2", "confirmed", 1),
    ]


def test_conversion_import_keeps_given_status(world: EditWorkerSetup) -> None:
    with world.database.write() as conn:
        conn.execute(update(offer).values(hold_period=3))
    world.order(world.imported(), *(world.imported(status=status, action_id=status.value) for status in Status))
    made = {item.action_id: (item.status, item.hold_until) for item in world.conversions()}
    until = NOW + 3 * DAY_MS
    assert made == {"": ("hold", until)} | {
        status.value: (status, until if status is Status.HOLD else None) for status in Status
    }
    with world.database.read() as conn:
        urls = conn.execute(select(delivery.c.url)).scalars().all()
    assert "http://127.0.0.1:9/?s=6&n=pending_cap&sum=5" not in urls
    assert urls.count("http://127.0.0.1:9/?s=2&n=pending&sum=5") == 2


def test_postback_decides_imported_pending_cap_conversion(world: EditWorkerSetup) -> None:
    world.order(world.imported(status=Status.PENDING_CAP, action_id="A1"))
    click = make_click(world.offer, world.affiliate, world.advertiser)
    world.repeat(click, action_id="A1", status="2")
    assert world.conversions()[0].status == "pending_cap"
    world.repeat(click, action_id="A1", status="1")
    [after] = world.conversions()
    assert after.status == "confirmed"


def test_conversion_import_is_never_declined(world: EditWorkerSetup) -> None:
    with world.database.write() as conn:
        conn.execute(update(affiliate).values(status="banned"))
        conn.execute(update(offer).values(hash_password="code", allowed_ip="10.0.0.1", status="stopped"))
    world.order(world.imported(action_id="A"), world.imported(goal="7", sum=Decimal(9), comment="no such goal"))
    first, second = sorted(world.conversions(), key=lambda item: item.goal)
    assert (first.status, first.payout) == ("confirmed", 5)
    assert (second.status, second.payout, second.charge, second.comment) == ("confirmed", 0, 0, "no such goal")


def test_conversion_import_computes_percent_of_sum(world: EditWorkerSetup) -> None:
    payments = [{"goal": "1", "total": "20", "revenue": "10", "currency": "USD", "type": "percent"}]
    with world.database.write() as conn:
        conn.execute(update(offer).values(payments=payments))
    world.order(world.imported(sum=Decimal("50.5")))
    [made] = world.conversions()
    assert (made.sum, made.charge, made.payout) == (Decimal("50.5"), Decimal("10.1"), Decimal("5.05"))


def test_conversion_task_that_cannot_be_done_is_quarantined(world: EditWorkerSetup) -> None:
    with world.database.write() as conn:
        edits.add_tasks(conn, "import", STAFF, [{"nonsense": 1}], NOW)
    world.order(world.imported())
    assert len(world.conversions()) == 1
    with world.database.read() as conn:
        assert conn.execute(select(conversion_task.c.state)).scalars().all() == ["aside"]


@pytest.mark.parametrize(
    "place",
    [
        "trackyard.store.conversions.conversions.record_changes",
        "trackyard.store.money.ledger.add_entries",
        "trackyard.store.statistics.outbox.add",
        "trackyard.store.conversions.edits.remove",
    ],
)
def test_conversion_edit_crash_at_any_step_leaves_no_trace(
    world: EditWorkerSetup, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class EditCrash(BaseException):
        """The process dies here."""

    def crash(*_: object) -> None:
        raise EditCrash

    made = world.call(status="2")
    with monkeypatch.context() as patch:
        patch.setattr(place, crash)
        with pytest.raises(EditCrash):
            world.order(ConversionEdit(conversion_id=made.id, status=Status.CONFIRMED), world.imported())
    assert world.balance() == {"USD": (0, 0)}
    assert (world.count(conversion), world.count(conversion_task)) == (1, 2)
    world.settle()
    assert world.balance() == {"USD": (0, 10)}
    assert (world.count(conversion), world.count(conversion_task)) == (2, 0)


def test_conversion_tasks_with_two_workers_are_done_once(world: EditWorkerSetup) -> None:
    with world.database.write() as conn:
        for number in range(40):
            item = msgspec.to_builtins(world.imported(action_id=str(number // 2)))
            edits.add_tasks(conn, "import", STAFF, [item], NOW)

    def work(_: int) -> None:
        editor = world.editor()
        for _ in range(200):
            if editor.step() == 0 and world.count(conversion_task) == 0:
                return

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    assert (world.count(conversion_task), world.count(conversion)) == (0, 20)
    assert [log.response for log in world.logs()] == ["", "Conversion exists"] * 20
    assert world.balance() == {"USD": (0, 100)}


def test_conversions_are_found_by_any_id(world: EditWorkerSetup) -> None:
    world.order(world.imported(action_id="A"), world.imported(action_id="B"), world.imported())
    by_name = {item.action_id: item for item in world.conversions()}
    everything = Scope.everything()
    named = [
        ({"action_ids": ["A", "C"]}, everything, {"A"}),
        ({"ids": [by_name["A"].id], "click_ids": [by_name["B"].click_id]}, everything, {"A", "B"}),
        ({"click_ids": [by_name[""].click_id]}, Scope.of_affiliate(world.affiliate), {""}),
        ({"action_ids": ["A"]}, Scope.of_affiliate(world.affiliate + 1), set()),
        ({"action_ids": ["A"]}, Scope(advertiser_ids=frozenset({"f" * 24})), set()),
    ]
    with world.database.read() as conn:
        for names, scope, meant in named:
            given = {"ids": [], "action_ids": [], "click_ids": []} | names
            assert {item.action_id for item in conversions.find_references(conn, scope, **given)} == meant
        clicks = conversions.clicks_of(conn, [by_name["A"].id, "f" * 24])
    assert {number: click["id"] for number, click in clicks.items()} == {by_name["A"].id: by_name["A"].click_id}
