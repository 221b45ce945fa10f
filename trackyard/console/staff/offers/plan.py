"""The form of an offer: its parameters by group (docs/spec/console.md#offers)."""

from typing import Final

from trackyard.console.forms import PLATFORM_CURRENCY, FormField, FormGroup, FormPlan, FormRows
from trackyard.console.offers_shown.words import PRIVACIES, STATUSES
from trackyard.console.staff.offers.lines import HourLines
from trackyard.domain.offers.choices import LANGUAGES

_LANGUAGE_NAMES: Final = {"en": "English", "ru": "Russian", "es": "Spanish", "ka": "Georgian", "vi": "Vietnamese"}
_LANGUAGES: Final = sorted(LANGUAGES, key=list(_LANGUAGE_NAMES).index)
DEVICES: Final = (
    ("desktop", "Computer"), ("mobile", "Phone"), ("tablet", "Tablet"), ("tv", "TV"), ("console", "Game console"),
    ("ereader", "E-reader"), ("smartwatch", "Watch"), ("mediahub", "Media hub"),
)  # fmt: skip
_SPREAD: Final = {"all": "All together", "each": "Each by itself", "exact": "Those named"}
_PAYMENT_TYPES: Final = {"fixed": "Amount", "percent": "Share of the sum", "mixed": "Share and amount"}
_COUNTED: Final = {"conversions": "Conversions", "clicks": "Clicks", "budget": "Budget"}
_PERIODS: Final = {"hour": "An hour", "day": "A day", "week": "A week", "month": "A month", "total": "In all"}

_HOURS_HELP: Final = "A day a line, with its first and last hours: Monday: 9-17, 20-2."

_PAYMENT: Final = (
    FormField("goal", required=True, help=""),
    FormField("title", label="Name of the goal", help=""),
    FormField("countries", help="Such as GB, IE. None means all."),
    FormField("total", label="Charge", required=True, help=""),
    FormField("revenue", label="Payout", required=True, help=""),
    FormField("type", label="Paid as", words=_PAYMENT_TYPES, help=""),
    FormField("currency", initial=PLATFORM_CURRENCY, required=True, help=""),
)
_PAYMENT_MORE: Final = (
    FormField("country_exclude", label="All countries but these"),
    FormField("cities"),
    FormField("with_regions"),
    FormField("devices"),
    FormField("os"),
    FormField("goal_alias"),
    FormField("url"),
    *(FormField(f"sub{number}", help="") for number in range(1, 9)),
)
_CAP: Final = (
    FormField("type", label="Of", words=_COUNTED, help=""),
    FormField("period", label="In", words=_PERIODS, help=""),
    FormField("value", label="At most", help=""),
    FormField("goal_type", label="Goals", words=_SPREAD, help=""),
    FormField("affiliate_type", label="Affiliates", words=_SPREAD, help=""),
    FormField("country_type", label="Countries", words=_SPREAD, help=""),
    FormField("goals", label="These goals", help=""),
    FormField("affiliates", label="These affiliates", help="Numbers of affiliates."),
    FormField("country", label="These countries", help=""),
)
_TIER: Final = (
    FormField("timeframe", label="In", words=_PERIODS, help=""),
    FormField("type", label="From so many", words=_COUNTED, help=""),
    FormField("value", label="Number or amount", help=""),
    FormField("modifier_type", label="Change", help=""),
    FormField("modifier_value", label="By or to", help=""),
    FormField("modifier_payment_type", label="Changes", help=""),
    FormField("goals", label="Counted goals", help=""),
    FormField("target_goals", label="Changed goals", help=""),
    FormField("affiliate_type", label="Affiliates", words=_SPREAD, help=""),
    FormField("affiliates", label="These affiliates", help=""),
    FormField("countries", help=""),
    FormField("conversion_status", label="Counted statuses", help=""),
)

_GENERAL: Final = FormGroup(
    "General",
    (
        FormField("title"),
        FormField("advertiser", help="It pays for the conversions. Affiliates never see it."),
        FormField("url", label="Target URL", wide=True),
        FormField("status", words=STATUSES),
        FormField("privacy", label="Visibility", words=PRIVACIES),
        FormField("categories", help=""),
        FormField("sources", label="Traffic that it accepts", help=""),
        FormField("tags"),
        FormField("is_top", label="Top offer"),
    ),
)
_PAYOUTS: Final = FormGroup("Payouts", (FormRows("payments", "Payment", _PAYMENT, _PAYMENT_MORE),))
_PERSONAL: Final = FormGroup(
    "Personal payouts",
    (
        FormRows(
            "partner_payments",
            "Personal payment",
            (FormField("partners", required=True, help="Numbers of affiliates."), *_PAYMENT),
            _PAYMENT_MORE,
        ),
    ),
    folded=True,
)
_PAYING: Final = FormGroup(
    "Hold and tiers",
    (
        FormField("hold_period"),
        FormField("hide_payments"),
        FormField("enabled_commission_tiers"),
        FormRows("commission_tiers", "Commission tier", _TIER),
    ),
    folded=True,
)
_CAPS: Final = FormGroup(
    "Caps",
    (
        FormRows("caps", "Cap", _CAP),
        FormRows(
            "personal_limits",
            "Personal limit",
            (FormField("partner", help=""), FormField("caps", label="Conversions a day", help="")),
        ),
        FormField("caps_status"),
        FormField("caps_timezone"),
        FormField("is_redirect_overcap"),
        FormField("caps_goal_overcap"),
        FormField("hide_caps"),
        FormField("notice_percent_overcap"),
    ),
    folded=True,
)
_VISITORS: Final = FormGroup(
    "Who gets through",
    (
        FormField("countries", help="Two letters each, such as GB, IE."),
        FormField("strictly_country", label="Reject all other countries"),
        FormField("strictly_devices"),
        FormField("strictly_connection_type", words={"": "Any", "wi-fi": "Wi-Fi", "cellular": "Cellular"}),
        FormField("strictly_brands"),
        FormField("search_empty_sub"),
        FormField("uniqIpOnly", read="uniq_ip_only"),
        FormField("rejectNotUniqIp", read="reject_not_uniq_ip"),
        FormField("consider_personal_targeting_only"),
        *(
            field
            for number in (1, 2)
            for field in (
                FormField(
                    f"sub_account_{number}",
                    label=f"Values of sub{number}",
                    widget="text",
                    read=f"sub_accounts[{number}][value]",
                ),
                FormField(
                    f"sub_account_{number}_except",
                    label=f"All values of sub{number} but these",
                    read=f"sub_accounts[{number}][except]",
                ),
            )
        ),
        FormRows("restriction_os", "Operating system", (FormField("os"), FormField("versions"))),
        FormRows("restriction_isp", "Provider", (FormField("name"), FormField("country"))),
    ),
    folded=True,
)
_SCHEDULE: Final = FormGroup(
    "Schedule",
    (
        FormField("start_at"),
        FormField("stopDate", read="stop_date"),
        FormField("schedule[enabled]", label="Takes clicks at the hours of its schedule only"),
        FormField("schedule[timezone]"),
        FormField("schedule[date_start]"),
        FormField("schedule[date_to]"),
        FormField("schedule[intervals]", label="Hours", codec=HourLines(), help=_HOURS_HELP),
    ),
    folded=True,
)
_LINKS: Final = FormGroup(
    "Links and landings",
    (
        FormField("url_preview", wide=True),
        FormField("trafficback_url", wide=True),
        FormField("macro_url", wide=True),
        FormField("domain_url", read="domain_id", help="Its links begin with it. None means the platform's address."),
        FormField("redirect_type"),
        FormField("allow_deeplink"),
        FormField("allow_impressions"),
        FormField("impressions_url", wide=True),
        FormField("parallel_tracking_url", wide=True),
        FormField("cross_postback_url", wide=True),
        FormRows(
            "landings",
            "Landing",
            (FormField("title"), FormField("type"), FormField("url", wide=True), FormField("url_preview", wide=True)),
        ),
    ),
    folded=True,
)
_CONVERSIONS: Final = FormGroup(
    "Conversions",
    (
        FormField("click_session", label="Session length"),
        FormField("minimal_click_session", label="Shortest time to conversion"),
        FormField("one_conversion_per_click"),
        FormField("hash_password"),
        FormField("pixels"),
        FormField("pixel_pages", widget="lines"),
        FormField("allowed_ip", widget="long"),
        FormField("disallowed_ip", widget="long"),
    ),
    folded=True,
)
_TEXTS: Final = FormGroup(
    "Texts",
    (
        *(
            FormField(f"{name}[{language}]", label=f"{label}, {_LANGUAGE_NAMES[language]}", help="")
            for name, label in (("description_lang", "Description"), ("kpi", "KPI"))
            for language in _LANGUAGES
        ),
        FormField("note_aff"),
        FormField("note_sales"),
        FormField("notes"),
    ),
    folded=True,
)
_LABELS: Final = FormGroup(
    "Labels",
    (
        FormField("external_offer_id"),
        FormField("bundle_id"),
        FormField("is_cpi"),
        FormField("auto_offer_connect"),
        FormField("smartlink_categories", label="SmartLinks", help=""),
        FormField("send_emails"),
    ),
    folded=True,
)
GROUPS: Final = (
    _GENERAL,
    _PAYOUTS,
    _PERSONAL,
    _CAPS,
    _VISITORS,
    _SCHEDULE,
    _LINKS,
    _CONVERSIONS,
    _PAYING,
    _TEXTS,
    _LABELS,
)
NEW: Final = FormPlan("admin.offer.add", GROUPS)
EDIT: Final = FormPlan("admin.offer.edit", GROUPS)
