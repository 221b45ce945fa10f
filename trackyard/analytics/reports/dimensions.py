"""What statistics are sliced and filtered by. A new one is declared here and nowhere else.

Keys are raw: ids and codes as clicks and facts store them; names are joined by the caller.
"""

from dataclasses import dataclass
from types import MappingProxyType

from trackyard.domain.tracking.subs import SUBS

LOCAL_TIME = "toDateTime(intDiv(time, 1000), {zone:String})"
"""The moment of a row on the clocks of the asked zone."""


@dataclass(frozen=True, slots=True)
class DimensionPart:
    """One key of a slice on the wire, and the SQL over a row of `click` or `fact` that makes it, a number or a text.

    column: the one that it is made of.
    """

    key: str
    sql: str
    column: str
    kind: str = "String"


@dataclass(frozen=True, slots=True)
class Dimension:
    """A slice by name. `traffic`, `conversions`: whether clicks and facts have it
    (docs/spec/statistics.md#filters) · owner: of a
    slice by manager, the column of what it manages · many: it may have millions of values."""

    name: str
    parts: tuple[DimensionPart, ...]
    traffic: bool = True
    conversions: bool = True
    owner: str = ""
    high_cardinality: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter by name: the column it chooses from, and whether clicks have it too."""

    name: str
    column: str
    kind: str = "String"
    traffic: bool = True


_YEAR = DimensionPart("year", f"toYear({LOCAL_TIME})", "time", "Int64")
_QUARTER = DimensionPart("quarter", f"toQuarter({LOCAL_TIME})", "time", "Int64")
_MONTH = DimensionPart("month", f"toMonth({LOCAL_TIME})", "time", "Int64")
_DAY = DimensionPart("day", f"toDayOfMonth({LOCAL_TIME})", "time", "Int64")
_HOUR = DimensionPart("hour", f"toHour({LOCAL_TIME})", "time", "Int64")

NO_MANAGER = "0"
"""The key of rows whose affiliate or advertiser has no manager (docs/spec/api-conventions.md#answers)."""


def _manager(name: str, owner: str, kind: str) -> Dimension:
    """The manager of today of an affiliate or advertiser: no column, looked up in what the question brings along."""
    known = f"{{{name}_of:Array({kind})}}, {{{name}_is:Array(String)}}"
    return Dimension(
        name,
        (DimensionPart(f"{owner}_manager_id", f"transform({owner}, {known}, '{NO_MANAGER}')", owner),),
        owner=owner,
    )


def _column(name: str, column: str | None = None, kind: str = "String", *, high_cardinality: bool = False) -> Dimension:
    return Dimension(
        name, (DimensionPart(name, column or name, column or name, kind),), high_cardinality=high_cardinality
    )


DIMENSIONS = MappingProxyType(
    {
        dimension.name: dimension
        for dimension in (
            Dimension("hour", (_YEAR, _MONTH, _DAY, _HOUR)),
            Dimension("day", (_YEAR, _MONTH, _DAY)),
            Dimension("month", (_YEAR, _MONTH)),
            Dimension("quarter", (_YEAR, _QUARTER)),
            Dimension("year", (_YEAR,)),
            _column("offer", kind="Int64"),
            _column("advertiser"),
            _column("affiliate", kind="Int64"),
            _manager("manager", "affiliate", "Int64"),
            _manager("advertiser_manager", "advertiser", "String"),
            _column("smart_id"),
            _column("country"),
            _column("city"),
            _column("os"),
            _column("os_version"),
            _column("device"),
            _column("device_model"),
            _column("browser"),
            _column("browser_version"),
            _column("conn_type", "connection"),
            Dimension("mobile_carrier", (DimensionPart("isp", "isp", "isp"),)),  # the key that existing programs read
            *(_column(sub, high_cardinality=True) for sub in SUBS),
            Dimension("goal", (DimensionPart("goal", "goal", "goal"),), traffic=False),
            Dimension(
                "trafficback_reason", (DimensionPart("trafficback_reason", "reason", "reason"),), conversions=False
            ),
        )
    }
)
"""Every slice there is, by name."""

FILTERS = MappingProxyType(
    {
        chosen.name: chosen
        for chosen in (
            Filter("offer", "offer", "Int64"),
            Filter("affiliate", "affiliate", "Int64"),
            Filter("advertiser", "advertiser"),
            Filter("smart_id", "smart_id"),
            Filter("country", "country"),
            Filter("os", "os"),
            Filter("device", "device"),
            *(Filter(sub, sub) for sub in SUBS),
            Filter("goal", "goal", traffic=False),
            Filter("currency", "currency", traffic=False),
        )
    }
)
"""Every filter there is, by name. One without `traffic` chooses conversions only."""
