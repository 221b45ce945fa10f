"""Parts that a full disk left without content, which chDB uses, are found and repaired."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.analytics.load.test_load import clicks
from trackyard.analytics.engine.connection import Analytics, StoreUnavailable
from trackyard.analytics.engine.parts import PartChecks
from trackyard.analytics.load import load
from trackyard.base.metrics.watching import REPAIRED_PARTS


@pytest.fixture
def checks(analytics: Analytics, monkeypatch: pytest.MonkeyPatch) -> PartChecks:
    """Return the checks of the store; the disk has little space."""
    assert analytics.parts is not None
    checks = PartChecks(analytics, analytics.parts._database, analytics.parts._directory)
    monkeypatch.setattr(checks, "is_low", lambda: True)
    monkeypatch.setattr(analytics, "parts", checks)
    return checks


def active_parts(analytics: Analytics, table: str) -> dict[str, Path]:
    sql = "SELECT name, path FROM system.parts WHERE database = currentDatabase() AND table = {table:String} AND active"
    return {name: Path(path) for name, path in analytics.rows(sql, {"table": table}, tuple[str, str])}


def empty_files(part: Path) -> None:
    for name in ("checksums.txt", "columns.txt", "data.cmrk4", "data.bin"):
        os.truncate(part / name, 0)


def empty_newest_part_at_second_look(analytics: Analytics, table: str) -> Callable[[], bool]:
    """Return a look at the disk; the second one, after an insert, finds it full and the newest part empty."""
    looks = []

    def is_low() -> bool:
        looks.append(1)
        if len(looks) == 2:
            empty_files(max(active_parts(analytics, table).items())[1])
        return len(looks) == 2

    return is_low


def test_part_of_a_merge_on_a_full_disk_gives_way_to_its_sources(analytics: Analytics, checks: PartChecks) -> None:
    analytics.run("CREATE TABLE full (a UInt64, text String) ENGINE = MergeTree ORDER BY a")
    for first in (0, 1_000):
        analytics.run(f"INSERT INTO full SELECT number + {first}, 'x' FROM numbers(1000)")
    analytics.run("OPTIMIZE TABLE full FINAL")
    before = REPAIRED_PARTS.labels("replaced")._value.get()
    [part] = active_parts(analytics, "full").values()
    empty_files(part)
    assert checks.check_when_due()
    assert analytics.rows("SELECT count(), sum(a) FROM full", {}, tuple[int, int]) == [(2_000, 1_999_000)]
    assert not active_parts(analytics, "full").keys() & {part.name}
    assert REPAIRED_PARTS.labels("replaced")._value.get() == before + 1


def test_insert_that_a_full_disk_lost_is_not_acknowledged_and_repeated(
    analytics: Analytics, checks: PartChecks, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(analytics, "click", clicks(10), "first")
    monkeypatch.setattr(checks, "is_low", empty_newest_part_at_second_look(analytics, "click"))
    with pytest.raises(StoreUnavailable, match="disk was full"):
        load(analytics, "click", clicks(30, first=10), "second")
    assert analytics.rows("SELECT count() FROM click", {}, tuple[int]) == [(10,)]
    load(analytics, "click", clicks(30, first=10), "second", maybe_loaded=True)
    assert analytics.rows("SELECT count(), uniqExact(id) FROM click", {}, tuple[int, int]) == [(40, 40)]


def test_whole_parts_stay_while_the_disk_has_little_space(analytics: Analytics, checks: PartChecks) -> None:
    load(analytics, "click", clicks(10), "t")
    before = active_parts(analytics, "click")
    assert not checks.check_when_due()
    assert active_parts(analytics, "click") == before


def test_statement_that_meets_an_empty_part_asks_for_the_next_check(analytics: Analytics, checks: PartChecks) -> None:
    analytics.run("CREATE TABLE met (a UInt64, text String) ENGINE = MergeTree ORDER BY a")
    for first in (0, 1_000):
        analytics.run(f"INSERT INTO met SELECT number + {first}, toString(number) FROM numbers(1000)")
    analytics.run("OPTIMIZE TABLE met FINAL")
    assert not checks.check_when_due(), "the next one is due in 10 s"
    [part] = active_parts(analytics, "met").values()
    empty_files(part)
    with pytest.raises(StoreUnavailable):
        analytics.rows("SELECT sum(length(text)) FROM met", {}, tuple[int])
    assert checks.check_when_due()
    assert analytics.rows("SELECT count() FROM met WHERE text != ''", {}, tuple[int]) == [(2_000,)]


def test_part_without_sources_is_moved_away_and_logged(
    analytics: Analytics, checks: PartChecks, caplog: pytest.LogCaptureFixture
) -> None:
    analytics.run("CREATE TABLE alone (a UInt64) ENGINE = MergeTree ORDER BY a")
    analytics.run("INSERT INTO alone SELECT number FROM numbers(1000)")
    [part] = active_parts(analytics, "alone").values()
    empty_files(part)
    with caplog.at_level(logging.WARNING, "trackyard.analytics"):
        assert checks.check_when_due()
    [line] = [each for each in caplog.records if each.getMessage() == "broken parts repaired"]
    assert (line.table, line.rows_lost) == ("alone", 1_000)  # type: ignore[attr-defined]
    assert "audit" in line.advice  # type: ignore[attr-defined]
    assert [each.name.startswith(f"broken_{part.name}") for each in (part.parent / "detached").iterdir()] == [True]
