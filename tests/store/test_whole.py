"""Several writes as one transaction: all of it or nothing, from the first write on."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, select

from tests.support.seeds import add_advertiser
from trackyard.store.engine.database import Database
from trackyard.store.tables import advertiser


def titles(database: Database) -> list[str]:
    with database.read() as conn:
        return sorted(conn.execute(select(advertiser.c.title)).scalars())


def add(database: Database, title: str, *, alone: bool = False) -> None:
    with database.write(alone=alone) as conn:
        add_advertiser(conn, title=title)


def adding(title: str) -> Callable[[Connection], None]:
    """A first step."""

    def step(conn: Connection) -> None:
        add_advertiser(conn, title=title)

    return step


def test_it_begins_with_the_first_write_and_reads_what_it_wrote(database: Database) -> None:
    with database.whole(adding("begin")):
        assert titles(database) == []
        add(database, "one")
        assert titles(database) == ["begin", "one"]
        add(database, "two")
    assert titles(database) == ["begin", "one", "two"]
    add(database, "after")
    assert len(titles(database)) == 4


def test_without_a_write_nothing_begins(database: Database) -> None:
    with database.whole(adding("begin")):
        assert titles(database) == []
    assert titles(database) == []


def test_what_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.whole(adding("begin")):
        add(database, "one")
        add(database, "two")
        raise ZeroDivisionError
    assert titles(database) == []


def test_a_first_step_that_fails_fails_the_write(database: Database) -> None:
    def refuse(_conn: Connection) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), database.whole(refuse):
        add(database, "one")
    assert titles(database) == []


def test_a_part_that_failed_cannot_be_passed_over(database: Database) -> None:
    with pytest.raises(RuntimeError), database.whole(adding("begin")):
        add(database, "one")
        with pytest.raises(ZeroDivisionError), database.write():
            raise ZeroDivisionError
    assert titles(database) == []


def test_what_is_written_alone_comes_first_and_stays(database: Database) -> None:
    with pytest.raises(RuntimeError), database.whole(adding("begin")):
        add(database, "alone", alone=True)
        add(database, "one")
        add(database, "too late", alone=True)
    assert titles(database) == ["alone"]
