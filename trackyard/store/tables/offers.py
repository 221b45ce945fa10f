"""Offers, what they are filed under, who is connected to them, tickets. Times are UTC epoch milliseconds."""

from decimal import Decimal

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, String, Table, Text, text

from trackyard.domain.offers.choices import RedirectType
from trackyard.domain.offers.offers import COUNTED_STATUSES
from trackyard.store.engine.types import Amount, Document, Id24, MaybeDocument, Moment
from trackyard.store.tables.schema import metadata

_HAS_SCHEDULE = text("schedule IS NOT NULL")
_HAS_PARALLEL = text("parallel_tracking_url IS NOT NULL")

offer = Table(  # its fields are those of domain/offers/offers.py; documents hold its structs
    "offer",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("hash", Id24, nullable=False, unique=True),
    Column("advertiser_id", Id24, ForeignKey("advertiser.id"), nullable=False, index=True),
    Column("title", String(500), nullable=False),
    Column("status", String(16), nullable=False),
    Column("privacy", String(16), nullable=False),
    Column("is_top", Boolean, nullable=False, default=False),
    Column("bundle_id", String(200), nullable=False, default=""),
    Column("external_offer_id", String(200), nullable=False, default=""),
    # where it leads
    Column("url", Text, nullable=False),
    Column("url_preview", Text, nullable=True),
    Column("trafficback_url", Text, nullable=True),
    Column("macro_url", Text, nullable=True),
    Column("cross_postback_url", Text, nullable=True),
    Column("parallel_tracking_url", Text, nullable=True),
    Column("impressions_url", Text, nullable=True),
    Column("domain_id", Integer, ForeignKey("domain.id"), nullable=True),
    Column("redirect_type", String(16), nullable=False, default=RedirectType.HTTP_302),
    Column("allow_deeplink", Boolean, nullable=False, default=False),
    Column("allow_impressions", Boolean, nullable=False, default=False),
    Column("landings", Document, nullable=False, default=list),
    Column("last_number", Integer, nullable=False, default=0),
    # what it pays
    Column("payments", Document, nullable=False, default=list),
    Column("partner_payments", Document, nullable=False, default=list),
    Column("hide_payments", Boolean, nullable=False, default=False),
    Column("enabled_commission_tiers", Boolean, nullable=False, default=False),
    Column("commission_tiers", Document, nullable=False, default=list),
    Column("hold_period", Integer, nullable=False, default=0),
    Column("is_cpi", Boolean, nullable=False, default=False),
    # how much it takes
    Column("caps", Document, nullable=False, default=list),
    Column("personal_limits", Document, nullable=False, default=list),
    Column("caps_status", Document, nullable=False, default=lambda: list(COUNTED_STATUSES)),
    Column("caps_timezone", String(64), nullable=True),
    Column("caps_goal_overcap", String(255), nullable=False, default=""),
    Column("hide_caps", Boolean, nullable=False, default=False),
    Column("is_redirect_overcap", Boolean, nullable=False, default=False),
    Column("notice_percent_overcap", Integer, nullable=True),
    # whom it takes
    Column("schedule", MaybeDocument, nullable=True),
    Column("targeting", Document, nullable=False, default=list),
    Column("consider_personal_targeting_only", Boolean, nullable=False, default=False),
    Column("countries", Document, nullable=False, default=list),
    Column("strictly_country", Boolean, nullable=False, default=False),
    Column("restriction_os", Document, nullable=False, default=list),
    Column("restriction_isp", Document, nullable=False, default=list),
    Column("strictly_brands", Document, nullable=False, default=list),
    Column("strictly_devices", Document, nullable=False, default=list),
    Column("strictly_connection_type", String(16), nullable=False, default=""),
    Column("sub_restrictions", Document, nullable=False, default=list),
    Column("sub_accounts", Document, nullable=False, default=dict),
    Column("search_empty_sub", Integer, nullable=True),
    Column("uniq_ip_only", Boolean, nullable=False, default=False),
    Column("reject_not_uniq_ip", Boolean, nullable=False, default=False),
    Column("allowed_ip", Text, nullable=False, default=""),
    Column("disallowed_ip", Text, nullable=False, default=""),
    Column("hash_password", String(200), nullable=True),
    Column("click_session", String(64), nullable=False, default="1y"),
    Column("minimal_click_session", String(64), nullable=False, default="0s"),
    Column("auto_offer_connect", Boolean, nullable=False, default=False),
    # what people read
    Column("description_lang", Document, nullable=False, default=dict),
    Column("kpi", Document, nullable=False, default=dict),
    Column("notes", Text, nullable=True),
    Column("note_aff", Text, nullable=True),
    Column("note_sales", Text, nullable=True),
    Column("sources", Document, nullable=False, default=list),
    Column("categories", Document, nullable=False, default=list),
    Column("smartlink_categories", Document, nullable=False, default=list),
    Column("tags", Document, nullable=False, default=list),
    Column("logo", String(32), nullable=True),
    Column("logo_source", Text, nullable=True),
    Column("creatives", Document, nullable=False, default=list),
    Column("creatives_zip", String(32), nullable=True),
    Column("send_emails", Boolean, nullable=False, default=False),
    Column("start_at", Moment, nullable=True),
    Column("stop_at", Moment, nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    # what lists sort by, written with the fields it follows from
    Column("top_payout", Amount, nullable=False, default=Decimal(0)),  # the highest of its general payments
    Column("day_cap", Integer, nullable=True),  # the smallest cap of conversions a day
    Column("total_cap", Integer, nullable=True),  # the smallest cap of conversions at all
    # of the last 30 days, refreshed by a job
    Column("cr", Amount, nullable=False, default=Decimal(0)),
    Column("epc", Amount, nullable=False, default=Decimal(0)),
    # of the last 7 days: payouts of conversions that are not declined, a click; SmartLinks choose by it
    Column("week_epc", Amount, nullable=False, default=Decimal(0)),
    Column("removed_at", Moment, nullable=True),  # a removed offer stays for its clicks and conversions
    Index(  # all that lists choose and sort by: an offer's row is wide, and is read for the page alone
        "ix_offer_listed",
        *("removed_at", "status", "id", "privacy", "advertiser_id", "is_top", "created_at", "updated_at", "start_at"),
        *("stop_at", "cr", "epc", "top_payout", "day_cap", "total_cap", "hide_caps", "title"),
    ),
    Index("ix_offer_title", "removed_at", "status", "title", "id", "privacy"),
    Index("ix_offer_bundle_id", "bundle_id"),
    Index("ix_offer_click_session", "click_session"),
    Index("ix_offer_schedule", "id", sqlite_where=_HAS_SCHEDULE, postgresql_where=_HAS_SCHEDULE),
    Index("ix_offer_parallel", "id", sqlite_where=_HAS_PARALLEL, postgresql_where=_HAS_PARALLEL),
    sqlite_autoincrement=True,
)

offer_label = Table(  # what lists filter offers by, one row a value (kinds: domain/offers/offers.py, labels_of)
    "offer_label",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("value", String(200), primary_key=True),
    Column("offer_id", Integer, ForeignKey("offer.id"), primary_key=True, index=True),
)

source = Table(
    "source",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("title_lang", Document, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

category = Table(
    "category",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("title", String(200), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

domain = Table(  # hosts that tracking links may begin with
    "domain",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("url", String(255), nullable=False, unique=True),
    Column("use_https", Boolean, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

smartlink_category = Table(
    "smartlink_category",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("domain_id", Integer, ForeignKey("domain.id"), nullable=True),
    Column("description", Text, nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

file = Table(  # creatives and logos; the bytes lie in the data directory
    "file",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(255), nullable=False),
    Column("mime", String(64), nullable=False),
    Column("size", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
)

ticket = Table(  # an affiliate's request to join an offer
    "ticket",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("status", String(8), nullable=False),  # open | closed
    Column("decision", String(8), nullable=True),  # approve | reject
    Column("decided_by", Id24, nullable=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False, index=True),
    Column("offer_id", Integer, ForeignKey("offer.id"), nullable=False, index=True),
    Column("title", String(600), nullable=False),
    Column("description", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

connection = Table(  # an affiliate's link to an offer; enabled False = taken off by hand
    "connection",
    metadata,
    Column("offer_id", Integer, ForeignKey("offer.id"), primary_key=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), primary_key=True, index=True),
    Column("enabled", Boolean, nullable=False),
    Column("changed_at", Moment, nullable=False),
)

affiliate_postback = Table(  # offer_id NULL = global; status NULL = any; goal NULL = any
    "affiliate_postback",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False, index=True),
    Column("offer_id", Integer, ForeignKey("offer.id"), nullable=True),
    Column("url", Text, nullable=False),
    Column("status", String(16), nullable=True),
    Column("goal", String(255), nullable=True),
    Column("forced", Boolean, nullable=False, default=False),
    Column("dead_in_row", Integer, nullable=False, default=0),  # calls that ended dead since the last that was taken
    Column("paused_at", Moment, nullable=True),  # since when its calls wait
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

pixel = Table(  # an affiliate's code that visitors' browsers get when they convert
    "pixel",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False),
    Column("offer_id", Integer, ForeignKey("offer.id"), nullable=False),
    Column("name", String(200), nullable=False),
    Column("code", Text, nullable=False),
    Column("code_type", String(16), nullable=False),  # javascript | iframe | image
    Column("is_active", Boolean, nullable=False),
    Column("moderation_status", Integer, nullable=False),  # 0 waits | 1 accepted | 2 refused
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Index("ix_pixel_affiliate_id_offer_id", "affiliate_id", "offer_id"),
    sqlite_autoincrement=True,
)
