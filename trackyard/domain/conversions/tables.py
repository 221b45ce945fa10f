"""The columns that files of conversions have (docs/spec/platform.md#tables)."""

from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.conversions.postbacks import CUSTOM_FIELDS
from trackyard.domain.platform.tables.forms import FileColumn, TableForm
from trackyard.domain.platform.tables.grids import Limits
from trackyard.domain.platform.tables.kinds import amounts, ids, statuses, texts, whole_numbers

CLICK_ID_NAMES: Final = ("clickid", "click")
ACTION_ID_NAMES: Final = ("actionid", "order_id", "orderid", "order")
GOAL_NAMES: Final = ("event", "goal_id", "goal_value")
STATUS_NAMES: Final = ("state", "conversion_status")
OFFER_NAMES: Final = ("offer_id", "offer", "offerid", "offer_number")
AFFILIATE_NAMES: Final = ("affiliate_id", "affiliate", "pid", "partner", "partner_id", "affiliate_number")
DAY_NAMES: Final = ("date", "day")
_TIME_NAMES: Final = (
    *DAY_NAMES,
    *("time", "datetime", "date_time", "timestamp", "created", "created_at", "created_on", "conversion_date"),
    *("conversion_time", "order_date", "order_time", "date_created", "event_time", "дата", "время"),
)
_CUSTOM_LABELS: Final = (
    lazy_gettext("Custom field 1"),
    lazy_gettext("Custom field 2"),
    lazy_gettext("Custom field 3"),
    lazy_gettext("Custom field 4"),
    lazy_gettext("Custom field 5"),
    lazy_gettext("Custom field 6"),
    lazy_gettext("Custom field 7"),
)
IMPORT: Final = TableForm(
    columns=(
        FileColumn("offer", lazy_gettext("Offer number"), whole_numbers, OFFER_NAMES),
        FileColumn("pid", lazy_gettext("Affiliate number"), whole_numbers, AFFILIATE_NAMES),
        FileColumn("action_id", lazy_gettext("Action ID"), ids, (*ACTION_ID_NAMES, "conversion_id", "transaction_id")),
        FileColumn("click_id", lazy_gettext("Click ID"), ids, CLICK_ID_NAMES),
        FileColumn("goal", lazy_gettext("Goal"), whole_numbers, GOAL_NAMES),
        FileColumn("country", lazy_gettext("Country"), texts, ("country_code", "geo")),
        FileColumn("sum", lazy_gettext("Sum"), amounts, ("amount", "price", "order_sum")),
        FileColumn("revenue", lazy_gettext("Charge"), amounts, ("charge",)),
        FileColumn("payouts", lazy_gettext("Payout"), amounts, ("payout",)),
        FileColumn("status", lazy_gettext("Status"), statuses({}), STATUS_NAMES),
        FileColumn("comment", lazy_gettext("Comment"), texts),
        FileColumn("ip", lazy_gettext("Visitor's IP address"), texts),
        FileColumn("ua", lazy_gettext("Visitor's browser"), texts, ("useragent", "user_agent")),
        *(
            FileColumn(f"custom_field_{number}", label, ids)
            for number, label in zip(CUSTOM_FIELDS, _CUSTOM_LABELS, strict=True)
        ),
    ),
    needed=("offer", "pid"),
    limits=Limits(most_bytes=512 * 1024, most_rows=1000),
    unused=dict.fromkeys(
        _TIME_NAMES,
        lazy_gettext("an import makes conversions at the time of the import, not at a time of the file."),
    ),
)
"""Imports of conversions by staff."""
