"""Several writes are one transaction from the first write on."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, select

from tests.support.stores.seeds import add_advertiser
from trackyard.store.engine.database import Database
from trackyard.store.tables import advertiser


def titles(database: Database) -> list[str]:
    with database.read() as conn:
        return sorted(conn.execute(select(advertiser.c.title)).scalars())


def add(database: Database, title: str, *, independent: bool = False) -> None:
    with database.write(independent=independent) as conn:
        add_advertiser(conn, title=title)


def adding(title: str) -> Callable[[Connection], None]:
    """Run as a first step."""

    def step(conn: Connection) -> None:
        add_advertiser(conn, title=title)

    return step


def test_whole_transaction_begins_with_first_write_and_sees_its_writes(database: Database) -> None:
    with database.joined_transaction(adding("begin")):
        assert titles(database) == []
        add(database, "one")
        assert titles(database) == ["begin", "one"]
        add(database, "two")
    assert titles(database) == ["begin", "one", "two"]
    add(database, "after")
    assert len(titles(database)) == 4


def test_whole_transaction_without_write_does_not_begin(database: Database) -> None:
    with database.joined_transaction(adding("begin")):
        assert titles(database) == []
    assert titles(database) == []


def test_whole_transaction_that_fails_is_rolled_back(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.joined_transaction(adding("begin")):
        add(database, "one")
        add(database, "two")
        raise ZeroDivisionError
    assert titles(database) == []


def test_whole_transaction_with_failing_first_step_fails_the_write(database: Database) -> None:
    def refuse(_conn: Connection) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), database.joined_transaction(refuse):
        add(database, "one")
    assert titles(database) == []


def test_whole_transaction_with_failed_part_is_rolled_back(database: Database) -> None:
    with pytest.raises(RuntimeError), database.joined_transaction(adding("begin")):
        add(database, "one")
        with pytest.raises(ZeroDivisionError), database.write():
            raise ZeroDivisionError
    assert titles(database) == []


def test_whole_transaction_separate_write_comes_first_and_stays(database: Database) -> None:
    with pytest.raises(RuntimeError), database.joined_transaction(adding("begin")):
        add(database, "alone", independent=True)
        add(database, "one")
        add(database, "too late", independent=True)
    assert titles(database) == ["alone"]
