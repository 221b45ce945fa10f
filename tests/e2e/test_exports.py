"""`trackyard export` and `trackyard erase` on a running server.

Files are whole, an early end of reading is quiet, and erased data is in none.
"""

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from tests.support.offer_scenario import OfferScenario, click_id_of, create_offer_scenario, period_around_today
from tests.support.processes.program import RunningProgram, poll_until

USER, OTHER = "visitor-77", "visitor-78"
PERIOD = ("--from", period_around_today()["date_from"], "--to", period_around_today()["date_to"])
LISTS = {"clicks": (), "conversions": (), "custom": ("--slice", "offer", "--slice", "sub1")}


@pytest.fixture
def story(tmp_path: Path) -> Iterator[OfferScenario]:
    """Make clicks of two visitors that converted, and 3 without a user id."""
    program = RunningProgram(tmp_path)
    program.start()
    made = create_offer_scenario(program)
    made.await_rules()
    for user in (USER, OTHER):
        click_id = click_id_of(made.click(user_id=user, sub1=f"sub of {user}", ip="1.1.1.1"))
        assert made.call(click_id, user_id=user, action_id=f"of {user}").status == 200
    for number in range(3):
        made.click(sub1=f"=unknown {number}")
    poll_until(
        lambda: made.figures(made.affiliate_key).get("actions", {}).get("total", {}).get("count") == 2,
        seconds=20,
        what="the conversions",
    )
    yield made
    assert program.stop() == 0


def listed(story: OfferScenario, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = story.program.api("GET", f"/3.1/stats/{name}", period_around_today())[name]
    return found


def exported(story: OfferScenario, name: str, form: str) -> list[dict[str, Any]]:
    """Return the rows of a file."""
    file = story.program.directory / f"{name}.{form}"
    options = ("--format", form, "--output", str(file))
    done = story.program.command("export", name, *PERIOD, *LISTS[name], *options)
    assert (done.returncode, done.stdout) == (0, ""), done
    assert not list(story.program.directory.glob("*.part"))
    if form == "parquet":
        found: list[dict[str, Any]] = pyarrow.parquet.read_table(file).to_pylist()
        return found
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def check_closed_pipe(story: OfferScenario) -> None:
    """A reader that stops early ends the command quietly, without an error of the server."""
    line = [sys.executable, "-m", "trackyard", "export", "clicks", *PERIOD]
    with subprocess.Popen(
        line, env=story.program.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as command:
        assert command.stdout is not None and command.stderr is not None
        command.stdout.close()  # before anything is written
        errors = command.stderr.read().decode()
    assert "Traceback" not in errors and "BrokenPipe" not in errors, errors
    levels = {line.get("level") for line in story.program.log_lines()}
    assert not levels & {"ERROR", "error", "CRITICAL", "critical"}, story.program.log_tail()


@pytest.mark.long
def test_export_and_erase_commands_work_on_running_server(story: OfferScenario) -> None:
    clicks, conversions = listed(story, "clicks"), listed(story, "conversions")
    rows, table = exported(story, "clicks", "csv"), exported(story, "clicks", "parquet")
    assert [row["id"] for row in rows] == [row["id"] for row in table] == [click["id"] for click in clicks]
    assert {row["user_id"] for row in rows} == {row["user_id"] for row in table} == {"", USER, OTHER}
    assert {row["sub1"] for row in rows} >= {"'=unknown 0", f"sub of {USER}"}
    assert {row["sub1"] for row in table} >= {"=unknown 0", f"sub of {USER}"}
    rows, table = exported(story, "conversions", "csv"), exported(story, "conversions", "parquet")
    assert [row["action_id"] for row in rows] == [each["action_id"] for each in conversions]
    assert {(row["user_id"], str(row["payouts"])) for row in table} == {(USER, "7.0000"), (OTHER, "7.0000")}
    before = exported(story, "custom", "csv")
    assert sum(int(row["total.count"]) for row in before) == 2
    check_closed_pipe(story)

    done = story.program.command("erase", "user", USER, "--yes")
    assert done.returncode == 0 and "Erased" in done.stdout, done
    for name, form, old in (("clicks", "csv", clicks), ("conversions", "parquet", conversions)):
        for answer in (listed(story, name), exported(story, name, form)):
            assert len(answer) == len(old)
            assert USER not in {row["user_id"] for row in answer} and OTHER in {row["user_id"] for row in answer}
            [erased] = [row for row in answer if row["sub1"] == f"sub of {USER}"]
            assert (erased["ip"], erased["ua"], erased["user_id"]) == ("", "", "")
    assert exported(story, "custom", "csv") == before, "figures stay"
