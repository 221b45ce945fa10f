"""The list of conversions (docs/api/conversions.md)."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import fields

from trackyard.actions.conversions.conversions import list_visible_conversions
from trackyard.actions.deps import Deps
from trackyard.actions.statistics.exports import StoredConversions, export_conversions
from trackyard.actions.statistics.names import EntityNames
from trackyard.api.conversions.filters import ListConversions, shown_status
from trackyard.api.people.views import AdvertiserRef, PartnerView, offer_ref, partner_view
from trackyard.api.statistics.exports import ALL_ROWS, table_of_export
from trackyard.api.statistics.times import At, as_text, unchanged
from trackyard.base.arrow import Array, amounts, dictionary_columns, load_pyarrow
from trackyard.base.zones import local_day
from trackyard.domain.conversions.lists import ListedConversion
from trackyard.domain.money.payment_states import UNPAID, PaidSums, PaymentState
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.quality.conversion_signals import signals_text
from trackyard.domain.statistics.quality.origins import origin_text
from trackyard.domain.tracking.subs import SUBS, with_subs
from trackyard.journal.records import Click
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.response.envelope import Answer, Moment, Money, Pagination, View, number
from trackyard.wire.response.exports import (
    ColumnType,
    ExportTable,
    FileExport,
    columns_of,
    nested_columns,
    table_of,
    type_of,
)

routes = Routes[Deps]()


class OfferInConversion(View):
    """The offer of a conversion, as everyone sees it."""

    id: int
    offer_id: str
    title: str
    preview_url: str


class OfferWithUrl(OfferInConversion):
    """The offer of a conversion, as staff see it."""

    url: str


@with_subs
class ConversionFields(View):
    """The fields that every form of a conversion has for every caller."""

    id: str
    action_id: str
    conversion_id: str
    cbid: str
    currency: str
    goal: str
    goal_value: str
    country: str
    district: None
    city: str
    city_id: int
    isp_code: str
    ip: str
    browser: str
    os: str
    device: str
    device_type: str
    offer_id: int
    ios_idfa: str
    android_id: str
    sub1: str
    custom_field_1: str
    custom_field_2: str
    custom_field_3: str
    custom_field_4: str
    custom_field_5: str
    custom_field_6: str
    custom_field_7: str
    ua: str
    comment: str
    created_at: Moment
    click_time: Moment
    referrer: str
    payouts: Money
    clickid: str
    partner_id: int
    sum: Money
    ref_id: str
    user_id: str
    payment_status: str
    is_paid: str
    paid: Money
    forensiq: None
    payment_type: str
    hold_date_expire: Moment | None


class ListedConversionFields(ConversionFields):
    """The fields that a conversion in a list has for every caller."""

    landing_id: int
    status: str
    partner: PartnerView | None


class ConversionForAffiliate(ListedConversionFields):
    """A conversion as its affiliate sees it.

    revenue, earnings, advertiser, supplier_id, origin, signals: always null.
    """

    offer: OfferInConversion | None
    revenue: Money | None
    earnings: Money | None
    price: None
    advertiser: AdvertiserRef | None
    supplier_id: str | None
    origin: str | None
    signals: str | None


class ConversionForStaff(ListedConversionFields):
    """A conversion as staff see it. origin: the signals of its click; signals: its own."""

    offer: OfferWithUrl | None
    revenue: Money
    earnings: Money
    price: None
    advertiser: AdvertiserRef | None
    supplier_id: str
    origin: str
    signals: str


class ConversionsForAffiliate(Answer):
    """A page of conversions."""

    conversions: list[ConversionForAffiliate]
    pagination: Pagination


class ConversionsForStaff(Answer):
    """A page of conversions."""

    conversions: list[ConversionForStaff]
    pagination: Pagination


def conversion_rows(request: ApiRequest[Deps], params: ListConversions) -> ExportTable:
    """Return the rows of a file: all, or one page of them when `page` or `limit` is sent."""
    chosen, show = params.chosen(request), _view_maker(request, params, unchanged)
    view = ConversionForStaff if request.staff else ConversionForAffiliate
    zone = params.timezone or request.deps.zone
    span = chosen.booked or chosen
    period = "_".join(str(local_day(at_ms, zone)) for at_ms in (span.since, span.until - 1))
    if params.is_paged:
        found, _, names = list_visible_conversions(request.deps, request.access, chosen, **params.place(request))
        return table_of(view, (view(**show(item, names)) for item in found), zone, period=period)
    export = export_conversions(request.deps, request.access, chosen)
    columns = _ColumnMaker(view, request.version, is_staff=request.staff, is_raw=params.raw_export)
    return table_of_export(view, export, columns.of, zone, period)


@routes.get(
    "/stats/conversions",
    for_callers(Permission.STATS_CONVERSION),
    id="stats.conversions",
    features=("stats.conversions-list",),
    report=True,
    page_max=5000,
    file_export=FileExport(
        "conversions",
        (ConversionForStaff, ConversionForAffiliate),
        conversion_rows,
        ALL_ROWS,
        "stats.conversions-export",
    ),
)
def list_conversions(
    request: ApiRequest[Deps], params: ListConversions
) -> ConversionsForStaff | ConversionsForAffiliate:
    """List conversions."""
    found, total, names = list_visible_conversions(
        request.deps, request.access, params.chosen(request), **params.place(request)
    )
    pages = params.pagination(request, total)
    show = _view_maker(request, params, as_text(params.timezone or request.deps.zone))
    shown = [show(item, names) for item in found]
    if request.staff:
        return ConversionsForStaff(conversions=[ConversionForStaff(**fields) for fields in shown], pagination=pages)
    return ConversionsForAffiliate(conversions=[ConversionForAffiliate(**fields) for fields in shown], pagination=pages)


def fields_for_all(item: ListedConversion, at: At) -> dict[str, Any]:
    """Return the values of ConversionFields. at: makes the form of a time."""
    from_click = {name: item.click[name] for name in _FROM_CLICK}
    custom = {f"custom_field_{n}": item.custom_fields.get(str(n), "") for n in range(1, 8)}
    as_stored = {name: getattr(item, name) for name in _AS_STORED}
    return {
        **from_click, **custom, **as_stored,
        "conversion_id": item.id,
        "cbid": item.click_id,
        "clickid": item.click_id,
        "goal": item.goal_title,
        "goal_value": item.goal,
        "district": None,
        "isp_code": item.click["isp"],
        "device_type": item.click["device"],
        "partner_id": item.affiliate_id,
        "payouts": number(item.payout),
        "sum": number(item.sum),
        "payment_status": item.payment_state.value,
        "is_paid": item.payment_state.number,
        "paid": number(item.paid.paid),
        "forensiq": None,
        "created_at": at(item.created_at),
        "click_time": at(item.click_time),
        "hold_date_expire": at(item.hold_until),
    }  # fmt: skip


def fields_for_staff(item: ListedConversion) -> dict[str, Any]:
    """Return the values that staff alone see, without the advertiser's name."""
    return {
        "revenue": number(item.charge),
        "earnings": number(item.charge - item.payout),
        "price": None,
        "supplier_id": item.advertiser_id,
    }


def signals_for_staff(item: ListedConversion) -> dict[str, str]:
    """Return the signals of a conversion and of its click, which staff alone see."""
    return {"origin": origin_text(item.click.get("origin", 0)), "signals": signals_text(item.signals)}


HIDDEN_FIELDS: Mapping[str, Any] = MappingProxyType(
    dict.fromkeys(("revenue", "earnings", "price", "supplier_id", "advertiser"))
)
"""The values of these fields for an affiliate."""
_HIDDEN_IN_LISTS: Mapping[str, Any] = MappingProxyType({**HIDDEN_FIELDS, "origin": None, "signals": None})


def advertiser_ref(advertiser_id: str, names: EntityNames) -> AdvertiserRef:
    """Return the view of an advertiser by its id."""
    return AdvertiserRef(id=advertiser_id, title=names.advertisers.get(advertiser_id, ""))


def _view_maker(
    request: ApiRequest[Deps], params: ListConversions, at: At
) -> Callable[[ListedConversion, EntityNames], dict[str, Any]]:
    """Return a function that makes the fields of a conversion that the caller sees."""
    offer_view: type[View] = OfferWithUrl if request.staff else OfferInConversion

    def show(item: ListedConversion, names: EntityNames) -> dict[str, Any]:
        raw = params.raw_export
        shown = fields_for_all(item, at) | {
            "landing_id": item.click["landing"],
            "status": shown_status(item.status, request.version),
            "offer": None if raw else offer_ref(offer_view, names.offers.get(item.offer_id)),
            "partner": None if raw else partner_view(item.affiliate_id, names.affiliates),
        }
        if not request.staff:
            return {**shown, **_HIDDEN_IN_LISTS}
        named = None if raw else advertiser_ref(item.advertiser_id, names)
        return shown | fields_for_staff(item) | signals_for_staff(item) | {"advertiser": named}

    return show


_FROM_CLICK = (
    "country", "city", "city_id", "ip", "browser", "os", "device", "ios_idfa", "android_id", "ua", "referrer", "ref_id",
    *SUBS,
)  # fmt: skip
_StoredClick = msgspec.defstruct(
    "_StoredClick",
    [(field.name, field.type) for field in fields(Click) if field.name in (*_FROM_CLICK, "isp", "landing")]
    + [("origin", int, 0)],
    gc=False,
)
"""What a conversion shows of its click: nothing else of it is read."""
_decode_click = msgspec.json.Decoder(_StoredClick).decode
_click_values = attrgetter(*_StoredClick.__struct_fields__)
_NO_FIELDS: dict[str, str] = {}


class _ColumnMaker:
    """The fields of `_view_maker` by column. is_raw: whether nested records, such as the offer, are null."""

    def __init__(self, view: type[View], version: str, *, is_staff: bool, is_raw: bool) -> None:
        self._kinds = {column.name: column.kind for column in columns_of(view)}
        self._version, self._is_staff, self._is_raw = version, is_staff, is_raw
        self._offer_view: type[View] = OfferWithUrl if is_staff else OfferInConversion

    def of(self, found: StoredConversions, names: EntityNames) -> dict[str, Array]:
        """Return the columns of some conversions."""
        stored = found.columns
        shown = {**self._typed(self._values(stored)), **self._looked_up(found, names), **_amounts(stored)}
        return shown if self._is_staff else shown | self._hidden(len(stored["id"]))

    def _hidden(self, count: int) -> dict[str, Array]:
        """Return columns of nulls for what an affiliate does not see."""
        nulls = load_pyarrow().arrow.nulls
        kinds = {name: kind for name, kind in self._kinds.items() if name.partition(".")[0] in _HIDDEN_IN_LISTS}
        return {name: nulls(count, type=type_of(kind)) for name, kind in kinds.items()}

    def _typed(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, Array]:
        array = load_pyarrow().arrow.array
        kinds = self._kinds
        return {name: array(values, type=type_of(kinds[name])) for name, values in columns.items() if name in kinds}

    def _values(self, stored: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
        """Return the values that are shown as they are stored."""
        values = zip(*(_click_values(_decode_click(text)) for text in stored["click"]), strict=True)
        clicks = dict(zip(_StoredClick.__struct_fields__, values, strict=True))
        custom = [_NO_FIELDS if text == "{}" else msgspec.json.decode(text) for text in stored["custom_fields"]]
        nothing = [None] * len(custom)
        return {
            **{name: clicks[name] for name in _FROM_CLICK},
            **{name: stored[name] for name in _AS_STORED},
            **{f"custom_field_{n}": [fields.get(str(n), "") for fields in custom] for n in range(1, 8)},
            **{name: stored[column] for name, column in _RENAMED.items()},
            **dict.fromkeys(("district", "forensiq", "price"), nothing),
            "isp_code": clicks["isp"],
            "device_type": clicks["device"],
            "landing_id": clicks["landing"],
            "origin": [origin_text(origin) for origin in clicks["origin"]],
            "signals": [signals_text(signals) for signals in stored["signals"]],
        }

    def _looked_up(self, found: StoredConversions, names: EntityNames) -> dict[str, Array]:
        """Return the columns that are made once for each distinct value."""
        stored, raw = found.columns, self._is_raw
        array, text = load_pyarrow().arrow.array, type_of(ColumnType.TEXT)
        keys = {name: array(stored[name]) for name in ("offer_id", "affiliate_id", "advertiser_id", "status")}
        paid = [found.paid.get(key, UNPAID) for key in zip(stored["id"], stored["currency"], strict=True)]
        states = array(_states(paid, stored["payout"]), type=text)
        payment_status, is_paid = dictionary_columns(states, (text, text), lambda key: (key, PaymentState(key).number))
        [status] = dictionary_columns(keys["status"], (text,), lambda key: (shown_status(key, self._version),))

        def named(view: type[View], name: str, key: str, view_of: Callable[[Any], View | None]) -> dict[str, Array]:
            return nested_columns(view, name, keys[key], lambda key: None if raw else view_of(key))

        return {
            "status": status,
            "payment_status": payment_status,
            "is_paid": is_paid,
            "paid": amounts([_scaled(each.paid) for each in paid]),
            **named(
                self._offer_view, "offer", "offer_id", lambda key: offer_ref(self._offer_view, names.offers.get(key))
            ),
            **named(PartnerView, "partner", "affiliate_id", lambda key: partner_view(key, names.affiliates)),
            **named(AdvertiserRef, "advertiser", "advertiser_id", lambda key: advertiser_ref(key, names)),
        }


def _states(paid: Sequence[PaidSums], payouts: Sequence[int]) -> list[PaymentState]:
    """Return the states of conversions by what is paid of them. payouts: in ten-thousandths."""
    opened = PaymentState.OPENED
    return [
        opened if sums is UNPAID else sums.state_of(Decimal(payout).scaleb(-4))
        for sums, payout in zip(paid, payouts, strict=True)
    ]


def _scaled(amount: Decimal) -> int:
    return int(amount.scaleb(4))


def _amounts(stored: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    earned = [charge - payout for charge, payout in zip(stored["charge"], stored["payout"], strict=True)]
    scaled = {"payouts": stored["payout"], "sum": stored["sum"], "revenue": stored["charge"], "earnings": earned}
    return {name: amounts(values) for name, values in scaled.items()}


_RENAMED = {
    "conversion_id": "id", "cbid": "click_id", "clickid": "click_id", "goal": "goal_title", "goal_value": "goal",
    "partner_id": "affiliate_id", "supplier_id": "advertiser_id", "created_at": "created_at",
    "click_time": "click_time", "hold_date_expire": "hold_until",
}  # fmt: skip
_AS_STORED = ("id", "action_id", "currency", "offer_id", "comment", "user_id", "payment_type")
