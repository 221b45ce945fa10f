"""Comparisons of files with our conversions (docs/spec/conversions.md#comparisons)."""

from decimal import Decimal
from typing import Annotated, Any, Final

from trackyard.actions.conversions import comparisons
from trackyard.actions.conversions.comparisons import Acceptance
from trackyard.actions.deps import Deps
from trackyard.actions.offers.connections import get_affiliate
from trackyard.actions.people.advertisers import get_advertiser
from trackyard.api.lookups import in_scope_by_hex, in_scope_by_number
from trackyard.api.paging import Paging
from trackyard.api.statistics.times import span
from trackyard.api.table_files import TableFile, TableText, content_of, required_content
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.comparisons.files import COLUMN_FIELDS, MOST_BYTES, MOST_CHARACTERS
from trackyard.domain.conversions.comparisons.matching import Outcome, Side
from trackyard.domain.conversions.comparisons.records import ACCEPTABLE, DIFFERENCES, Comparison, ComparisonRequest
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import CommaList, Params
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number

routes = Routes[Deps]()
_READERS: Final = for_staff(Permission.STATS_CONVERSION)
_MOST_SHOWN: Final = 500
"""Edits of an acceptance that its answer lists."""

ColumnName = Annotated[str, s.BoundedText(maximum=MOST_CHARACTERS, strips=True)]
Words = CommaList[Annotated[str, s.BoundedText(minimum=1, maximum=60, strips=True)]]


class CompareFile(Params):
    """A file and how to read it. What is not named is as in the last file of the same sender."""

    file: TableFile | None = None
    csv: TableText = ""
    date_from: s.Day
    date_to: s.Day
    timezone: s.Zone | None = None
    currency: s.Currency | None = None
    sheet: Annotated[str, s.BoundedText(maximum=100)] = ""
    column_conversion_id: ColumnName = ""
    column_click_id: ColumnName = ""
    column_action_id: ColumnName = ""
    column_goal: ColumnName = ""
    column_status: ColumnName = ""
    column_sum: ColumnName = ""
    column_currency: ColumnName = ""
    words_confirmed: Words = ()
    words_pending: Words = ()
    words_hold: Words = ()
    words_declined: Words = ()

    @property
    def columns(self) -> dict[str, str]:
        """Return the column of each field that is named."""
        named = {field: getattr(self, f"column_{field}") for field in COLUMN_FIELDS}
        return {field: column for field, column in named.items() if column}

    @property
    def words(self) -> dict[Status, tuple[str, ...]]:
        """Return the further words of each status."""
        named = {
            Status.CONFIRMED: self.words_confirmed,
            Status.PENDING: self.words_pending,
            Status.HOLD: self.words_hold,
            Status.DECLINED: self.words_declined,
        }
        return {status: words for status, words in named.items() if words}


class ReadComparison(Paging):
    """What to list of a comparison."""

    classes: CommaList[Annotated[str, s.Choice(DIFFERENCES)]] = ()


class AcceptDifferences(Params):
    """The differences to accept."""

    classes: CommaList[Annotated[str, s.Choice(ACCEPTABLE)]]
    apply: s.Flag = False


class ComparisonClass(View):
    """The sums of one class of a comparison."""

    name: str
    number: int
    ours: Money
    theirs: Money
    difference: Money


class ComparisonSums(View):
    """The sums of a currency: difference is the sum of the differences of the classes."""

    currency: str
    ours: Money
    theirs: Money
    difference: Money
    classes: list[ComparisonClass]


class ComparisonView(View):
    """A comparison."""

    id: str
    side: str
    subject_id: str
    file_name: str
    created_by: str
    created_at: str
    date_from: str
    date_to: str
    timezone: str
    columns: dict[str, str]
    rows: int
    accepted: int
    sums: list[ComparisonSums]


class ComparisonDifference(View):
    """A row of the file or a conversion that differs. evidence: the path of a method that explains it."""

    difference: str
    why: str
    text: str
    row: int | None
    conversion_id: str
    click_id: str
    action_id: str
    our_status: str
    our_sum: Money | None
    our_currency: str
    their_status: str
    their_sum: Money | None
    their_currency: str
    evidence: str


class ComparisonEdit(View):
    """An edit that removes a difference."""

    conversion_id: str
    status_before: str
    status_after: str
    sum_before: Money
    sum_after: Money
    currency: str


class SkippedDifference(View):
    """A difference without an edit, and why."""

    conversion_id: str
    why: str


class CurrencyDifference(View):
    """Ours − theirs in a currency, before and after the edits."""

    currency: str
    before: Money
    after: Money


class ComparisonsAnswer(Answer):
    """Comparisons, the newest first."""

    comparisons: list[ComparisonView]
    pagination: Pagination


class ComparisonAnswer(Answer):
    """A comparison, and a page of what differs."""

    comparison: ComparisonView
    differences: list[ComparisonDifference]
    pagination: Pagination


class AcceptanceAnswer(Answer):
    """The edits that were queued, or that would be."""

    applied: bool
    number: int
    edits: list[ComparisonEdit]
    skipped: list[SkippedDifference]
    totals: list[CurrencyDifference]


@routes.post(
    "/admin/advertiser/{id}/comparisons", _READERS, id="comparison.advertiser.add", find=in_scope_by_hex(get_advertiser)
)
def compare_advertiser(request: ApiRequest[Deps], params: CompareFile) -> ComparisonAnswer:
    """Compare a CSV or XLSX file of an advertiser with the charges of its conversions.

    Nothing changes. The columns are kept for its next file.
    """
    return _compare(request, params, Side.ADVERTISER, request.subject.advertiser.id)


@routes.post(
    "/admin/partner/{id}/comparisons", _READERS, id="comparison.affiliate.add", find=in_scope_by_number(get_affiliate)
)
def compare_affiliate(request: ApiRequest[Deps], params: CompareFile) -> ComparisonAnswer:
    """Compare a CSV or XLSX file of an affiliate with the payouts of its conversions.

    Nothing changes. The columns are kept for its next file.
    """
    return _compare(request, params, Side.AFFILIATE, str(request.subject.id))


@routes.get(
    "/admin/advertiser/{id}/comparisons",
    _READERS,
    id="comparison.advertiser.list",
    find=in_scope_by_hex(get_advertiser),
)
def list_of_advertiser(request: ApiRequest[Deps], params: Paging) -> ComparisonsAnswer:
    """List the comparisons of an advertiser's files, the newest first. The last 20 are kept."""
    return _list(request, params, Side.ADVERTISER, request.subject.advertiser.id)


@routes.get(
    "/admin/partner/{id}/comparisons", _READERS, id="comparison.affiliate.list", find=in_scope_by_number(get_affiliate)
)
def list_of_affiliate(request: ApiRequest[Deps], params: Paging) -> ComparisonsAnswer:
    """List the comparisons of an affiliate's files, the newest first. The last 20 are kept."""
    return _list(request, params, Side.AFFILIATE, str(request.subject.id))


@routes.get("/admin/comparison/{id}", _READERS, id="comparison.get", find=in_scope_by_hex(comparisons.get_comparison))
def get(request: ApiRequest[Deps], params: ReadComparison) -> ComparisonAnswer:
    """Show a comparison and what differs, with the reason of each difference."""
    return _answer(request, request.subject, params, params.classes)


@routes.post(
    "/admin/comparison/{id}/accept",
    for_staff(Permission.CONVERSIONS_WRITE),
    id="comparison.accept",
    find=in_scope_by_hex(comparisons.get_comparison),
)
def accept(request: ApiRequest[Deps], params: AcceptDifferences) -> AcceptanceAnswer:
    """Show the edits of our conversions that remove differences, and with apply=1 queue them."""
    outcomes = [Outcome(each) for each in params.classes]
    done = comparisons.accept(request.deps, request.access, request.subject.id, outcomes, is_preview=not params.apply)
    return _acceptance(done, is_applied=params.apply)


def _compare(request: ApiRequest[Deps], params: CompareFile, side: Side, subject_id: str) -> ComparisonAnswer:
    deps = request.deps
    zone = params.timezone or deps.zone
    since, until = span(params.date_from, params.date_to, zone)
    content = required_content(content_of(params.file, params.csv, MOST_BYTES))
    asked = ComparisonRequest(
        side=side,
        subject_id=subject_id,
        file_name="" if params.file is None else params.file.name[:200],
        day_from=params.date_from,
        day_to=params.date_to,
        zone=zone.key,
        since=since,
        until=until,
        currency=params.currency or deps.currency,
        columns=params.columns,
        words=params.words,
        sheet=params.sheet,
    )
    made, notes = comparisons.compare(deps, request.access, asked, content)
    for sentence in notes:
        request.warn(sentence)
    return _answer(request, made, Paging(), ())


def _list(request: ApiRequest[Deps], params: Paging, side: Side, subject_id: str) -> ComparisonsAnswer:
    place = params.place(request)
    found, total = comparisons.list_of(request.deps, request.access, side, subject_id, **place)
    views = [_view(request, each) for each in found]
    return ComparisonsAnswer(comparisons=views, pagination=params.pagination(request, total))


def _answer(request: ApiRequest[Deps], found: Comparison, paging: Paging, classes: tuple[str, ...]) -> ComparisonAnswer:
    place = paging.place(request)
    chosen = [each for each in found.differences if not classes or each["class"] in classes]
    first = (place["page"] - 1) * place["limit"]
    shown = chosen[first : first + place["limit"]]
    return ComparisonAnswer(
        comparison=_view(request, found),
        differences=[_difference(each) for each in shown],
        pagination=paging.pagination(request, len(chosen)),
    )


def _view(request: ApiRequest[Deps], found: Comparison) -> ComparisonView:
    return ComparisonView(
        id=found.id,
        side=found.side,
        subject_id=found.subject_id,
        file_name=found.file_name,
        created_by=found.created_by,
        created_at=datetime_text(found.created_at, request.deps.zone),
        date_from=found.day_from,
        date_to=found.day_to,
        timezone=found.zone,
        columns=found.columns,
        rows=found.rows,
        accepted=len(found.accepted),
        sums=[_sums(each) for each in found.sums],
    )


def _sums(document: dict[str, Any]) -> ComparisonSums:
    return ComparisonSums(
        currency=document["currency"],
        **_amounts(document),
        classes=[
            ComparisonClass(name=each["class"], number=each["number"], **_amounts(each)) for each in document["classes"]
        ],
    )


def _amounts(document: dict[str, Any]) -> dict[str, Decimal]:
    return {name: number(Decimal(document[name])) for name in ("ours", "theirs", "difference")}


def _difference(document: dict[str, Any]) -> ComparisonDifference:
    values = {name: value for name, value in document.items() if name != "class"}
    for name in ("our_sum", "their_sum"):
        values[name] = None if values[name] is None else number(Decimal(values[name]))
    key = values["conversion_id"] or values["click_id"] or values["action_id"]
    return ComparisonDifference(
        difference=document["class"], evidence=f"/admin/explain?id={key}" if key else "", **values
    )


def _acceptance(done: Acceptance, *, is_applied: bool) -> AcceptanceAnswer:
    edits = []
    for each in done.edits[:_MOST_SHOWN]:
        before = each.difference
        was = Decimal(before["our_sum"])
        edits.append(
            ComparisonEdit(
                conversion_id=each.conversion_id,
                status_before=before["our_status"],
                status_after=each.status or before["our_status"],
                sum_before=number(was),
                sum_after=number(was if each.amount is None else each.amount),
                currency=before["our_currency"],
            )
        )
    return AcceptanceAnswer(
        applied=is_applied,
        number=len(done.edits),
        edits=edits,
        skipped=[SkippedDifference(conversion_id=key, why=why) for key, why in done.skipped[:_MOST_SHOWN]],
        totals=[
            CurrencyDifference(currency=code, before=number(amount), after=number(done.after[code]))
            for code, amount in sorted(done.before.items())
        ],
    )
