"""`trackyard demo` fills every report, balance and log, and the audit finds no difference."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.support.processes.program import STARTED, RunningProgram, poll_until, request
from trackyard.api.statistics.reports import GROUPED

PERIOD = "filter[date_from]=2020-01-01&filter[date_to]=2099-12-31"
SMALL = ("demo", "--visits", "600", "--seconds", "2")


@pytest.fixture
def program(tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path, postback_code="")
    yield running
    if running.process is not None and running.process.poll() is None:
        running.stop()


def period() -> dict[str, str]:
    """The last 30 days and today."""
    today = datetime.now(UTC).date()
    return {"date_from": str(today - timedelta(days=31)), "date_to": str(today + timedelta(days=1))}


def test_demo_command_fills_every_report_and_reconciles(program: RunningProgram) -> None:
    program.start()
    made = program.command(*SMALL, seconds=240)
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("Making the network: ")
    _check_reports(program)
    _check_people(program)
    _check_logs(program)
    audit = program.command("audit")
    assert audit.returncode == 0, audit.stdout
    assert audit.stdout.endswith("everything adds up\n")
    again = program.command(*SMALL)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr.splitlines() == [
        "trackyard: this installation is not empty: the demonstration needs an own data directory."
    ]
    assert "Total" in made.stdout and "The same figures over the API" in made.stdout


@pytest.mark.long
def test_demo_command_without_server_runs_its_own_and_keeps_its_data(program: RunningProgram, tmp_path: Path) -> None:
    directory = tmp_path / "kept"
    line = [sys.executable, "-m", "trackyard", "demo", "--visits", "300", "--seconds", "1", "--keep", str(directory)]
    with (tmp_path / "demo.txt").open("wb") as out:
        process = subprocess.Popen(line, env=program.environment, stdout=out, stderr=subprocess.STDOUT)
    STARTED.append(process)

    def shown() -> str:
        return (tmp_path / "demo.txt").read_text()

    poll_until(lambda: "until Ctrl-C" in shown() or process.poll() is not None, seconds=120, what="the demonstration")
    assert "Total" in shown() and "Clicks by day" in shown(), shown()
    found = re.search(r"-H 'API-Key: (\w+)' '(http://127.0.0.1:(\d+)/3.0/stats/getbyprogram)\?", shown())
    assert found is not None, shown()
    key, port = found[1], int(found[3])
    answer = request(port, "GET", f"/3.0/stats/getbycities?{PERIOD}", headers={"API-Key": key})
    assert len(answer.json["stats"]) > 5, "cities are known"
    _check_sign_in(shown(), port)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert (directory / "trackyard.db").exists()
    again = program.command("demo", "--keep", str(directory))
    assert (again.returncode, again.stderr) == (
        1,
        f"trackyard: --keep {directory} has data already: name another directory, or remove it.\n",
    )


def _check_sign_in(shown: str, port: int) -> None:
    """The console opens with what the demonstration printed."""
    found = re.search(r"the console: http://127.0.0.1:\d+/console/ as (\S+), password (\S+)", shown)
    assert found is not None, shown
    form = urlencode({"login": found[1], "password": found[2]}).encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = request(port, "POST", "/sign-in", body=form, headers=headers)
    assert (answer.status, answer.headers["location"]) == (303, "/console/")
    cookie = answer.headers["set-cookie"].partition(";")[0]
    overview = request(port, "GET", "/console/?period=30d", headers={"Cookie": cookie})
    assert overview.status == 200
    assert "Stride Running Shoes" in overview.body.decode()


def _check_reports(program: RunningProgram) -> None:
    filters = {f"filter[{name}]": day for name, day in period().items()}
    offers = program.api("GET", "/3.0/stats/getbyprogram", filters)["stats"]
    assert len(offers) == 9
    named = {"filter[offer]": offers[0]["slice"]["offer"]["id"]}
    for report in GROUPED:
        more = named if report.name == "getbysub" else {}
        assert program.api("GET", f"/3.0/stats/{report.name}", filters | more)["stats"], report.name
    days = program.api("GET", "/3.0/stats/getbydate", filters)["stats"]
    assert len(days) > 25
    total = {name: sum(row["actions"][name]["count"] for row in offers) for name in offers[0]["actions"]}
    assert total["total"] > 40
    assert total["confirmed"] > 30
    reasons = program.api("GET", "/3.0/stats/getbytrafficback", filters)["stats"]
    assert len(reasons) > 5
    asked = {"offer_id": offers[0]["slice"]["offer"]["id"], "timezone": "UTC"}
    assert program.api("GET", "/3.0/stats/time-to-action", period() | asked)["data"]


def _check_people(program: RunningProgram) -> None:
    people = program.api("GET", "/3.0/admin/partners", {"with_balance": 1})["partners"]
    balances = {each["login"]: each["balance"].get("USD", {}) for each in people}
    assert len(balances) == 12
    assert all(balances[login]["available"] > 0 for login in ("harbour", "meadow", "north", "lantern"))
    assert balances["gone"] == {"balance": 0, "hold": 0, "available": 0}
    assert program.api("GET", "/3.0/admin/advertiser-invoices")["message"]
    payments = program.api("GET", "/3.1/admin/payments")["payments"]
    assert sorted(each["status"] for each in payments) == ["created", "paid"]
    assert program.api("GET", "/3.0/admin/tickets")["tickets"]
    assert program.api("GET", "/3.0/news")["items"]


def _check_logs(program: RunningProgram) -> None:
    def rows(path: str, name: str, **more: Any) -> list[Any]:
        found: list[Any] = program.api("GET", path, period() | {"limit": 1000} | more)[name]
        return found

    conversions = rows("/3.0/stats/conversions", "conversions")
    ways = {item["comment"] for item in conversions}
    assert "From the advertiser's list" in ways
    assert len({item["offer_id"] for item in conversions}) > 3
    assert {item["payment_type"] for item in conversions} == {"fixed", "percent", "mixed"}
    assert rows("/3.0/stats/clicks", "clicks")
    assert {item["response"] for item in rows("/3.0/stats/serverpostbacks", "postbacks")} >= {"", "Conversion exists"}
    calls = rows("/3.0/stats/affiliatepostbacks", "postbacks")
    assert {item["http_code"] for item in calls} == {200}
    assert len({item["pid"] for item in calls}) >= 2
