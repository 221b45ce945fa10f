"""All of a list, with the names of what it mentions, read as it is asked for.

Lists come newest first, from where the reader stands on to the past: what is made meanwhile does not appear, and what
is changed meanwhile is as it is when it is read. No transaction and no statement lasts as long as somebody reads.
"""

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from tempfile import TemporaryFile
from typing import Final, Generic, TypeVar

from trackyard.actions.deps import Deps
from trackyard.actions.scope import scope_of
from trackyard.actions.statistics import (
    FAR,
    Names,
    Question,
    cities_in_rows,
    names_in_clicks,
    names_in_conversions,
    names_in_rows,
    report_of,
    with_payments,
)
from trackyard.domain.callers import Caller
from trackyard.domain.roles import Permission
from trackyard.stats.exports import KeptRows, each_click, spans_of
from trackyard.stats.lists import ClickList, ListedClick
from trackyard.stats.reports import StatsRow
from trackyard.store.conversions_list import (
    ConversionFilter,
    ListedConversion,
    conversions_before,
    count_conversions,
    place_before,
)

PIECE: Final = 1000
"""Conversions that are read in one transaction."""
LOOKED_AT: Final = 20_000
"""Conversions that are looked at in one, however few of them a filter lets pass."""
KNOWN: Final = 20_000
"""Names of a kind that are remembered from piece to piece."""

T = TypeVar("T")
Pieces = Generator[tuple[list[T], Names], None, None]


class Export(Generic[T]):
    """All rows of a list. pieces: some rows and the names that they mention, read as they are asked for · count: how
    many there are of all, once the first piece was read."""

    def __init__(self) -> None:
        self.count = 0
        self.pieces: Pieces[T]


def export_clicks(deps: Deps, caller: Caller, permission: Permission, query: ClickList) -> Export[ListedClick]:
    """All accepted clicks of a query, whatever its page; its scope becomes the caller's."""
    export: Export[ListedClick] = Export()

    def read() -> Pieces[ListedClick]:
        with deps.database.read() as conn:
            scoped = replace(query, scope=scope_of(conn, caller, permission))
        spans = spans_of(deps.analytics, scoped)
        export.count = sum(span.clicks for span in spans)
        names = Names()
        with closing(each_click(deps.analytics, scoped, spans)) as pieces:
            for clicks in pieces:
                with deps.database.read() as conn:
                    names = names_in_clicks(conn, clicks, _remembered(names))
                yield clicks, names

    export.pieces = read()
    return export


def export_conversions(
    deps: Deps, caller: Caller, permission: Permission, chosen: ConversionFilter
) -> Export[ListedConversion]:
    """All conversions that a filter lets pass."""
    export: Export[ListedConversion] = Export()

    def read() -> Pieces[ListedConversion]:
        with deps.database.read() as conn:
            scope = scope_of(conn, caller, permission)
            export.count = count_conversions(conn, scope, chosen)
        names = Names()
        before, floor = (min(chosen.until, FAR), ""), (FAR, "")
        while before > (chosen.since, ""):
            with deps.database.read() as conn:
                if before <= floor:
                    floor = place_before(conn, chosen.since, before, LOOKED_AT)
                found = conversions_before(conn, scope, chosen, before, floor=floor, limit=PIECE)
                if found:
                    names = names_in_conversions(conn, found, _remembered(names))
                    found = with_payments(conn, found)
            before = (found[-1].created_at, found[-1].id) if len(found) == PIECE else floor
            if found:
                yield found, names

    export.pieces = read()
    return export


def export_rows(deps: Deps, caller: Caller, permission: Permission, question: Question) -> Export[StatsRow]:
    """All statistics rows of a question, whatever its page, as they are when the first is read."""
    export: Export[StatsRow] = Export()

    def read() -> Pieces[StatsRow]:
        with deps.database.read() as conn:
            report = report_of(conn, caller, permission, question)
        with TemporaryFile() as file:
            kept = KeptRows(report, file)
            kept.read(deps.analytics)
            export.count = kept.count
            cities: dict[str, str] = {}
            for rows in kept.each():
                cities = cities_in_rows(deps, report, rows, question.locale, cities)
                with deps.database.read() as conn:
                    names = names_in_rows(conn, rows)
                yield rows, replace(names, cities=cities)

    export.pieces = read()
    return export


def _remembered(names: Names) -> Names:
    """The names, or none when they are many."""
    return Names() if max(len(names.offers), len(names.affiliates), len(names.advertisers)) > KNOWN else names
