"""The people and offers that the clicks of `script/bench stats` name."""

from typing import Any

from sqlalchemy import Table, delete, insert, select, text

from bench.stats_data import ADVERTISERS, AFFILIATES, OFFERS, advertiser
from tests.support.api import Api
from trackyard.store import tables
from trackyard.store.engine.database import Connection, Database
from trackyard.store.tables import advertiser as advertiser_table
from trackyard.store.tables import affiliate, conversion, offer
from trackyard.store.tables.schema import metadata

_WITH_KEYS = 10
_MADE_BEFORE = frozenset({conversion.name, "rule_clock"})


def forget_people(database: Database) -> None:
    """Remove the rows of a previous run, apart from conversions."""
    assert tables
    with database.write() as conn:
        for table in reversed(metadata.sorted_tables):
            if table.name not in _MADE_BEFORE:
                conn.execute(delete(table))
        conn.execute(text("DELETE FROM sqlite_sequence"))


def write_people(api: Api) -> dict[int, str]:
    """Add affiliates, advertisers and offers; return the keys of the first affiliates."""
    keys = {}
    for number in range(1, _WITH_KEYS + 1):
        body = api.admin.post("/3.0/admin/partner", email=f"a{number}@bench.example", password="long-enough")
        assert body["partner"]["id"] == number
        keys[number] = str(body["partner"]["api_key"])
    owner = api.add_advertiser(title="Advertiser")
    api.add_offer(title="Offer", advertiser=owner)
    with api.deps.database.write() as conn:
        _copy(conn, affiliate, [_affiliate(number) for number in range(_WITH_KEYS + 1, AFFILIATES + 1)])
        _copy(conn, advertiser_table, [{"id": advertiser(number)} for number in range(ADVERTISERS)])
        _copy(conn, offer, [_offer(number) for number in range(2, OFFERS + 1)])
    return keys


def _affiliate(number: int) -> dict[str, Any]:
    return {"id": number, "email": f"a{number}@bench.example", "login": f"a{number}"}


def _offer(number: int) -> dict[str, Any]:
    return {"id": number, "hash": f"{number:024x}", "advertiser_id": advertiser(number % ADVERTISERS)}


def _copy(conn: Connection, table: Table, changed: list[dict[str, Any]]) -> None:
    """Insert copies of the first row of a table, each with other values."""
    like = dict(conn.execute(select(table).limit(1)).mappings().one())
    conn.execute(insert(table), [like | own for own in changed])
