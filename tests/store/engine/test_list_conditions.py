"""Conditions on lists of any length."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer
from tests.support.stores.statements import recorded_statements
from trackyard.store.conversions.conversions import find_by_identity
from trackyard.store.engine.database import Database
from trackyard.store.engine.in_lists import among
from trackyard.store.offers import counters
from trackyard.store.tables import affiliate, offer

AFFILIATES = select(affiliate.c.id).where(among(affiliate.c.id, "ids")).order_by(affiliate.c.id)
PLACES = ("$[0]", "$[1]", "$[2]")
TITLES = select(offer.c.title).where(among(offer.c.title, "titles")).order_by(offer.c.title)


def asked(work: Callable[[], Any]) -> list[str]:
    with recorded_statements() as seen:
        work()
    return seen


@pytest.mark.parametrize("kind", [list, set, tuple])
def test_sql_list_condition_selects_matching_rows(database: Database, kind: Callable[[Any], Any]) -> None:
    with database.write() as conn:
        ids = [add_affiliate(conn) for _ in range(5)]
        assert list(conn.execute(AFFILIATES, {"ids": kind(ids[1:3])}).scalars()) == ids[1:3]
        assert list(conn.execute(AFFILIATES, {"ids": kind([*ids, *range(1000, 5000)])}).scalars()) == ids
        assert list(conn.execute(AFFILIATES, {"ids": kind([])}).scalars()) == []


def test_sql_list_condition_accepts_any_text(database: Database) -> None:
    titles = ["{a,b}", "12", 'it\'s "quoted"', "back\\slash", "ü 漢"]
    with database.write() as conn:
        advertiser = add_advertiser(conn)
        for title in titles:
            add_offer(conn, advertiser, title=title)
        assert sorted(conn.execute(TITLES, {"titles": titles}).scalars()) == sorted(titles)
        assert list(conn.execute(TITLES, {"titles": [titles[2]]}).scalars()) == [titles[2]]


def test_sql_list_condition_is_one_statement_for_any_length(database: Database) -> None:
    with database.write() as conn:
        run = [lambda n=n: conn.execute(AFFILIATES, {"ids": list(range(n))}).all() for n in (1, 2, 300)]
        assert len({text for work in run for text in asked(work)}) == 1
        find = [lambda n=n: find_by_identity(conn, {(1, "1", f"c:{i}") for i in range(n)}) for n in (1, 2, 300)]
        assert len({text for work in find for text in asked(work)}) == 1
        count = [lambda n=n: counters._counts(conn, [str(i) for i in range(n)]) for n in (1, 2, 300)]
        assert len({text for work in count for text in asked(work)}) == 1


def test_sqlite_finds_identities_by_index(sqlite_database: Database) -> None:
    with sqlite_database.write() as conn:
        (text,) = asked(lambda: find_by_identity(conn, {(1, "1", "c:1"), (2, "1", "c:2")}))
        plan = [row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", ("[]", *PLACES))]
    assert any(step.startswith("SEARCH conversion USING INDEX") and "offer_id=?" in step for step in plan), plan
