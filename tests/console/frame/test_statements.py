"""Pages of staff stay within their numbers of SQL statements and analytic queries."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from tests.support.api import Api
from tests.support.pages import staff_visitor
from trackyard.analytics.engine.connection import Analytics

MOST = {
    "/console/staff/presets": (16, 0),
    "/console/settings/currencies": (17, 0),
    "/console/payments/requests": (20, 0),
    "/console/audit-log": (20, 0),
    "/console/offers": (51, 4),
    "/console/": (104, 10),
}
"""The most statements and queries of each page. Two of the statements count unread notices and threads."""


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Count statements and queries of any thread."""
    found: Counter[str] = Counter()
    query = Analytics._raw_query

    def on_statement(*_args: Any) -> None:
        found["statements"] += 1

    def on_query(self: Any, *args: Any) -> bytes:
        found["queries"] += 1
        return query(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(Analytics, "_raw_query", on_query)
        event.listen(Engine, "before_cursor_execute", on_statement)
        try:
            yield found
        finally:
            event.remove(Engine, "before_cursor_execute", on_statement)


def test_page_takes_few_statements_and_queries(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        api.add_offer(title=f"Shoes {number}")
        api.add_affiliate(status="on moderation")
    visitor = staff_visitor(api)
    taken = {}
    for path in MOST:
        visitor.read(path)
        with counted(monkeypatch) as found:
            visitor.read(path)
        taken[path] = (found["statements"], found["queries"])
    over = {path: each for path, each in taken.items() if each[0] > MOST[path][0] or each[1] > MOST[path][1]}
    assert not over, taken
    assert taken["/console/"][1] >= 1, "the queries are counted no more"
