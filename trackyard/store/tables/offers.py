"""Tables of offers, their groups, files, connections, tickets, postbacks and pixels.

Times are UTC epoch milliseconds.
"""

from decimal import Decimal

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, String, Text, false, text

from trackyard.domain.offers.choices import RedirectType
from trackyard.domain.offers.fields import DECLARED
from trackyard.domain.offers.offers import COUNTED_STATUSES
from trackyard.store.engine.types import Amount, Document, Id24, MaybeDocument, Moment
from trackyard.store.tables.plain_columns import add_plain_columns
from trackyard.store.tables.schema import columns, table

_HAS_SCHEDULE = text("schedule IS NOT NULL")
_HAS_PARALLEL = text("parallel_tracking_url IS NOT NULL")

offer = (
    table(  # its fields are declared in domain/offers/offers.py; documents hold its structs. Plain fields follow below
        "offer",
        Column("id", Integer, primary_key=True, autoincrement=True),
        Column("hash", Id24, nullable=False, unique=True),
        Column("advertiser_id", Id24, ForeignKey("advertiser.id"), nullable=False, index=True),
        Column("title", String(500), nullable=False),
        *columns(String(16), "status", "privacy", nullable=False),
        Column("is_top", Boolean, nullable=False, default=False),
        *columns(String(200), "bundle_id", "external_offer_id", nullable=False, default=""),
        # targets
        Column("url", Text, nullable=False),
        *columns(Text, "url_preview", "trafficback_url", "macro_url", "cross_postback_url", nullable=True),
        *columns(Text, "parallel_tracking_url", "impressions_url", nullable=True),
        Column("additional_impression_destination_urls", Document, nullable=False, server_default=text("'[]'")),
        Column("domain_id", Integer, ForeignKey("domain.id"), nullable=True),
        Column("redirect_type", String(16), nullable=False, default=RedirectType.HTTP_302),
        *columns(Boolean, "allow_deeplink", "allow_impressions", nullable=False, default=False),
        Column("landings", Document, nullable=False, default=list),
        Column("last_number", Integer, nullable=False, default=0),
        # payments
        *columns(Document, "payments", "partner_payments", nullable=False, default=list),
        *columns(Boolean, "hide_payments", "enabled_commission_tiers", nullable=False, default=False),
        Column("commission_tiers", Document, nullable=False, default=list),
        Column("hold_period", Integer, nullable=False, default=0),
        Column("is_cpi", Boolean, nullable=False, default=False),
        # caps
        *columns(Document, "caps", "personal_limits", nullable=False, default=list),
        Column("caps_status", Document, nullable=False, default=lambda: list(COUNTED_STATUSES)),
        Column("caps_timezone", String(64), nullable=True),
        Column("caps_goal_overcap", String(255), nullable=False, default=""),
        *columns(Boolean, "hide_caps", "is_redirect_overcap", nullable=False, default=False),
        # targeting and uniqueness
        Column("schedule", MaybeDocument, nullable=True),
        Column("targeting", Document, nullable=False, default=list),
        Column("consider_personal_targeting_only", Boolean, nullable=False, default=False),
        Column("countries", Document, nullable=False, default=list),
        Column("strictly_country", Boolean, nullable=False, default=False),
        *columns(Document, "restriction_os", "restriction_isp", "strictly_brands", nullable=False, default=list),
        Column("strictly_devices", Document, nullable=False, default=list),
        Column("strictly_connection_type", String(16), nullable=False, default=""),
        Column("sub_restrictions", Document, nullable=False, default=list),
        Column("sub_accounts", Document, nullable=False, default=dict),
        *columns(Boolean, "uniq_ip_only", "reject_not_uniq_ip", nullable=False, default=False),
        Column("pixel_pages", Document, nullable=False, server_default=text("'[]'")),
        Column("pixel_code", String(40), nullable=False, server_default=""),
        *columns(Text, "allowed_ip", "disallowed_ip", nullable=False, default=""),
        Column("hash_password", String(200), nullable=True),
        Column("click_session", String(64), nullable=False, default="1y"),
        Column("minimal_click_session", String(64), nullable=False, default="0s"),
        Column("auto_offer_connect", Boolean, nullable=False, default=False),
        Column("privacy_level", Integer, nullable=True),
        # texts, groups and files
        *columns(Document, "description_lang", "kpi", nullable=False, default=dict),
        *columns(Document, "sources", "categories", "smartlink_categories", "tags", nullable=False, default=list),
        *columns(Document, "managers", "macros_replacement_enabled", nullable=False, server_default=text("'[]'")),
        Column("macros_replacement", Document, nullable=False, server_default=text("'{}'")),
        Column("logo", String(32), nullable=True),
        Column("logo_source", Text, nullable=True),
        Column("creatives", Document, nullable=False, default=list),
        Column("creatives_zip", String(32), nullable=True),
        Column("send_emails", Boolean, nullable=False, default=False),
        *columns(Moment, "start_at", "stop_at", nullable=True),
        *columns(Moment, "created_at", "updated_at", nullable=False),
        # sort keys of lists, written with the fields that they are computed from
        Column("top_payout", Amount, nullable=False, default=Decimal(0)),  # its highest general payment
        Column("day_cap", Integer, nullable=True),  # the smallest cap of conversions a day
        Column("total_cap", Integer, nullable=True),  # the smallest cap of conversions at all
        # of the last 30 days, refreshed by a job
        *columns(Amount, "cr", "epc", nullable=False, default=Decimal(0)),
        # payouts of conversions that are not declined per click, over the last 7 days; SmartLinks choose by it
        Column("week_epc", Amount, nullable=False, default=Decimal(0)),
        Column("removed_at", Moment, nullable=True),  # a removed offer stays for its clicks and conversions
        Index(  # every column that lists filter and sort by, so that wide rows are read for one page only
            "ix_offer_listed",
            *(
                "removed_at",
                "status",
                "id",
                "privacy",
                "advertiser_id",
                "is_top",
                "created_at",
                "updated_at",
                "start_at",
            ),
            *("stop_at", "cr", "epc", "top_payout", "day_cap", "total_cap", "hide_caps", "title"),
            "hide_payments",
        ),
        Index("ix_offer_title", "removed_at", "status", "title", "id", "privacy"),
        Index("ix_offer_bundle_id", "bundle_id"),
        Index("ix_offer_click_session", "click_session"),
        Index("ix_offer_schedule", "id", sqlite_where=_HAS_SCHEDULE, postgresql_where=_HAS_SCHEDULE),
        Index("ix_offer_parallel", "id", sqlite_where=_HAS_PARALLEL, postgresql_where=_HAS_PARALLEL),
    )
)


add_plain_columns(offer, DECLARED)

offer_label = table(  # values that lists filter offers by, one per row (domain/offers/offers.py, labels_of)
    "offer_label",
    Column("kind", String(16), primary_key=True),
    Column("value", String(200), primary_key=True),
    Column("offer_id", Integer, ForeignKey("offer.id"), primary_key=True, index=True),
)

source = table(
    "source",
    Column("id", Id24, primary_key=True),
    Column("title_lang", Document, nullable=False),
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

category = table(
    "category",
    Column("id", Id24, primary_key=True),
    Column("title", String(200), nullable=False),
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

domain = table(  # hosts that tracking links may begin with
    "domain",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("url", String(255), nullable=False, unique=True),
    Column("use_https", Boolean, nullable=False),
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

smartlink_category = table(
    "smartlink_category",
    Column("id", Id24, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("domain_id", Integer, ForeignKey("domain.id"), nullable=True),
    Column("description", Text, nullable=True),
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

file = table(  # creatives, logos and files of threads; the data directory holds the bytes
    "file",
    Column("id", String(32), primary_key=True),
    Column("name", String(255), nullable=False),
    Column("mime", String(64), nullable=False),
    Column("size", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("is_private", Boolean, nullable=False, server_default=false()),  # served to links with a key alone
)

ticket = table(  # an affiliate's request to join an offer, or its question
    "ticket",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("status", String(8), nullable=False),  # open | closed
    Column("decision", String(8), nullable=True),  # approve | reject
    Column("decided_by", Id24, nullable=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False, index=True),
    Column("offer_id", Integer, ForeignKey("offer.id"), nullable=True, index=True),  # NULL = a question
    Column("title", String(600), nullable=False),
    Column("description", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),  # why it was rejected
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Column("smartlink_id", Id24, nullable=True),  # that it asks for; NULL = for the offer
    Column("answers", Document, nullable=False, server_default=text("'[]'")),  # of staff, the oldest first
    Column("type", String(20), nullable=False, server_default="offer"),  # a TicketType
)

connection = table(  # an affiliate's link to an offer; enabled False = disconnected by hand
    "connection",
    Column("offer_id", Integer, ForeignKey("offer.id"), primary_key=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), primary_key=True, index=True),
    Column("enabled", Boolean, nullable=False),
    Column("changed_at", Moment, nullable=False),
)

affiliate_postback = table(  # offer_id NULL = global; status NULL = any; goal NULL = any
    "affiliate_postback",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False, index=True),
    Column("offer_id", Integer, ForeignKey("offer.id"), nullable=True),
    Column("url", Text, nullable=False),
    Column("status", String(16), nullable=True),
    Column("goal", String(255), nullable=True),
    Column("forced", Boolean, nullable=False, default=False),
    Column("dead_in_row", Integer, nullable=False, default=0),  # dead deliveries since the last one that was sent
    Column("paused_at", Moment, nullable=True),  # the time since when its deliveries wait
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

product_feed = table(  # a list of products that offers name by product_feed_id
    "product_feed",
    Column("id", Id24, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("items", Integer, nullable=False),
    *columns(Moment, "items_at", "created_at", "updated_at", nullable=False),
    # where its file is read; "" = staff send it
    *columns(Text, "url", "last_error", nullable=False, server_default=""),
    Column("refresh_hours", Integer, nullable=False, server_default="24"),
    *columns(Moment, "next_read_at", "claimed_until", "last_read_at", nullable=True),
    *columns(String(300), "etag", "modified", nullable=False, server_default=""),
)

product_item = table(  # a product of a feed; all of a feed are replaced at once
    "product_item",
    Column("id", Id24, primary_key=True),
    Column("feed_id", Id24, ForeignKey("product_feed.id"), nullable=False),
    Column("place", Integer, nullable=False),
    *columns(String(200), "sku", "brand", "brand_sku", "category", "subcategory", nullable=False),
    Column("name", String(500), nullable=False),
    *columns(Text, "url", "image_url", "description", nullable=False),
    Column("price", String(30), nullable=False),
    Column("currency", String(3), nullable=False),
    Column("availability", String(50), nullable=False),
    Index("ix_product_item_feed_id_place", "feed_id", "place", unique=True),
)

ad_cost = table(  # what staff paid for an affiliate's clicks on an offer, on a day, with a value of sub8
    "ad_cost",
    Column("offer_id", Integer, ForeignKey("offer.id"), primary_key=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), primary_key=True, index=True),
    Column("day", String(10), primary_key=True, index=True),  # YYYY-MM-DD
    Column("sub8", String(500), primary_key=True),
    Column("cost", Amount, nullable=False),  # in the platform's currency
    Column("updated_at", Moment, nullable=False),
)

promo_code = table(  # codes that visitors name to an advertiser; each is of one affiliate and offer
    "promo_code",
    Column("id", Id24, primary_key=True),
    Column("code", String(36), nullable=False),
    Column("folded", String(36), nullable=False, unique=True),  # the code without letter case
    Column("description", String(130), nullable=False),
    Column("offer_id", Integer, ForeignKey("offer.id"), nullable=False, index=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False, index=True),
    Column("usage_limit", Integer, nullable=True),
    *columns(Moment, "date_from", "date_to", "created_at", "updated_at", nullable=False),
)

pixel = table(  # an affiliate's code that visitors' browsers get when they convert
    "pixel",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False),
    Column("offer_id", Integer, ForeignKey("offer.id"), nullable=False),
    Column("name", String(200), nullable=False),
    Column("code", Text, nullable=False),
    Column("code_type", String(16), nullable=False),  # javascript | iframe | image
    Column("is_active", Boolean, nullable=False),
    Column("moderation_status", Integer, nullable=False),  # 0 waits | 1 accepted | 2 refused
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Index("ix_pixel_affiliate_id_offer_id", "affiliate_id", "offer_id"),
)
