"""The form of an offer: its parameters by group (docs/spec/console.md#offers)."""

from dataclasses import replace
from typing import Final

from trackyard.api.offers import offers
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.forms import PLATFORM_CURRENCY, FormField, FormGroup, FormPlan, FormRows
from trackyard.console.forms.plain import names_in, plain_form_fields
from trackyard.console.offers_shown.words import PRIVACIES, STATUSES
from trackyard.console.staff.offers.lines import HourLines, SubLines
from trackyard.domain.offers.choices import LANGUAGES
from trackyard.domain.offers.fields import DECLARED, OfferGroup
from trackyard.domain.tracking.subs import SUBS

_LANGUAGE_NAMES: Final = {
    "en": lazy_gettext("English"),
    "ru": lazy_gettext("Russian"),
    "es": lazy_gettext("Spanish"),
    "ka": lazy_gettext("Georgian"),
    "vi": lazy_gettext("Vietnamese"),
}
_LANGUAGES: Final = sorted(LANGUAGES, key=list(_LANGUAGE_NAMES).index)
DEVICES: Final = (
    ("desktop", lazy_gettext("Computer")),
    ("mobile", lazy_gettext("Phone")),
    ("tablet", lazy_gettext("Tablet")),
    ("tv", lazy_gettext("TV")),
    ("console", lazy_gettext("Game console")),
    ("ereader", lazy_gettext("E-reader")),
    ("smartwatch", lazy_gettext("Watch")),
    ("mediahub", lazy_gettext("Media hub")),
)
_SPREAD: Final = {
    "all": lazy_gettext("All together"),
    "each": lazy_gettext("Each by itself"),
    "exact": lazy_gettext("The listed ones"),
}
_PAYMENT_TYPES: Final = {
    "fixed": lazy_gettext("Amount"),
    "percent": lazy_gettext("Share of the sum"),
    "mixed": lazy_gettext("Share and amount"),
}
_COUNTED: Final = {
    "conversions": lazy_gettext("Conversions"),
    "clicks": lazy_gettext("Clicks"),
    "budget": lazy_gettext("Budget"),
}
_PERIODS: Final = {
    "hour": lazy_gettext("An hour"),
    "day": lazy_gettext("A day"),
    "week": lazy_gettext("A week"),
    "month": lazy_gettext("A month"),
    "total": lazy_gettext("In all"),
}

_HOLD_UNITS: Final = {"days": lazy_gettext("Days"), "hours": lazy_gettext("Hours")}
_FRESHNESS: Final = {
    "default": lazy_gettext("No label"),
    "old": lazy_gettext("Old"),
    "fresh": lazy_gettext("Fresh"),
    "exclusive": lazy_gettext("Exclusive"),
}
_QUALITY: Final = {
    "count": lazy_gettext("Count it"),
    "mark": lazy_gettext("Count and mark it"),
    "hold": lazy_gettext("Put it on hold"),
    "reject": lazy_gettext("Decline it"),
}
_SIGNING: Final = {"no_sign": lazy_gettext("None"), "appsflyer": "AppsFlyer", "kochava": "Kochava"}
_HOURS_HELP: Final = lazy_gettext("A day a line, with its first and last hours: Monday: 9-17, 20-2.")

_PAYMENT: Final = (
    FormField("goal", required=True, help=""),
    FormField("title", label=lazy_gettext("Name of the goal"), help=""),
    FormField("countries", help=lazy_gettext("Such as GB, IE. None means all.")),
    FormField("total", label=lazy_gettext("Charge"), required=True, help=""),
    FormField("revenue", label=lazy_gettext("Payout"), required=True, help=""),
    FormField("type", label=lazy_gettext("Paid as"), words=_PAYMENT_TYPES, help=""),
    FormField("currency", initial=PLATFORM_CURRENCY, required=True, help=""),
)
_PAYMENT_MORE: Final = (
    FormField("country_exclude", label=lazy_gettext("All countries but these")),
    FormField("cities"),
    FormField("with_regions"),
    FormField("devices"),
    FormField("os"),
    FormField("goal_alias"),
    FormField("url"),
    *(FormField(name, help="") for name in SUBS),
)
_CAP: Final = (
    FormField("type", label=lazy_gettext("Of"), words=_COUNTED, help=""),
    FormField("period", label=lazy_gettext("In"), words=_PERIODS, help=""),
    FormField("value", label=lazy_gettext("At most"), help=""),
    FormField("goal_type", label=lazy_gettext("Goals"), words=_SPREAD, help=""),
    FormField("affiliate_type", label=lazy_gettext("Affiliates"), words=_SPREAD, help=""),
    FormField("country_type", label=lazy_gettext("Countries"), words=_SPREAD, help=""),
    FormField("goals", label=lazy_gettext("These goals"), help=""),
    FormField("affiliates", label=lazy_gettext("These affiliates"), help=lazy_gettext("Numbers of affiliates.")),
    FormField("country", label=lazy_gettext("These countries"), help=""),
)
_TIER: Final = (
    FormField("timeframe", label=lazy_gettext("In"), words=_PERIODS, help=""),
    FormField("type", label=lazy_gettext("From so many"), words=_COUNTED, help=""),
    FormField("value", label=lazy_gettext("Number or amount"), help=""),
    FormField("modifier_type", label=lazy_gettext("Change"), help=""),
    FormField("modifier_value", label=lazy_gettext("By or to"), help=""),
    FormField("modifier_payment_type", label=lazy_gettext("Changes"), help=""),
    FormField("goals", label=lazy_gettext("Counted goals"), help=""),
    FormField("target_goals", label=lazy_gettext("Changed goals"), help=""),
    FormField("affiliate_type", label=lazy_gettext("Affiliates"), words=_SPREAD, help=""),
    FormField("affiliates", label=lazy_gettext("These affiliates"), help=""),
    FormField("countries", help=""),
    FormField("conversion_status", label=lazy_gettext("Counted statuses"), help=""),
)

_GENERAL: Final = FormGroup(
    lazy_gettext("General"),
    (
        FormField("title"),
        FormField("advertiser", help=lazy_gettext("It pays for the conversions. Affiliates never see it.")),
        FormField("url", label=lazy_gettext("Target URL"), wide=True),
        FormField("status", words=STATUSES),
        FormField("privacy", label=lazy_gettext("Visibility"), words=PRIVACIES),
        FormField("categories", help=""),
        FormField("sources", label=lazy_gettext("Traffic that it accepts"), help=""),
        FormField("tags"),
        FormField("is_top", label=lazy_gettext("Top offer")),
        FormField("freshness", words=_FRESHNESS, help=""),
    ),
)
_PAYOUTS: Final = FormGroup(
    lazy_gettext("Payouts"), (FormRows("payments", lazy_gettext("Payment"), _PAYMENT, _PAYMENT_MORE),)
)
PERSONAL_ROWS: Final = FormRows(
    "partner_payments",
    lazy_gettext("Personal payment"),
    (FormField("partners", required=True, help=lazy_gettext("Numbers of affiliates.")), *_PAYMENT),
    _PAYMENT_MORE,
)
_PERSONAL: Final = FormGroup(lazy_gettext("Personal payouts"), (PERSONAL_ROWS,), folded=True)
_PAYING: Final = FormGroup(
    lazy_gettext("Hold and tiers"),
    (
        FormField("hold_period"),
        FormField("hold_type", words=_HOLD_UNITS),
        FormField("hide_payments"),
        FormField("enabled_commission_tiers"),
        FormRows("commission_tiers", lazy_gettext("Commission tier"), _TIER),
    ),
    folded=True,
)
_CAPS: Final = FormGroup(
    lazy_gettext("Caps"),
    (
        FormRows("caps", lazy_gettext("Cap"), _CAP),
        FormRows(
            "personal_limits",
            lazy_gettext("Personal limit"),
            (FormField("partner", help=""), FormField("caps", label=lazy_gettext("Conversions a day"), help="")),
        ),
        FormField("caps_status"),
        FormField("caps_timezone"),
        FormField("is_redirect_overcap"),
        FormField("is_impression_overcap"),
        FormField("caps_goal_overcap"),
        FormField("hide_caps"),
        FormField("notice_percent_overcap"),
    ),
    folded=True,
)
_VALUES: Final = {"1": lazy_gettext("Values of sub1"), "2": lazy_gettext("Values of sub2")}
_OTHERS: Final = {"1": lazy_gettext("All values of sub1 but these"), "2": lazy_gettext("All values of sub2 but these")}
_SUB_VALUES: Final = tuple(
    field
    for number in _VALUES
    for field in (
        FormField(f"sub_account_{number}", _VALUES[number], widget="text", read=f"sub_accounts[{number}][value]"),
        FormField(f"sub_account_{number}_except", _OTHERS[number], read=f"sub_accounts[{number}][except]"),
    )
)
_VISITORS: Final = FormGroup(
    lazy_gettext("Who gets through"),
    (
        FormField("countries", help=lazy_gettext("Two letters each, such as GB, IE.")),
        FormField("strictly_country", label=lazy_gettext("Reject all other countries")),
        FormField("strictly_devices"),
        FormField(
            "strictly_connection_type",
            words={"": lazy_gettext("Any"), "wi-fi": lazy_gettext("Wi-Fi"), "cellular": lazy_gettext("Cellular")},
        ),
        FormField("strictly_brands"),
        FormField("search_empty_sub"),
        FormField("uniqIpOnly", read="uniq_ip_only"),
        FormField("rejectNotUniqIp", read="reject_not_uniq_ip"),
        FormField("duplicate_clicks_threshold"),
        FormField("consider_personal_targeting_only"),
        *_SUB_VALUES,
        FormRows("restriction_os", lazy_gettext("Operating system"), (FormField("os"), FormField("versions"))),
        FormRows("restriction_isp", lazy_gettext("Provider"), (FormField("name"), FormField("country"))),
    ),
    folded=True,
)
_SCHEDULE: Final = FormGroup(
    lazy_gettext("Schedule"),
    (
        FormField("start_at"),
        FormField("stopDate", read="stop_date"),
        FormField("schedule[enabled]", label=lazy_gettext("Takes clicks at the hours of its schedule only")),
        FormField("schedule[timezone]"),
        FormField("schedule[date_start]"),
        FormField("schedule[date_to]"),
        FormField("schedule[intervals]", label=lazy_gettext("Hours"), codec=HourLines(), help=_HOURS_HELP),
    ),
    folded=True,
)
_LINKS: Final = FormGroup(
    lazy_gettext("Links and landings"),
    (
        FormField("url_preview", wide=True),
        FormField("trafficback_url", wide=True),
        FormField("macro_url", wide=True),
        FormField(
            "domain_url",
            read="domain_id",
            help=lazy_gettext("Its links begin with it. None means the platform's URL."),
        ),
        FormField("redirect_type"),
        FormField("allow_deeplink"),
        FormField("allow_impressions"),
        FormField("impressions_url", wide=True),
        FormRows(
            "additional_impression_destination_urls",
            lazy_gettext("Target of impressions"),
            (FormField("url", wide=True, help=""), FormField("weight", help="")),
        ),
        FormField("parallel_tracking_url", wide=True),
        FormField("cross_postback_url", wide=True),
        FormField("cross_postback_method", words={"get": "GET", "post": "POST"}),
        FormField("cross_postback_body", wide=True),
        FormRows(
            "landings",
            lazy_gettext("Landing"),
            (FormField("title"), FormField("type"), FormField("url", wide=True), FormField("url_preview", wide=True)),
        ),
    ),
    folded=True,
)
_SUBS: Final = FormGroup(
    lazy_gettext("Subs for the advertiser"),
    (
        FormField(
            "macros_replacement",
            label=lazy_gettext("Values instead of the affiliate's"),
            codec=SubLines(),
            help=lazy_gettext("A value a line, with its sub: sub1: blue. Each click gets one of them at random."),
        ),
        FormField(
            "macros_replacement_enabled",
            label=lazy_gettext("Replaces values that the link has"),
            help=lazy_gettext("Other subs get a value only where the link has none."),
        ),
    ),
    folded=True,
)
_CONVERSIONS: Final = FormGroup(
    lazy_gettext("Conversions"),
    (
        FormField("click_session", label=lazy_gettext("Session length")),
        FormField("minimal_click_session", label=lazy_gettext("Shortest time to conversion")),
        FormField("one_conversion_per_click"),
        FormField("quality", words=_QUALITY),
        FormField("hash_password"),
        FormField("pixels"),
        FormField("pixel_pages", widget="lines"),
        FormField("allowed_ip", widget="long"),
        FormField("disallowed_ip", widget="long"),
    ),
    folded=True,
)
_TEXTS: Final = FormGroup(
    lazy_gettext("Texts"),
    (
        *(
            FormField(f"{name}[{language}]", label=f"{label}, {_LANGUAGE_NAMES[language]}", help="")
            for name, label in (("description_lang", lazy_gettext("Description")), ("kpi", lazy_gettext("KPI")))
            for language in _LANGUAGES
        ),
        FormField("note_aff"),
        FormField("note_sales"),
        FormField("notes"),
    ),
    folded=True,
)
_LABELS: Final = FormGroup(
    lazy_gettext("Labels"),
    (
        FormField("external_offer_id"),
        FormField("bundle_id"),
        FormField("is_cpi"),
        FormField("auto_offer_connect"),
        FormField("smartlink_categories", label=lazy_gettext("SmartLinks"), help=""),
        FormField("send_emails"),
        FormField("managers", help=""),
        FormField("privacy_level"),
        FormField("sign_clicks_integration", words=_SIGNING),
        FormField("host_uniqueness_type", words={"cookie": lazy_gettext("Cookie"), "sub3": "sub3"}),
    ),
    folded=True,
)
_PLANNED: Final = (
    (_GENERAL, OfferGroup.GENERAL),
    (_PAYOUTS, None),
    (_PERSONAL, None),
    (_CAPS, OfferGroup.CAPS),
    (_VISITORS, OfferGroup.VISITORS),
    (_SCHEDULE, None),
    (_LINKS, OfferGroup.LINKS),
    (_SUBS, None),
    (_CONVERSIONS, OfferGroup.CONVERSIONS),
    (_PAYING, OfferGroup.PAYING),
    (_TEXTS, OfferGroup.TEXTS),
    (_LABELS, OfferGroup.LABELS),
)
"""The groups in order, and the declared groups of plain fields."""
_PLACED: Final = names_in(group for group, _ in _PLANNED)


def _with_plain_fields(group: FormGroup, declared: OfferGroup | None) -> FormGroup:
    """Return a group that ends with the plain fields declared for it that no group holds."""
    own = {name: field for name, field in DECLARED.items() if field.options.group is declared}
    return replace(group, parts=(*group.parts, *plain_form_fields(own, _PLACED)))


GROUPS: Final = tuple(_with_plain_fields(*each) for each in _PLANNED)
NEW: Final = FormPlan(offers.add, GROUPS)
EDIT: Final = FormPlan(offers.edit, GROUPS)
