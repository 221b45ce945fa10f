"""Comparisons of files with our conversions (docs/spec/conversions.md#comparisons)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, TypeVar

import msgspec

from trackyard.actions.conversions.edits import MAX_CONVERSIONS
from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.platform.spreadsheets import read_grid
from trackyard.analytics.reports.clicks import find_records
from trackyard.analytics.reports.logs import find_refusals
from trackyard.base.errors import BadInput, required
from trackyard.base.ids import is_hex24, new_id
from trackyard.base.metrics.watching import COMPARISONS
from trackyard.domain.conversions.comparisons.explaining import Evidence, Explainer, SeenClick
from trackyard.domain.conversions.comparisons.files import (
    FORM,
    LIMITS,
    SentRow,
    choose_columns,
    read_sent_rows,
)
from trackyard.domain.conversions.comparisons.matching import ComparedConversion, Outcome, Pair, Side, match
from trackyard.domain.conversions.comparisons.records import (
    Comparison,
    ComparisonRequest,
    PlannedEdit,
    Skip,
    documents_of,
    plan_edit,
    sums_of,
)
from trackyard.domain.conversions.conversions import DECLINED
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.tables.forms import notes_on, read_head
from trackyard.domain.platform.tables.grids import Grid, TableFault
from trackyard.domain.tracking.rejections import is_rejected
from trackyard.journal.records import decode_click
from trackyard.store.conversions import comparisons, edits
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates

MOST_CONVERSIONS: Final = 20_000
"""Conversions of a period that a file is compared with."""
KEPT: Final = 20
"""Comparisons that are kept of each advertiser and affiliate."""
_CHUNK: Final = 2000
"""Ids of one query to the analytic store."""
_LATE_MS: Final = 31 * DAY_MS
"""How long after the period a postback is looked for."""
T = TypeVar("T")


def compare(deps: Deps, access: Access, asked: ComparisonRequest, content: bytes) -> tuple[Comparison, list[str]]:
    """Compare a file with our conversions, store the result, and count it.

    Return it with sentences about how the file was read. Raises BadInput for a file that cannot be read, with its
    row and column, and for a period of too many conversions.
    """
    try:
        made = _compare(deps, access, asked, content)
    except BadInput:
        COMPARISONS.labels(asked.side.value, "refused").inc()
        raise
    COMPARISONS.labels(asked.side.value, "compared").inc()
    return made


def _compare(deps: Deps, access: Access, asked: ComparisonRequest, content: bytes) -> tuple[Comparison, list[str]]:
    now = deps.clock.now_ms()
    grid = _grid(content, asked.sheet)
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        asked, file = _read(conn, asked, grid)
        place = (conn, scope, asked.side, asked.subject_id)
        ours = comparisons.list_of_side(*place, (asked.since, asked.until), MOST_CONVERSIONS + 1)
        if len(ours) > MOST_CONVERSIONS:
            fault = f"The period has more than {MOST_CONVERSIONS} conversions. Compare fewer days."
            raise BadInput({"date_to": [fault]})
        pairs = match(file.rows, ours)
        found = _named(place, [each.row for each in pairs if each.row is not None and each.conversion is None])
    evidence = _evidence(deps, scope, asked, pairs, found)
    made = Comparison(
        id=new_id(now),
        side=asked.side,
        subject_id=asked.subject_id,
        file_name=asked.file_name,
        created_by=access.caller.name,
        created_at=now,
        day_from=asked.day_from.isoformat(),
        day_to=asked.day_to.isoformat(),
        zone=asked.zone,
        columns=file.columns,
        words={status.value: list(words) for status, words in asked.words.items()},
        sums=sums_of(pairs),
        rows=len(file.rows),
        differences=documents_of(pairs, Explainer(evidence)),
        accepted=[],
    )
    with deps.database.write() as conn:
        comparisons.add_comparison(conn, made)
        comparisons.remove_older(conn, made, KEPT)
    return made, file.notes


def get_comparison(deps: Deps, access: Access, comparison_id: str) -> Comparison:
    """Return a comparison that the caller made, or any where it sees everything. Raises NotFound."""
    with deps.database.read() as conn:
        return _visible(conn, access, comparison_id)


def list_of(
    deps: Deps, access: Access, side: Side, subject_id: str, *, page: int, limit: int
) -> tuple[list[Comparison], int]:
    """Return a page of the comparisons of a sender that the caller may see, and the total."""
    with deps.database.read() as conn:
        conditions = [comparisons.of_subject(side, subject_id)]
        if not scope_of(conn, access).is_everything:
            conditions.append(comparisons.by(access.caller.name))
        return comparisons.list_comparisons(conn, conditions, page=page, limit=limit)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What accepting differences does. edits: made, or to be made. skipped: with the reason of each.

    before, after: ours − theirs, by currency.
    """

    edits: Sequence[PlannedEdit]
    skipped: Sequence[tuple[str, str]]
    before: dict[str, Decimal]
    after: dict[str, Decimal]


def accept(
    deps: Deps, access: Access, comparison_id: str, outcomes: Sequence[Outcome], *, is_preview: bool
) -> Acceptance:
    """Queue edits of our conversions that remove differences, or only say which.

    A conversion that changed since the comparison, or that is out of scope, is skipped. Raises NotFound, BadInput.
    """
    with deps.database.write() as conn:
        found = _visible(conn, access, comparison_id, lock=not is_preview)
        chosen = [each for each in found.differences if each["class"] in outcomes]
        planned, skipped = _planned(conn, scope_of(conn, access), found, chosen)
        if len(planned) > MAX_CONVERSIONS:
            fault = f"These are {len(planned)} edits; at most {MAX_CONVERSIONS} at a time. Compare fewer days."
            raise BadInput({"classes": [fault]})
        if not is_preview and planned:
            items = [msgspec.to_builtins(_edit(each, found.side)) for each in planned]
            edits.add_tasks(conn, "edit", access.caller.name, items, deps.clock.now_ms())
            comparisons.set_accepted(conn, found.id, [*found.accepted, *(each.conversion_id for each in planned)])
    before = {each["currency"]: Decimal(each["difference"]) for each in found.sums}
    return Acceptance(planned, skipped, before, _after(before, planned))


def _visible(conn: Connection, access: Access, comparison_id: str, *, lock: bool = False) -> Comparison:
    """Return a comparison of the caller, of a sender in its scope. Raises NotFound."""
    scope = scope_of(conn, access)
    maker = None if scope.is_everything else access.caller.name
    found = required(comparisons.find_comparison(conn, comparison_id, maker, lock=lock))
    if found.side is Side.ADVERTISER:
        required(advertisers.find_advertiser(conn, scope, found.subject_id))
    else:
        required(affiliates.find_affiliate(conn, scope, int(found.subject_id)))
    return found


def _grid(content: bytes, sheet: str) -> Grid:
    """Return the rows of a file. Raises BadInput."""
    try:
        return read_grid(content, LIMITS, sheet)
    except TableFault as fault:
        raise BadInput({fault.field: [str(fault)]}) from None


@dataclass(frozen=True, slots=True)
class _ReadFile:
    """A file as it was read. notes: sentences about it."""

    columns: dict[str, str]
    rows: list[SentRow]
    notes: list[str]


def _read(conn: Connection, asked: ComparisonRequest, grid: Grid) -> tuple[ComparisonRequest, _ReadFile]:
    """Return the request with its words, the column of each field, and the rows.

    Columns and words that the request omits are taken from the last file of the same sender. Raises BadInput.
    """
    of_sender = [comparisons.of_subject(asked.side, asked.subject_id)]
    last, _ = comparisons.list_comparisons(conn, of_sender, page=1, limit=1)
    if last and not asked.words:
        asked = replace(asked, words={Status(status): words for status, words in last[0].words.items()})
    known = last[0].columns if last else {}
    try:
        table = read_head(grid, FORM, [*asked.columns.values(), *known.values()])
        columns = choose_columns(table, asked.columns, known)
        rows = read_sent_rows(table, columns, asked.words, asked.currency)
        places = {name: table.columns.index(column) for name, column in columns.items()}
        return asked, _ReadFile(columns, rows, notes_on(table, FORM, places))
    except TableFault as fault:
        raise BadInput({"file": [str(fault)]}) from None


def _named(place: tuple[Connection, Scope, Side, str], rows: Sequence[SentRow]) -> list[ComparedConversion]:
    """Return the conversions of rows in scope, of any time and owner."""
    return comparisons.list_named(
        *place,
        ids={each.conversion_id for each in rows if each.conversion_id},
        click_ids={each.click_id for each in rows if each.click_id},
        action_ids={each.action_id for each in rows if each.action_id},
    )


def _evidence(
    deps: Deps, scope: Scope, asked: ComparisonRequest, pairs: Sequence[Pair], found: Sequence[ComparedConversion]
) -> Evidence:
    """Return the recorded evidence for rows without a conversion: clicks and refused postbacks."""
    rows = [each.row for each in pairs if each.row is not None and each.conversion is None]
    clicks: dict[str, SeenClick] = {}
    for ids in _chunks(sorted({each.click_id for each in rows if is_hex24(each.click_id)})):
        for click_id, record in find_records(deps.analytics, ids).items():
            click = decode_click(record)
            owner = click.advertiser if asked.side is Side.ADVERTISER else str(click.affiliate)
            if scope.has_affiliate(click.affiliate) and scope.has_advertiser(click.advertiser):
                why = click.reason if is_rejected(click.reason) else ""
                clicks[click_id] = SeenClick(why, owner == asked.subject_id)
    responses: dict[str, str] = {}
    period = (asked.since - DAY_MS, asked.until + _LATE_MS)
    for part in _chunks(rows):
        click_ids, action_ids = [each.click_id for each in part], [each.action_id for each in part]
        named = [each for each in click_ids if each], [each for each in action_ids if each]
        responses |= find_refusals(deps.analytics, scope, *named, period)
    return Evidence(asked.since, asked.until, found, clicks, responses)


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[place : place + _CHUNK] for place in range(0, len(items), _CHUNK))


def _planned(
    conn: Connection, scope: Scope, found: Comparison, chosen: Sequence[dict[str, Any]]
) -> tuple[list[PlannedEdit], list[tuple[str, str]]]:
    """Return the edits of chosen differences, and the conversions without one, with the reason."""
    wanted = {each["conversion_id"] for each in chosen if each["conversion_id"]}
    place = (conn, scope, found.side, found.subject_id)
    present = {each.id: each for each in comparisons.list_named(*place, ids=wanted, click_ids=(), action_ids=())}
    accepted = set(found.accepted)
    planned: list[PlannedEdit] = []
    skipped: list[tuple[str, str]] = []
    for each in chosen:
        key = each["conversion_id"]
        if not key:
            continue
        plan = Skip.ACCEPTED if key in accepted else _plan(each, present.get(key), found.side)
        if isinstance(plan, str):
            skipped.append((key, plan))
        else:
            planned.append(plan)
    return planned, skipped


def _plan(difference: dict[str, Any], now: ComparedConversion | None, side: Side) -> PlannedEdit | str:
    if now is None:
        return Skip.GONE
    was = (difference["our_status"], Decimal(difference["our_sum"]), difference["our_currency"])
    if (now.status.value, now.amount, now.currency) != was:
        return Skip.CHANGED
    planned = plan_edit(difference, side)
    if isinstance(planned, PlannedEdit) and _is_unpaid(now, planned):
        return Skip.UNPAID
    return planned


def _is_unpaid(now: ComparedConversion, planned: PlannedEdit) -> bool:
    """Return whether a declined conversion would count for which no payment matched."""
    counts = planned.status is not None and planned.status not in DECLINED
    return counts and now.status in DECLINED and not now.has_payment and not now.amount


def _edit(planned: PlannedEdit, side: Side) -> ConversionEdit:
    return ConversionEdit(
        conversion_id=planned.conversion_id,
        status=planned.status,
        charge=planned.amount if side is Side.ADVERTISER else None,
        payout=planned.amount if side is Side.AFFILIATE else None,
        comment=planned.comment,
    )


def _after(before: dict[str, Decimal], planned: Sequence[PlannedEdit]) -> dict[str, Decimal]:
    """Return the differences that remain when the edits are made, by currency."""
    after = dict(before)
    for each in planned:
        after[each.difference["our_currency"]] += each.counted_after - each.counted_before
    return after
