"""The columns of a click, declared once.

The journal record, conversion events, tables of the analytic store, slices, filters and files of clicks derive from
`Click`. A new column goes to the end, with a default: records that were written before it end earlier.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, Final, get_args, get_origin

import msgspec


class Source(Enum):
    """The source of a column.

    DECISION, PLACE, AGENT: the decision, the visitor's place, its user agent. PARAMETER: the parameter of the same
    name.
    """

    DECISION = "decision"
    PLACE = "place"
    AGENT = "agent"
    PARAMETER = "parameter"


class SliceAccess(Enum):
    """The callers that may choose a slice in the custom report. GROUPED: none, it has its own report."""

    EVERYONE = "everyone"
    STAFF = "staff"
    PERMITTED = "permitted"
    GROUPED = "grouped"


@dataclass(frozen=True, slots=True)
class ColumnSlice:
    """A slice of reports by a column.

    name: in requests; "" = the column's name
    key: in answers; "" = the slice's name
    feature: what an affiliate needs, after `stats.slice-`; "" = nothing
    within: the column that its values belong to, which rows show too: a landing page has its number within an offer
    is_heavy: whether periods are bounded more narrowly
    has_many_values: whether there may be millions of values
    """

    name: str = ""
    key: str = ""
    feature: str = ""
    access: SliceAccess = SliceAccess.EVERYONE
    within: str = ""
    is_heavy: bool = False
    has_many_values: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """How a column is used.

    low_cardinality: whether the analytic store keeps a dictionary of its values
    repeats: whether a file of clicks keeps a dictionary of its values
    in_event: whether conversion events carry it
    exported: whether files of clicks have it
    filter: whether reports can be narrowed by it
    slice: needs in_event, because reports add conversions to clicks
    """

    source: Source = Source.DECISION
    low_cardinality: bool = False
    repeats: bool = False
    in_event: bool = False
    exported: bool = False
    filter: bool = False
    slice: ColumnSlice | None = None


LowText = Annotated[str, Column(low_cardinality=True)]
"""A text with few distinct values."""
_Parameter = Annotated[str, Column(Source.PARAMETER, exported=True)]
_HiddenParameter = Annotated[str, Column(Source.PARAMETER)]
_STAFF, _GROUPED = SliceAccess.STAFF, SliceAccess.GROUPED


def _coded(source: Source, of: ColumnSlice | None = None, *, is_filter: bool = False, exported: bool = True) -> Column:
    """Return the column of a text with few values that conversion events carry too."""
    return Column(source, low_cardinality=True, in_event=True, exported=exported, filter=is_filter, slice=of)


def _sub(feature: str = "") -> Column:
    values = ColumnSlice(feature=feature, is_heavy=True, has_many_values=True)
    return Column(Source.PARAMETER, in_event=True, exported=True, filter=True, slice=values)


def _page(feature: str) -> Column:
    """Return the column of a page of an offer, which has its number within the offer."""
    return Column(in_event=True, exported=True, slice=ColumnSlice(feature=feature, within="offer"))


class Click(msgspec.Struct, array_like=True, gc=False):
    """One click as it was decided.

    time: UTC epoch milliseconds
    id: 24 hex digits
    reason: why it does not count: the rejection reason, or NOT_COUNTED of an accepted click; "" = it counts
    detail: what in the ruleset decided
    landing, prelanding: id of the landing or of the transit page in the link, 0 = none
    uniq, test: 0 or 1
    country: ISO code or ""
    region, city_id: GeoNames, ""/0 = unknown
    connection: wi-fi, cellular or ""
    device: mobile, tablet, desktop, … or ""
    flags: bits of `ClickFlag`
    ruleset: version of the ruleset that decided, 0 = not recorded
    target: id of the target that the click was sent to, 0 = none
    origin: its signals, bits of domain/statistics/quality/origins.py
    cost: millionths of the platform currency
    forgiven: faults of the link that were accepted all the same, as bits, 0 = none
    cost_sent, cost_currency: millionths of the cost as the link had it, and its currency; 0 and "" = none
    consent: what the visitor agreed to, "" = the link does not contain it
    ip_hash: keyed hash of the address where only a part of it is kept, "" = the whole address is kept
    click_ids: click ids of ad platforms, as the text of a JSON object by parameter; "" = none
    """

    time: Annotated[int, Column(exported=True)]
    id: Annotated[str, Column(exported=True)]
    reason: Annotated[
        str,
        Column(
            low_cardinality=True,
            exported=True,
            slice=ColumnSlice("trafficback_reason", feature="trafficback_reason", access=SliceAccess.PERMITTED),
        ),
    ]
    detail: Annotated[str, Column(low_cardinality=True, exported=True)]
    offer: Annotated[int, Column(in_event=True, exported=True, filter=True, slice=ColumnSlice(feature="offer_id"))]
    affiliate: Annotated[
        int,
        Column(in_event=True, exported=True, filter=True, slice=ColumnSlice(feature="affiliate_id", access=_STAFF)),
    ]
    advertiser: Annotated[
        str,
        _coded(Source.DECISION, ColumnSlice(feature="advertiser_id", access=_STAFF), is_filter=True, exported=False),
    ]
    landing: Annotated[int, _page("landing")]
    smart_id: Annotated[str, _coded(Source.DECISION, ColumnSlice(feature="smart_id", access=_STAFF), is_filter=True)]
    uniq: Annotated[int, Column(exported=True)]
    ip: Annotated[str, Column(exported=True)]
    country: Annotated[str, _coded(Source.PLACE, ColumnSlice(feature="country"), is_filter=True)]
    region: Annotated[str, _coded(Source.PLACE, exported=False)]
    city_id: Annotated[int, Column(Source.PLACE, in_event=True, exported=True)]
    city: Annotated[str, _coded(Source.PLACE, ColumnSlice(feature="city", is_heavy=True))]
    isp: Annotated[
        str, _coded(Source.PLACE, ColumnSlice("mobile_carrier", key="isp", feature="mobile-carrier", access=_GROUPED))
    ]
    connection: Annotated[
        str, _coded(Source.PLACE, ColumnSlice("conn_type", feature="connection-type", access=_GROUPED))
    ]
    ua: Annotated[str, Column(Source.AGENT, exported=True, repeats=True)]
    os: Annotated[str, _coded(Source.AGENT, ColumnSlice(feature="os"), is_filter=True)]
    os_version: Annotated[str, _coded(Source.AGENT, ColumnSlice(feature="os"))]
    device: Annotated[str, _coded(Source.AGENT, ColumnSlice(feature="device"), is_filter=True)]
    brand: Annotated[str, _coded(Source.AGENT, exported=False)]
    device_model: Annotated[str, _coded(Source.AGENT, ColumnSlice(feature="device"))]
    browser: Annotated[str, _coded(Source.AGENT, ColumnSlice(feature="browser"))]
    browser_version: Annotated[str, _coded(Source.AGENT, ColumnSlice(feature="browser", access=_GROUPED))]
    language: LowText
    referrer: Annotated[str, Column(exported=True, repeats=True)]
    sub1: Annotated[str, _sub("sub1")]
    sub2: Annotated[str, _sub("sub2")]
    sub3: Annotated[str, _sub()]
    sub4: Annotated[str, _sub()]
    sub5: Annotated[str, _sub()]
    sub6: Annotated[str, _sub()]
    sub7: Annotated[str, _sub()]
    sub8: Annotated[str, _sub()]
    ref_id: _Parameter
    os_id: _Parameter
    user_id: _Parameter
    ext1: _Parameter
    ext2: _Parameter
    ext3: _Parameter
    fbclid: _HiddenParameter
    ios_idfa: _Parameter
    android_id: _Parameter
    bundle_id: _HiddenParameter
    flags: int
    prelanding: Annotated[int, _page("prelanding")] = 0
    ruleset: int = 0
    target: int = 0
    origin: Annotated[int, Column(in_event=True, exported=True, filter=True, slice=ColumnSlice(access=_STAFF))] = 0
    cost: int = 0
    test: Annotated[int, Column(in_event=True)] = 0
    forgiven: Annotated[int, Column(exported=True)] = 0
    cost_sent: int = 0
    cost_currency: LowText = ""
    consent: LowText = ""
    ip_hash: str = ""
    click_ids: str = ""


class Impression(Click, array_like=True, gc=False):
    """One impression of a creative, in the form of the click that it may lead to.

    landing, uniq: 0
    """


def column_type(annotation: Any) -> tuple[Any, Column]:
    """Return the plain type of a field and how its column is used."""
    if get_origin(annotation) is not Annotated:
        return annotation, Column()
    plain, *notes = get_args(annotation)
    return plain, next((note for note in notes if isinstance(note, Column)), Column())


FIELDS: Final[Mapping[str, msgspec.structs.FieldInfo]] = MappingProxyType(
    {info.name: info for info in msgspec.structs.fields(Click)}
)
"""The fields of a click by name, in the order of a record."""
COLUMNS: Final[Mapping[str, Column]] = MappingProxyType(
    {name: column_type(info.type)[1] for name, info in FIELDS.items()}
)
"""How the columns of a click are used, by name, in the order of a record."""
EMPTY_CLICK: Final[Mapping[str, Any]] = MappingProxyType(
    {name: column_type(info.type)[0]() for name, info in FIELDS.items()}
)
"""The value of each column where nothing is known."""


def columns_from(source: Source) -> tuple[str, ...]:
    """Return the columns that a source fills, which are neighbors in a record."""
    names = tuple(name for name, column in COLUMNS.items() if column.source is source)
    first = tuple(COLUMNS).index(names[0])
    if source is not Source.DECISION and tuple(COLUMNS)[first : first + len(names)] != names:
        raise ValueError(
            f"columns from the {source.value} are not neighbors: the click record is written in this order"
        )
    return names


EVENT_COLUMNS: Final = tuple(name for name, column in COLUMNS.items() if column.in_event)
"""The columns that conversion events carry."""
