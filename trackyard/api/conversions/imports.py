"""Imports of conversions by staff, and their dry run.

They are answered before the work is done (docs/api/edits.md, docs/spec/conversions.md#edits-and-imports).
"""

from typing import Annotated, Any, Final

from trackyard.actions.conversions.edits import ImportItem, QueuedImports, import_warnings, queue_imports
from trackyard.actions.conversions.import_checks import ImportCheck, ImportVerdict, check_imports
from trackyard.actions.deps import Deps
from trackyard.api.conversions.edits import EDITABLE_STATUSES, Amount, CustomField, echoed_amount
from trackyard.base.money import ZERO
from trackyard.domain.conversions.edits import ConversionImport
from trackyard.domain.conversions.postbacks import CUSTOM_FIELDS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.caps import CapFill
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq, Spelled
from trackyard.wire.response.envelope import Answer, Money, View, number

routes = Routes[Deps]()

_IMPORTS: Final = ("stats.conversions-import",)
IMPORT_MESSAGE: Final = "The import takes a few minutes to be processed"


class ImportConversion(Params):
    """A conversion to make.

    goal: "1" by default.
    ip, ua: the visitor's IP address and user agent. country: replaces the country of ip.
    sum: the base of percent payments. revenue, payouts: replace the amounts of the payment.
    click_id: an accepted click of this offer and affiliate; it gives the dimensions instead of ip and ua.
    """

    offer: s.Id
    pid: s.Id
    action_id: Annotated[str, s.BoundedText(maximum=255)] = ""
    goal: s.Int | None = None
    ip: s.IpAddress | None = None
    country: s.Country | None = None
    ua: Annotated[str, s.BoundedText(maximum=2000)] = ""
    sum: Amount | None = None
    revenue: Amount | None = None
    payouts: Amount | None = None
    status: Annotated[str, s.Choice((*EDITABLE_STATUSES, "pending_cap"))] | None = None
    comment: s.LongText = ""
    click_id: s.Hex | None = None
    custom_field_1: Annotated[CustomField, Spelled(("custom_field1",))] = ""
    custom_field_2: Annotated[CustomField, Spelled(("custom_field2",))] = ""
    custom_field_3: Annotated[CustomField, Spelled(("custom_field3",))] = ""
    custom_field_4: Annotated[CustomField, Spelled(("custom_field4",))] = ""
    custom_field_5: Annotated[CustomField, Spelled(("custom_field5",))] = ""
    custom_field_6: Annotated[CustomField, Spelled(("custom_field6",))] = ""
    custom_field_7: Annotated[CustomField, Spelled(("custom_field7",))] = ""

    def imported(self, *, takes_zero: bool) -> ImportItem:
        """Return it for the use case."""
        custom = {str(number): getattr(self, f"custom_field_{number}") for number in CUSTOM_FIELDS}
        item = ConversionImport(
            **self.model_dump(include={"action_id", "ua", "sum", "comment"}),
            offer_id=self.offer,
            affiliate_id=self.pid,
            goal="1" if self.goal is None else str(self.goal),
            ip=self.ip or "",
            country=self.country or "",
            charge=self.revenue,
            payout=self.payouts,
            takes_zero=takes_zero,
            status=None if self.status is None else Status(self.status),
            custom_fields={number: text for number, text in custom.items() if text},
        )
        return ImportItem(item, self.click_id or "")


class ImportOneConversion(ImportConversion):
    """A conversion to make. allow_zero: whether it may count with 0 when no payment matches."""

    allow_zero: s.Flag = True


class ImportConversions(Params):
    """Several conversions to make, all or none. allow_zero: see ImportOneConversion."""

    list: Seq[ImportConversion]
    allow_zero: s.Flag = True

    def imported(self) -> dict[str, ImportItem]:
        """Return them for the use case, by the prefix of their parameters."""
        return {f"list[{place}]": each.imported(takes_zero=self.allow_zero) for place, each in enumerate(self.list)}


class ImportEcho(View):
    """The requested import; null = not sent."""

    offer: int
    pid: int
    action_id: str | None
    goal: int | None
    ip: str | None
    ua: str | None
    sum: Money | None
    status: str | None
    comment: str | None
    click_id: str | None
    custom_field_1: str | None
    custom_field_2: str | None
    custom_field_3: str | None
    custom_field_4: str | None
    custom_field_5: str | None
    custom_field_6: str | None
    custom_field_7: str | None


class ImportAnswer(Answer):
    """An import that is queued."""

    data: ImportEcho
    message: str


class ImportsEcho(View):
    """The requested imports."""

    list: list[ImportEcho]


class ImportFaultView(View):
    """Why an import is refused. field: its parameter, "" for the whole conversion."""

    field: str
    text: str


class ImportFillView(View):
    """A cap that is full with the import. value: of the cap; used: of its counter, with the import."""

    type: str
    timeframe: str
    value: Money
    used: Money


class ImportCheckView(View):
    """The result of one import.

    conversion_id: the id of the conversion that exists already. zero: why the import counts with 0.
    fills: the caps that are full with it.
    """

    result: str
    faults: list[ImportFaultView]
    conversion_id: str | None
    status: str | None
    currency: str | None
    charge: Money | None
    payout: Money | None
    zero: str | None
    fills: list[ImportFillView]


class ImportTotalView(View):
    """The money of the conversions that would be made in a currency."""

    currency: str
    conversions: int
    charge: Money
    payout: Money


class ImportChecksAnswer(Answer):
    """Imports that were tried."""

    items: list[ImportCheckView]
    totals: list[ImportTotalView]


class ImportsAnswer(Answer):
    """Imports that are queued."""

    data: ImportsEcho
    message: str


@routes.post(
    "/admin/conversion/import",
    for_staff(Permission.CONVERSIONS_WRITE),
    id="admin.conversion.import",
    features=_IMPORTS,
)
def import_one(request: ApiRequest[Deps], params: ImportOneConversion) -> ImportAnswer:
    """Make a conversion by hand.

    It is made within seconds, at the time of the request; the server postback log shows the result.
    """
    _warn(request, queue_imports(request.deps, request.access, {"": params.imported(takes_zero=params.allow_zero)}))
    return ImportAnswer(data=_echo(params), message=IMPORT_MESSAGE)


@routes.post(
    "/admin/conversions/import",
    for_staff(Permission.CONVERSIONS_WRITE),
    id="admin.conversions.import",
    features=_IMPORTS,
)
def import_many(request: ApiRequest[Deps], params: ImportConversions) -> ImportsAnswer:
    """Make several conversions by hand, all or none.

    They are made within seconds, at the time of the request; the server postback log shows the result of each.
    """
    _warn(request, queue_imports(request.deps, request.access, params.imported()))
    return ImportsAnswer(data=ImportsEcho(list=[_echo(item) for item in params.list]), message=IMPORT_MESSAGE)


@routes.post(
    "/admin/conversions/import/check",
    for_staff(Permission.CONVERSIONS_WRITE),
    id="admin.conversions.import.check",
    features=_IMPORTS,
    not_replayable=True,
)
def check_many(request: ApiRequest[Deps], params: ImportConversions) -> ImportChecksAnswer:
    """Try an import of several conversions: what each would do, and the money that they would make.

    Nothing is written. A conversion that exists already, or that an earlier item of the list makes, is a duplicate.
    """
    found = check_imports(request.deps, request.access, params.imported())
    made = [each.conversion for each in found if each.verdict is ImportVerdict.MADE and each.conversion is not None]
    totals = [
        ImportTotalView(
            currency=currency,
            conversions=sum(each.currency == currency for each in made),
            charge=number(sum((each.charge for each in made if each.currency == currency), ZERO)),
            payout=number(sum((each.payout for each in made if each.currency == currency), ZERO)),
        )
        for currency in sorted({each.currency for each in made})
    ]
    return ImportChecksAnswer(items=[_check_view(each) for each in found], totals=totals)


def _check_view(check: ImportCheck) -> ImportCheckView:
    made, is_new = check.conversion, check.verdict is ImportVerdict.MADE
    faults = [ImportFaultView(field=name, text=" ".join(sentences)) for name, sentences in check.faults.items()]
    return ImportCheckView(
        result=check.verdict,
        faults=faults,
        conversion_id=None if made is None or is_new else made.id,
        status=None if made is None else made.status,
        currency=None if made is None else made.currency,
        charge=None if made is None else number(made.charge),
        payout=None if made is None else number(made.payout),
        zero=None if check.zero is None else check.zero.name.lower(),
        fills=[_fill_view(each) for each in check.fills],
    )


def _fill_view(fill: CapFill) -> ImportFillView:
    rule = fill.rule
    return ImportFillView(
        type=rule.type, timeframe=rule.measure.period, value=number(rule.value), used=number(fill.used)
    )


def _warn(request: ApiRequest[Deps], queued: QueuedImports) -> None:
    for sentence in import_warnings(queued):
        request.warn(sentence)


_NOT_ECHOED: Final = ("country", "revenue", "payouts", "allow_zero")
"""Parameters that the specification's answer does not have."""


def _echo(params: ImportConversion) -> ImportEcho:
    sent = params.model_dump(exclude=set(_NOT_ECHOED))
    values: dict[str, Any] = {name: None if value == "" else value for name, value in sent.items()}
    return ImportEcho(**values | {"sum": echoed_amount(params.sum)})
