"""Imports of conversions by affiliates (docs/spec/conversions.md#imports-by-affiliates)."""

from collections.abc import Mapping
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

from trackyard.actions.conversions.edits import ImportItem, import_warnings
from trackyard.actions.conversions.own_imports import conversion_time, queue_own_imports
from trackyard.actions.deps import Deps
from trackyard.actions.tracking.logs import list_refused_imports
from trackyard.api.conversions.edits import Amount, CustomField
from trackyard.api.paging import Paging
from trackyard.api.statistics.times import bounded_span
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.edits import ConversionImport
from trackyard.domain.conversions.postbacks import CUSTOM_FIELDS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.lists import LogQuery
from trackyard.domain.statistics.rows import ServerPostbackLog
from trackyard.domain.tracking.reference.results import UNKNOWN, results
from trackyard.wire.endpoint import ApiRequest, Routes, for_affiliates
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq, Spelled
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number

routes = Routes[Deps]()

MESSAGE: Final = "Conversion import will take a few minutes"
MOST: Final = 1000
_FEATURES: Final = ("stats.conversions-import",)
_STATUSES: Final = ("confirmed", "pending", "declined", "hold")


class OwnConversion(Params):
    """A conversion that the calling affiliate reports.

    goal: "1" by default.
    click_id: an accepted click of its own on this offer.
    created_at: the day of the conversion; without it the request's time.
    """

    offer: s.Id
    action_id: Annotated[str, s.BoundedText(maximum=255)] = ""
    click_id: s.Hex | None = None
    goal: s.Int | None = None
    ip: s.IpAddress | None = None
    country: s.Country | None = None
    ua: Annotated[str, s.BoundedText(maximum=2000)] = ""
    comment: s.LongText = ""
    sum: Amount | None = None
    created_at: s.Day | None = None
    custom_field_1: Annotated[CustomField, Spelled(("custom_field1",))] = ""
    custom_field_2: Annotated[CustomField, Spelled(("custom_field2",))] = ""
    custom_field_3: Annotated[CustomField, Spelled(("custom_field3",))] = ""
    custom_field_4: Annotated[CustomField, Spelled(("custom_field4",))] = ""
    custom_field_5: Annotated[CustomField, Spelled(("custom_field5",))] = ""
    custom_field_6: Annotated[CustomField, Spelled(("custom_field6",))] = ""
    custom_field_7: Annotated[CustomField, Spelled(("custom_field7",))] = ""

    @property
    def sent_status(self) -> str | None:
        """Return the status that was sent."""
        status: str | None = getattr(self, "status", None)
        return status


class ImportOwnConversion(OwnConversion):
    """A conversion to import. send_advertiser_postbacks: whether the offer's cross_postback_url is called."""

    status: Annotated[str, s.Choice(_STATUSES)] | None = None
    send_advertiser_postbacks: s.TrueFalse = False


class ListedOwnConversion(OwnConversion):
    """A conversion of a list to import."""

    status: Annotated[str, s.Choice((*_STATUSES, "pending_cap"))] | None = None


class ImportOwnConversions(Params):
    """Several conversions to import, all or none. send_advertiser_postbacks: see ImportOwnConversion."""

    list: Seq[ListedOwnConversion]
    send_advertiser_postbacks: s.Flag = False


class OwnImportEcho(View):
    """The requested import; null = not sent."""

    offer: int
    action_id: str | None
    click_id: str | None
    goal: int | None
    ip: str | None
    ua: str | None
    sum: Money | None
    status: str | None
    comment: str | None
    created_at: str | None
    custom_field_1: str | None
    custom_field_2: str | None
    custom_field_3: str | None
    custom_field_4: str | None
    custom_field_5: str | None
    custom_field_6: str | None
    custom_field_7: str | None


class OwnImportAnswer(Answer):
    """An import that is queued."""

    data: OwnImportEcho
    message: str


class OwnImportsEcho(View):
    """The requested imports."""

    list: list[OwnImportEcho]


class OwnImportsAnswer(Answer):
    """Imports that are queued."""

    data: OwnImportsEcho
    message: str


class ListRefusedImports(Paging):
    """The days of imports."""

    date_from: s.Day
    date_to: s.Day
    timezone: s.Zone | None = None


class RefusedImport(View):
    """An import that made no conversion, as it was sent.

    reason: as in the postback log.
    conversion_id: the id of the conversion that exists already.
    """

    id: str
    created_at: str
    offer: int
    action_id: str | None
    click_id: str | None
    goal: str
    sum: str | None
    status: str | None
    comment: str | None
    reason: str
    text: str
    advice: str
    conversion_id: str | None


class RefusedImportsAnswer(Answer):
    """A page of imports that made no conversion."""

    imports: list[RefusedImport]
    pagination: Pagination


@routes.get(
    "/affiliate/conversions/refused-imports",
    for_affiliates(Permission.STATS_CONVERSION),
    id="affiliate.refused-imports.list",
    features=_FEATURES,
    report=True,
)
def list_refused(request: ApiRequest[Deps], params: ListRefusedImports) -> RefusedImportsAnswer:
    """List imports of the calling affiliate that made no conversion, and why, the newest first.

    They were accepted, and the conversion was refused when it should be made: most often it existed already.
    """
    zone = params.timezone or request.deps.zone
    since, until = bounded_span(request.deps, params.date_from, params.date_to, zone, fine=False)
    query = LogQuery(Scope.nothing(), since, until, **params.place(request))
    found, total = list_refused_imports(request.deps, request.access, query)
    return RefusedImportsAnswer(
        imports=[_refused(log, zone) for log in found], pagination=params.pagination(request, total)
    )


def _refused(log: ServerPostbackLog, zone: ZoneInfo) -> RefusedImport:
    sent = dict(parse_qsl(log.query))
    words = results().faults.get(log.response, UNKNOWN)
    names = ("action_id", "click_id", "sum", "status", "comment")
    return RefusedImport(
        id=log.id,
        created_at=datetime_text(log.time, zone),
        offer=log.offer,
        goal=sent.get("goal", log.goal),
        reason=log.response,
        text=words.text,
        advice=words.advice,
        conversion_id=log.conversion_id or None,
        **{name: sent.get(name) for name in names},
    )


@routes.post(
    "/affiliate/conversion/import",
    for_affiliates(Permission.STATS_CONVERSION),
    id="affiliate.conversion.import",
    features=_FEATURES,
    also=("/4.0/affiliate/conversion/import",),
)
def import_one(request: ApiRequest[Deps], params: ImportOwnConversion) -> OwnImportAnswer:
    """Report a conversion of the calling affiliate.

    It is made within seconds, as a pending one unless the network confirms imports of affiliates, or as a declined one.
    `/4.0/affiliate/conversion/import` answers the same.
    """
    _queue(request, {"": params}, crosses=params.send_advertiser_postbacks)
    return OwnImportAnswer(data=_echo(params), message=MESSAGE)


@routes.post(
    "/affiliate/conversions/import",
    for_affiliates(Permission.STATS_CONVERSION),
    id="affiliate.conversions.import",
    features=_FEATURES,
    also=("/4.0/affiliate/conversions/import",),
)
def import_many(request: ApiRequest[Deps], params: ImportOwnConversions) -> OwnImportsAnswer:
    """Report several conversions of the calling affiliate, all or none, at most 1000.

    They are made within seconds, as pending ones unless the network confirms imports of affiliates, or as declined.
    `/4.0/affiliate/conversions/import` answers the same.
    """
    if len(params.list) > MOST:
        raise BadInput({"list": [f"Send at most {MOST} conversions."]})
    named = {f"list[{place}]": each for place, each in enumerate(params.list)}
    _queue(request, named, crosses=params.send_advertiser_postbacks)
    return OwnImportsAnswer(data=OwnImportsEcho(list=[_echo(item) for item in params.list]), message=MESSAGE)


def _queue(request: ApiRequest[Deps], sent: Mapping[str, OwnConversion], *, crosses: bool) -> None:
    """Queue imports. Raises BadInput."""
    caller = request.caller
    affiliate_id = caller.id if isinstance(caller, AffiliateCaller) else 0
    items = {prefix: _imported(request.deps, prefix, each, affiliate_id, crosses) for prefix, each in sent.items()}
    lowered, queued = queue_own_imports(request.deps, request.access, affiliate_id, items)
    for sentence in import_warnings(queued, is_own=True):
        request.warn(sentence)
    if lowered:
        request.warn("The network confirms conversions itself: they are imported as pending.")


def _imported(deps: Deps, prefix: str, params: OwnConversion, affiliate_id: int, crosses: bool) -> ImportItem:
    custom = {str(number): getattr(params, f"custom_field_{number}") for number in CUSTOM_FIELDS}
    try:
        at = conversion_time(deps, params.created_at)
    except ValueError as fault:
        raise BadInput({f"{prefix}[created_at]" if prefix else "created_at": [str(fault)]}) from None
    item = ConversionImport(
        **params.model_dump(include={"action_id", "ua", "sum", "comment"}),
        offer_id=params.offer,
        affiliate_id=affiliate_id,
        goal="1" if params.goal is None else str(params.goal),
        ip=params.ip or "",
        country=params.country or "",
        status=None if params.sent_status is None else Status(params.sent_status),
        custom_fields={number: text for number, text in custom.items() if text},
        at=at,
        crosses=crosses,
    )
    return ImportItem(item, params.click_id or "")


def _echo(params: OwnConversion) -> OwnImportEcho:
    values: dict[str, Any] = {name: None if value == "" else value for name, value in params.model_dump().items()}
    for name in ("send_advertiser_postbacks", "country"):
        values.pop(name, None)
    day = None if params.created_at is None else params.created_at.isoformat()
    amount = None if params.sum is None else number(params.sum)
    return OwnImportEcho(**values | {"sum": amount, "created_at": day})
