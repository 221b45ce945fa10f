"""The demonstration's own server, address databases and table, without traffic."""

import json
import socket
import subprocess
import sys
import tempfile
import threading
from decimal import Decimal
from pathlib import Path

import maxminddb
import psutil
import pytest

from tests.support.clicks.demo_databases import write
from tests.support.processes.program import poll_until
from trackyard.commands.demo import server
from trackyard.commands.demo.live import TrackingClient
from trackyard.commands.demo.places import DATABASES, PLACES, records
from trackyard.commands.demo.server import own_server
from trackyard.commands.demo.summary import DemoAccess, DemoSummary, offer_table, sparkline
from trackyard.commands.demo.traffic import TrackingRequest
from trackyard.commands.failures import CommandFailed
from trackyard.domain.platform.geo import cities
from trackyard.runtime.settings import load


def test_demo_server_that_ends_is_reported_with_its_last_line_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = "import sys; print('first', file=sys.stderr); sys.exit('TRACKYARD_EDGES is wrong')"
    monkeypatch.setattr(server, "SERVE", (sys.executable, "-c", broken))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(CommandFailed, match="ended at its start: TRACKYARD_EDGES is wrong"), own_server(None) as own:
        own.wait_until_ready()
    assert list(tmp_path.iterdir()) == []


def test_demo_server_has_none_of_the_settings_of_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "SERVE", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setenv("TRACKYARD_DATABASE_URL", "postgresql://somewhere.example/db")
    monkeypatch.setenv("TRACKYARD_DATA_DIR", "/nowhere")
    with own_server(tmp_path / "kept") as own:
        config = own.config
    assert config.database_url == f"sqlite:///{tmp_path / 'kept' / 'trackyard.db'}"
    assert config.city_database == DATABASES["city"]
    ports = {listen.port for listen in (config.api_listen, config.tracking_listen, config.monitoring_listen) if listen}
    assert len(ports) == 3


@pytest.mark.slow
def test_demo_server_ends_with_its_killed_demonstration(tmp_path: Path) -> None:
    """With every process of it, in order."""
    code = (
        "import sys, time; from pathlib import Path; from trackyard.commands.demo.server import own_server\n"
        "with own_server(Path(sys.argv[1])) as own:\n"
        "    own.wait_until_ready(); print('ready', flush=True); time.sleep(600)"
    )
    directory = tmp_path / "kept"
    with subprocess.Popen([sys.executable, "-c", code, directory], stdout=subprocess.PIPE) as demonstration:
        assert demonstration.stdout is not None
        try:
            assert demonstration.stdout.readline() == b"ready\n"
            pids = poll_until(  # the worker starts when the listeners are ready
                lambda: len(found := _process_ids(directory)) == 4 and found, seconds=20, what="its four processes"
            )
            assert all(map(_runs, pids))
        finally:
            demonstration.kill()
    poll_until(lambda: not any(map(_runs, pids)), seconds=45, what="the end of its server")
    assert json.loads((directory / "demo.log").read_text().splitlines()[-1])["message"] == "stopped"


def _process_ids(directory: Path) -> list[int]:
    return list(json.loads((directory / "run" / "processes.json").read_text()).values())


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_demo_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandFailed, match=r"--keep .*/file cannot be used"), own_server(tmp_path / "file"):
        pass


@pytest.mark.parametrize("name", DATABASES)
def test_demo_database_has_the_records_of_its_table(tmp_path: Path, name: str) -> None:
    write(name, tmp_path / "now.mmdb")
    with maxminddb.open_database(DATABASES[name]) as stored, maxminddb.open_database(tmp_path / "now.mmdb") as now:
        assert stored.metadata().database_type == now.metadata().database_type
        assert list(stored) == list(now)
        for network, record in records(name).items():
            assert stored.get(network.partition("/")[0]) == record


def test_demo_cities_have_the_ids_of_their_country() -> None:
    for place in PLACES:
        known = {city.id: city for city in cities()[place.country]}
        for city in place.cities:
            assert (known[city.id].name, known[city.id].region_id) == (city.name, city.region_id)


def test_demo_table_has_sums_and_counts_no_declined_conversions() -> None:
    def action(count: int, charge: float, earning: float) -> dict[str, float]:
        return {"count": count, "charge": charge, "earning": earning, "without_click": count // 5}

    def row(title: str, clicks: str, confirmed: int) -> dict[str, object]:
        none = action(0, 0, 0)
        actions = {"pending": none, "hold": none, "declined": action(9, 90, 30)}
        actions["confirmed"] = action(confirmed, confirmed * 10, confirmed * 3)
        return {"slice": {"offer": {"title": title}}, "traffic": {"raw": clicks}, "actions": actions}

    table = offer_table([row("A", "10", 1), row("Longer name", "2000", 5)], "EUR").splitlines()
    assert [line.split() for line in table] == [
        ["Offer", "Clicks", "Conversions", "CR", "Charge", "Payout", "Margin"],
        [table[1]],
        ["Longer", "name", "2,000", "5", "0.2%", "50.00", "35.00", "15.00"],
        ["A", "10", "1", "10.0%", "10.00", "7.00", "3.00"],
        [table[1]],
        ["Total", "2,010", "6", "0.2%", "60.00", "42.00", "18.00"],
        ["Amounts", "in", "EUR."],
    ]
    assert len({len(line) for line in table[:-1]}) == 1


def test_sparkline_is_full_at_its_highest_value() -> None:
    assert sparkline([0, 1, 2, 4]) == "▁▃▅█"
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([]) == ""


def test_demo_answer_has_offers_by_clicks_and_days_in_order() -> None:
    def date(day: int, clicks: str) -> dict[str, object]:
        return {"slice": {"year": 2026, "month": 11, "day": day}, "traffic": {"raw": clicks}}

    def offer(title: str, clicks: str, charge: float, earning: float) -> dict[str, object]:
        none = {"count": 0, "charge": 0, "earning": 0, "without_click": 0}
        actions = dict.fromkeys(("pending", "hold", "declined"), none)
        actions["confirmed"] = none | {"count": 2, "charge": charge, "earning": earning}
        return {"slice": {"offer": {"title": title}}, "traffic": {"raw": clicks}, "actions": actions}

    access = DemoAccess("http://127.0.0.1:8000", "k1", "k2", "filter[date_from]=2026-11-01")
    offers = [offer("Few", "3", 5, 1), offer("Many", "40", 20.5, 6)]
    summary = DemoSummary(30, "EUR", offers, [date(12, "4"), date(9, "1")], 8, access)
    assert summary.answer() == {
        "days": 30,
        "currency": "EUR",
        "offers": [
            {"title": "Many", "clicks": 40, "conversions": 2, "charge": Decimal("20.5"), "payout": Decimal("14.5"),
             "margin": Decimal(6)},
            {"title": "Few", "clicks": 3, "conversions": 2, "charge": Decimal(5), "payout": Decimal(4),
             "margin": Decimal(1)},
        ],
        "clicks_by_day": [{"date": "2026-11-09", "clicks": 1}, {"date": "2026-11-12", "clicks": 4}],
        "postbacks": 8,
        "url": "http://127.0.0.1:8000",
        "api_key": "k1",
        "affiliate_api_key": "k2",
    }  # fmt: skip
    assert summary.text().splitlines()[-1] == "  curl -H 'API-Key: k2' http://127.0.0.1:8000/3.0/balance"


def test_demo_sends_a_request_again_where_the_listener_closed_an_idle_connection() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    received: list[bytes] = []

    def serve() -> None:
        for _ in range(2):  # each connection has one answer, and is closed while the client keeps it
            connection, _peer = listener.accept()
            with connection:
                received.append(connection.recv(65_536))
                connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: https://a.example/\r\nContent-Length: 0\r\n\r\n")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    config = load({"TRACKYARD_TRACKING_LISTEN": f"127.0.0.1:{listener.getsockname()[1]}"})
    with TrackingClient(config) as client:
        found = [client.send(TrackingRequest(0, "/click", {"pid": "1"}, "192.0.2.1", "UA/1")) for _ in range(2)]
    thread.join(10)
    listener.close()
    assert found == ["https://a.example/"] * 2
    assert len(received) == 2
