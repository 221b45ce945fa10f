"""The plain fields of an offer, declared once (docs/adding-a-field.md).

A plain field has one value, which is stored, sent and shown as it is. Its parameter, the fields of answers, the column
and its place in the form of the console derive from `PlainFields`. Fields with parts of their own are in `Offer`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Final

import msgspec

from trackyard.base.plain_fields import DeclaredField, PlainField, declared_fields
from trackyard.domain.offers.choices import (
    CallMethod,
    ClickSigning,
    Freshness,
    HoldUnit,
    HostUniqueness,
    QualityMode,
)


class Viewers(Enum):
    """The callers that see a field, in addition to staff.

    CARD: affiliates that open the offer. LISTS: affiliates, also in lists of offers.
    """

    STAFF = "staff"
    CARD = "card"
    LISTS = "lists"


class OfferGroup(Enum):
    """A group of the form of an offer in the console."""

    GENERAL = "general"
    PAYING = "paying"
    CAPS = "caps"
    VISITORS = "visitors"
    LINKS = "links"
    CONVERSIONS = "conversions"
    TEXTS = "texts"
    LABELS = "labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferField(PlainField):
    """The declaration of a plain field of an offer.

    group: its group of the form.
    viewers: the callers that see it.
    """

    group: OfferGroup = OfferGroup.LABELS
    viewers: Viewers = Viewers.STAFF


class PlainFields(msgspec.Struct, frozen=True, kw_only=True):
    """The plain fields of an offer, in the order of documents where `after` does not say otherwise.

    docs/spec/offers.md#defaults lists the defaults, which the API uses too.
    """

    strictly_country: Annotated[
        bool,
        OfferField(
            group=OfferGroup.VISITORS, viewers=Viewers.CARD, is_number=True, after="countries", answer_after="landings"
        ),
    ] = False
    search_empty_sub: Annotated[
        int | None,
        OfferField(
            text="Number N of a sub that links must fill: a click with an empty subN is rejected as empty-sub. "
            "Empty needs none.",
            group=OfferGroup.VISITORS,
            viewers=Viewers.CARD,
            least=1,
            most=8,
            after="sub_restrictions",
            answer_after="hide_caps",
        ),
    ] = None
    duplicate_clicks_threshold: Annotated[
        int,
        OfferField(
            text="Clicks of one visitor, by IP address and user agent, that the offer accepts on a day of "
            "caps_timezone. Further ones are rejected as duplicate-clicks. 0 accepts all.",
            group=OfferGroup.VISITORS,
            most=100,
            after="reject_not_uniq_ip",
        ),
    ] = 0
    host_uniqueness_type: Annotated[
        HostUniqueness,
        OfferField(
            text="What a visitor of the offer is known by: cookie for IP address, user agent and cookie, sub3 for"
            " the value of sub3. uniqIpOnly wins over it.",
            after="duplicate_clicks_threshold",
        ),
    ] = HostUniqueness.COOKIE
    hosts_only: Annotated[
        bool,
        OfferField(
            text="Whether statistics count a visitor's click only once in 24 hours. Other clicks of the visitor "
            "pass and can convert.",
            viewers=Viewers.LISTS,
            after="host_uniqueness_type",
        ),
    ] = False
    one_conversion_per_click: Annotated[
        bool,
        OfferField(
            text="Whether a click counts once for a goal: further conversions are recorded as declined, with the "
            "reason Repeated conversion.",
            group=OfferGroup.CONVERSIONS,
            viewers=Viewers.CARD,
            after="hosts_only",
        ),
    ] = False
    pixels: Annotated[
        bool,
        OfferField(
            text="Whether pages may report conversions of this offer by a pixel. Off, pixels answer as ever and "
            "the server postback log has the fault Pixels are disabled.",
            group=OfferGroup.CONVERSIONS,
            after="one_conversion_per_click",
        ),
    ] = True
    cross_postback_method: Annotated[
        CallMethod,
        OfferField(
            text="How cross_postback_url is called: get, or post with cross_postback_body.",
            group=OfferGroup.LINKS,
            after="cross_postback_url",
        ),
    ] = CallMethod.GET
    cross_postback_body: Annotated[
        str | None,
        OfferField(
            text="Body of the request with post, with macros of postbacks. A body that begins with { or [ is sent"
            " as JSON, any other as a form. Required with cross_postback_method post.",
            group=OfferGroup.LINKS,
            longest=20_000,
            after="cross_postback_method",
        ),
    ] = None
    redirect_param: Annotated[
        str,
        OfferField(
            text="Kept for programs that write it. It decides nothing.",
            label="Parameter of the redirect",
            after="tracking_domain",
        ),
    ] = ""
    sign_clicks_integration: Annotated[
        ClickSigning,
        OfferField(
            text="Kept for programs that write it: no_sign, appsflyer or kochava. Clicks are not signed.",
            label="Signing of clicks",
            after="redirect_param",
        ),
    ] = ClickSigning.NONE
    allow_deeplink: Annotated[
        bool,
        OfferField(
            text="Whether a link may choose the page of the target with path= or redirect=. The host must be the "
            "host of the offer's URL, its preview or a landing page.",
            group=OfferGroup.LINKS,
            viewers=Viewers.CARD,
            is_number=True,
            after="hide_referer",
            answer_after="hash_password",
        ),
    ] = False
    allow_impressions: Annotated[
        bool,
        OfferField(
            text="Whether requests to /imp are counted as views of this offer.",
            group=OfferGroup.LINKS,
            viewers=Viewers.CARD,
            after="allow_deeplink",
            answer_after="search_empty_sub",
        ),
    ] = False
    hide_payments: Annotated[
        bool,
        OfferField(
            text="Hides payments and commission tiers of this offer from affiliates. They are paid all the same.",
            group=OfferGroup.PAYING,
            viewers=Viewers.CARD,
            after="partner_payments",
            answer_after="bundle_id",
        ),
    ] = False
    enabled_commission_tiers: Annotated[
        bool,
        OfferField(
            text="Switches the commission tiers on. Off, they are kept and change nothing.",
            group=OfferGroup.PAYING,
            viewers=Viewers.CARD,
            after="commission_tiers",
            answer_after="personal_limits",
        ),
    ] = False
    hold_period: Annotated[
        int,
        OfferField(
            text="Days, or with hold_type hours the hours, for which a confirmed conversion stays on hold before "
            "it can be paid, counted from its creation. 0 confirms at once.",
            group=OfferGroup.PAYING,
            viewers=Viewers.LISTS,
            most=60,
            after="enabled_commission_tiers",
            answer_after="notice_percent_overcap",
        ),
    ] = 0
    hold_type: Annotated[
        HoldUnit,
        OfferField(
            text="Unit of hold_period: days or hours.",
            group=OfferGroup.PAYING,
            viewers=Viewers.LISTS,
            after="hold_period",
        ),
    ] = HoldUnit.DAYS
    quality: Annotated[
        QualityMode,
        OfferField(
            text="What is done with conversions that have a suspicious signal, as one of their click: count does "
            "nothing, mark writes it into the comment, hold also puts confirmed ones on hold until staff "
            "release them, reject declines new ones.",
            group=OfferGroup.CONVERSIONS,
            after="hold_type",
        ),
    ] = QualityMode.COUNT
    caps_goal_overcap: Annotated[
        str,
        OfferField(
            text="Goal value: with is_redirect_overcap only the caps of this goal reject clicks. Empty means that"
            " every cap does.",
            group=OfferGroup.CAPS,
            viewers=Viewers.CARD,
            longest=255,
            after="caps_timezone",
            answer_after="caps_status",
        ),
    ] = ""
    hide_caps: Annotated[
        bool,
        OfferField(
            text="Hides caps from affiliates. They count all the same.",
            group=OfferGroup.CAPS,
            viewers=Viewers.CARD,
            is_number=True,
            after="caps_goal_overcap",
        ),
    ] = False
    is_redirect_overcap: Annotated[
        bool,
        OfferField(
            text="Whether a full cap also rejects clicks, with the reason overcap, while its period lasts. Off, "
            "only conversions are declined.",
            group=OfferGroup.CAPS,
            viewers=Viewers.CARD,
            after="hide_caps",
            answer_after="strictly_connection_type",
        ),
    ] = False
    is_impression_overcap: Annotated[
        bool,
        OfferField(
            text="Whether a full cap of clicks also rejects impressions, with is_redirect_overcap.",
            group=OfferGroup.CAPS,
            after="is_redirect_overcap",
        ),
    ] = False
    notice_percent_overcap: Annotated[
        int | None,
        OfferField(
            group=OfferGroup.CAPS, viewers=Viewers.CARD, most=100, is_number=True, after="is_impression_overcap"
        ),
    ] = None
    notes: Annotated[
        str | None,
        OfferField(
            text="Remarks of staff about the offer. Affiliates never see them.",
            group=OfferGroup.TEXTS,
            longest=20_000,
            after="kpi",
            answer_after="epc",
        ),
    ] = None
    note_aff: Annotated[
        str | None,
        OfferField(
            text="Remarks for colleagues who look after affiliates. Affiliates never see them.",
            group=OfferGroup.TEXTS,
            longest=20_000,
            after="notes",
        ),
    ] = None
    note_sales: Annotated[
        str | None,
        OfferField(
            text="Remarks for colleagues who look after advertisers. Affiliates never see them.",
            group=OfferGroup.TEXTS,
            longest=20_000,
            after="note_aff",
        ),
    ] = None
    freshness: Annotated[
        Freshness,
        OfferField(
            text="Label of how new the offer is: default, old, fresh or exclusive. It decides nothing.",
            group=OfferGroup.GENERAL,
            after="managers",
        ),
    ] = Freshness.DEFAULT
    is_top: Annotated[
        bool,
        OfferField(
            text="Marks the offer as one to show first. It changes no decision; lists can be filtered and sorted "
            "by it.",
            group=OfferGroup.GENERAL,
            viewers=Viewers.CARD,
            is_number=True,
            after="freshness",
        ),
    ] = False
    is_cpi: Annotated[
        bool,
        OfferField(
            text="Marks an offer that pays for installations of an app. A label for people and programs; it "
            "changes no decision.",
            viewers=Viewers.LISTS,
            after="is_top",
            answer_after="required_approval",
        ),
    ] = False
    auto_offer_connect: Annotated[
        bool,
        OfferField(
            text="Connects an affiliate to a protected offer when the affiliate first sees it, and at once when "
            "it asks to join. It does not undo a disconnect by staff.",
            viewers=Viewers.CARD,
            is_number=True,
            after="is_cpi",
            answer_after="send_emails",
        ),
    ] = False
    external_offer_id: Annotated[
        str,
        OfferField(
            text="Identifier of the offer in the advertiser's own system. A note that nothing is decided by; "
            "affiliates never see it.",
            after="auto_offer_connect",
            answer_after="advertiser",
        ),
    ] = ""
    bundle_id: Annotated[
        str,
        OfferField(
            text="Identifier of the app in its store, such as com.example.game. Lists can be filtered by it; "
            "affiliates never see it.",
            after="external_offer_id",
        ),
    ] = ""
    send_emails: Annotated[
        bool,
        OfferField(
            text="Whether an edit sends a mail about the change to the connected affiliates.",
            viewers=Viewers.CARD,
            after="smartlink_categories",
            answer_after="stop_at",
        ),
    ] = False
    skad_app_id: Annotated[
        str,
        OfferField(
            text="Number of the app in SKAdNetwork. A note that decides nothing.",
            label="App in SKAdNetwork",
            after="send_emails",
            answer_after="targeting",
        ),
    ] = ""
    product_feed_id: Annotated[
        str,
        OfferField(
            text="Identifier of the product feed of the offer; GET /3.1/admin/product-feeds lists them. "
            "Affiliates that may run the offer get its products.",
            viewers=Viewers.CARD,
            after="skad_app_id",
        ),
    ] = ""


DECLARED: Final[Mapping[str, DeclaredField[OfferField]]] = MappingProxyType(declared_fields(PlainFields, OfferField))
"""The plain fields by name, in the order in which they are declared."""
