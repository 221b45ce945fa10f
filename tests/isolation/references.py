"""What each parameter and path of the API names, so that it can name a thing of others."""

from random import Random
from typing import Any, Final

from tests.contract.declared import declared_params
from trackyard.wire.endpoint import Endpoint

OF_NAME: Final[dict[str, str]] = {
    **dict.fromkeys(("aid", "pid", "partner", "partner_id", "affiliate_id", "affiliate_ids", "ref"), "affiliate"),
    **dict.fromkeys(("include_aids", "exclude_aids", "affiliates_enabled", "affiliates_disabled"), "affiliate"),
    **dict.fromkeys(
        ("filter[partner]", "filter[not_affiliate_id]", "list[*][pid]", "promocodes[*][affiliate_id]"), "affiliate"
    ),
    **dict.fromkeys(("caps[*][affiliates][*]", "commission_tiers[*][affiliates][*]"), "affiliate"),
    **dict.fromkeys(("partner_payments[*][partners][*]", "personal_limits[*][partner]"), "affiliate"),
    "targeting[*][affiliate_id][*]": "affiliate",
    **dict.fromkeys(("offer", "offer_id", "offer_ids", "int_id", "filter[offer]", "filter[not_offer_id]"), "offer"),
    **dict.fromkeys(("list[*][offer]", "detail[*][offer_id]", "promocodes[*][offer_id]"), "offer"),
    **dict.fromkeys(("advertiser", "advertiser_id", "advertisers", "advertiser_ids", "advertisers_id"), "advertiser"),
    **dict.fromkeys(("supplier", "supplier_id"), "advertiser"),
    **dict.fromkeys(("offers", "filter[offers]"), "offer"),
    **dict.fromkeys(("affiliates", "filter[affiliates]"), "affiliate"),
    "filter[advertisers]": "advertiser",
    **dict.fromkeys(("filter[advertiser]", "filter[not_advertiser_id]"), "advertiser"),
    **dict.fromkeys(("manager", "manager_id", "user_id", "filter[manager]", "filter[advertiser_manager_id]"), "staff"),
    **dict.fromkeys(("filter[not_affiliate_manager_id]", "filter[not_advertiser_manager_id]"), "staff"),
    **dict.fromkeys(("clickid", "clickids", "click_id", "list[*][click_id]"), "click"),
    **dict.fromkeys(("action_id", "action_ids", "list[*][action_id]"), "action"),
    **dict.fromkeys(("filter[affiliate_tag]", "filter[not_affiliate_tag]"), "affiliate tag"),
    **dict.fromkeys(("filter[advertiser_tag]", "filter[not_advertiser_tag]"), "advertiser tag"),
    **dict.fromkeys(("filter[offer_tag]", "filter[not_offer_tag]"), "offer tag"),
    **dict.fromkeys((*(f"filter[sub{n}]" for n in range(1, 9)), *(f"subid{n}" for n in range(1, 9))), "sub"),
    **dict.fromkeys((f"sub{n}" for n in range(1, 9)), "sub"),
    "not_offer_id": "offer",
    "not_advertiser_id": "advertiser",
    "not_affiliate_id": "affiliate",
    **dict.fromkeys(("not_affiliate_manager_id", "not_advertiser_manager_id"), "staff"),
    **{f"not_{thing}_tag": f"{thing} tag" for thing in ("affiliate", "advertiser", "offer")},
    "login": "login",
    "successor": "staff",
    "managers": "staff",
}
"""Parameter to the kind of the thing that it names."""

OF_METHOD: Final[dict[tuple[str, str], str]] = {
    ("admin.partners.list", "id"): "affiliate",
    ("admin.partners.mass-update", "id"): "affiliate",
    ("admin.partners.list", "search"): "affiliate text",
    ("admin.partners.list", "tags"): "affiliate tag",
    ("admin.advertisers.list", "id"): "advertiser",
    ("admin.payments.list", "id"): "payment",
    ("admin.payments.file", "id"): "payment",
    ("admin.payments.results", "results[*][payment]"): "payment",
    ("payments.list", "id"): "payment",
    ("payments.remove", "ids"): "payment",
    ("payment.conversions.remove", "conversion_ids"): "conversion",
    ("partner.payments.list", "id"): "payment",
    ("admin.advertisers.list", "search"): "advertiser text",
    ("admin.advertisers.list", "tags"): "advertiser tag",
    ("admin.tickets.list", "search"): "affiliate text",
    ("admin.tickets.count", "search"): "affiliate text",
    ("admin.users.list", "q"): "staff text",
    ("stats.conversionsbyid", "id"): "conversion",
    ("stats.conversions", "id"): "conversion",
    ("admin.conversion.edit", "ids"): "conversion",
    ("admin.conversions.release-held", "offer"): "offer",
    ("admin.conversions.release-held", "pid"): "affiliate",
    ("admin.conversion.edit-by-advertiser", "ids"): "conversion",
    ("admin.conversion.edit", "params[offer]"): "offer",
    ("admin.conversion.edit", "params[partner]"): "affiliate",
    ("admin.conversion.edit", "params[advertiser]"): "advertiser",
    ("admin.conversion.edit", "params[clickid]"): "click",
    ("admin.conversion.edit", "params[action_id]"): "action",
    ("admin.conversion.edit", "params[id]"): "conversion",
    ("partner.postbacks.remove-by-affiliates", "ids"): "affiliate",
    ("partner.postbacks.remove-by-offers", "ids"): "offer",
    ("offers.list", "ids"): "offer hash",
    ("admin.offers.names", "ids"): "offer hash",
    ("admin.offers.names", "bundle_id"): "offer tag",
    ("admin.offers.names", "q"): "offer text",
    ("partner.offers.list", "ids"): "offer hash",
    ("partner.live-offers.list", "ids"): "offer hash",
    ("advertiser.offers.list", "search"): "offer text",
    ("offers.list", "bundle_id"): "offer tag",
    ("offers.list", "q"): "offer text",
    ("partner.offers.list", "q"): "offer text",
    ("partner.live-offers.list", "q"): "offer text",
    ("admin.erasure.add", "id"): "click",
    ("admin.explain", "id"): "click",
    ("offer.promo-codes.list", "search"): "affiliate text",
    ("offer.promo-codes.list", "code"): "affiliate tag",
    ("threads.list", "subject_id"): "affiliate",
    ("threads.open", "subject_id"): "affiliate",
    ("threads.open", "company"): "company",
    **dict.fromkeys(
        (("people.list", "company"), ("people.add", "company"), ("auth.company.switch", "company")), "company"
    ),
}
"""Parameters that mean another thing by the method."""

OF_MAPS: Final[dict[str, dict[str, str]]] = {
    "admin.click-check": {"params[pid]": "affiliate"},
    "admin.offer.click-check": {"click_params[pid]": "affiliate"},
    "admin.postback-check": {"params[clickid]": "click", "params[action_id]": "action"},
}
"""Method to names in a map of parameters, and what they name."""

PUBLIC: Final[dict[tuple[str, str], str]] = {
    ("adcosts.set", "sub8"): "a text that staff choose themselves",
    ("adcosts.remove", "sub8"): "a text that staff choose themselves",
    ("partner.add", "ref"): "links of referrers, which strangers open, name them by number",
    ("partner.add", "login"): "a login is taken or free",
    ("admin.partner.add", "login"): "a login is taken or free",
    ("admin.partner.edit", "login"): "a login is taken or free",
    ("admin.partner.invite", "login"): "a login is taken or free",
}
"""References that may show whether a thing is there, with the reason."""

OF_PATH: Final[dict[str, str]] = {
    **dict.fromkeys(("admin.advertiser.get", "admin.advertiser.edit", "admin.advertiser.sendpass"), "advertiser"),
    "admin.advertiser.look_as": "advertiser",
    **dict.fromkeys((f"admin.advertiser.signing-secret.{act}" for act in ("renew", "remove")), "advertiser"),
    **dict.fromkeys(("admin.advertiser-invoice.get", "admin.advertiser-invoice.edit"), "invoice"),
    **dict.fromkeys(
        (f"admin.invoices.{act}" for act in ("get", "edit", "remove", "issue", "credit", "document")), "invoice"
    ),
    **dict.fromkeys(("advertiser.invoices.get", "advertiser.invoices.document"), "invoice"),
    **dict.fromkeys(("admin.partner.get", "admin.partner.edit", "admin.partner.password"), "affiliate"),
    **dict.fromkeys(("admin.partner.look_as", "admin.partner.locale"), "affiliate"),
    **dict.fromkeys(("admin.partner.referrals", "user.permissions.edit", "partner.pixels.list-of"), "affiliate"),
    "admin.affiliate.disable-offers": "affiliate",
    **dict.fromkeys(("offer.get", "admin.offer.edit", "admin.offer.remove-creative"), "offer"),
    **dict.fromkeys((f"admin.offer.creative.html.{act}" for act in ("set", "remove")), "offer"),
    **dict.fromkeys(("admin.offer.disable-affiliates", "offer.privacy.get", "admin.offer.tracking-link"), "offer"),
    "admin.ticket.smartlink": "ticket",
    "stats.health.offer": "offer",
    "advertiser.offer.get": "offer",
    "stats.health.advertiser": "advertiser",
    "stats.health.affiliate": "affiliate",
    **dict.fromkeys(("comparison.advertiser.add", "comparison.advertiser.list"), "advertiser"),
    **dict.fromkeys(("comparison.affiliate.add", "comparison.affiliate.list"), "affiliate"),
    **dict.fromkeys(("comparison.get", "comparison.accept"), "comparison"),
    **dict.fromkeys((f"admin.offer.estimate.{what}" for what in ("conversions", "clicks")), "offer"),
    "admin.offer.click-check": "offer",
    **dict.fromkeys((f"admin.ticket.{act}" for act in ("get", "offer", "answer", "close")), "ticket"),
    **dict.fromkeys(("partner.postback.edit", "partner.postback.remove", "admin.postback.resume"), "postback"),
    **dict.fromkeys(("partner.pixel.edit", "partner.pixel.remove"), "pixel"),
    "offer.promo-code.edit": "promo code",
    **dict.fromkeys((f"people.{act}" for act in ("edit", "invite", "owner", "remove")), "member"),
    **dict.fromkeys(("people.second_factor.reset", "people.look_as"), "member"),
    **{
        f"{prefix}.{act}": kind
        for prefix, kind in (
            ("admin.partner", "affiliate"),
            ("admin.advertiser", "advertiser"),
            ("admin.user", "staff"),
            ("people", "member"),
        )
        for act in ("access", "sign_in_link", "sessions.end")
    },
    "admin.advertiser.second_factor.reset": "advertiser",
    "auth.session.end": "session",
    **dict.fromkeys((f"stats.saved-report.{act}" for act in ("edit", "remove", "mail", "mail.stop")), "saved report"),
    **dict.fromkeys(
        (f"{who}.keys.{what}" for who in ("auth", "admin") for what in ("edit", "rotate", "remove")), "key"
    ),
    **dict.fromkeys(
        (f"admin.message.{act}" for act in ("get", "edit", "preview", "send", "cancel", "remove")), "message"
    ),
    **dict.fromkeys(("message.get", "message.read"), "message"),
    **dict.fromkeys(("thread.get", "thread.answer", "thread.seen"), "thread"),
    "admin.affiliatepostback.resend": "attempt",
    "admin.click.explain": "click",
    "stats.conversion.history": "conversion",
    **dict.fromkeys(("admin.payment.edit", "admin.payment.entries", "partner.payment.entries"), "payment"),
    **dict.fromkeys(("admin.payment.document", "partner.payment.document"), "payment"),
    **dict.fromkeys(("payment.get", "payment.edit", "payment.remove", "payment.remove-by-post"), "payment"),
    **dict.fromkeys(("payment.correction.add", "payment.conversions.remove"), "payment"),
    "payment.correction.remove": "payment correction",
    **dict.fromkeys(("admin.payment-request.accept", "admin.payment-request.reject"), "payment request"),
    "partner.payment-request.withdraw": "payment request",
    "partner.offer.click-check": "offer",
    "admin.partner.second_factor.reset": "affiliate",
    **dict.fromkeys(("admin.user.get", "admin.user.edit", "admin.user.api_key", "admin.user.password"), "staff"),
    **dict.fromkeys(("admin.user.block", "admin.user.unblock", "admin.user.remove"), "staff"),
    "admin.user.second_factor.reset": "staff",
}
"""Method to the kind of the thing in its path."""

OF_NETWORK: Final = frozenset(
    (
        "admin.payment_system.edit", "admin.payment_system.remove", "admin.custom_field.edit",
        "admin.custom_field.remove", "admin.offer.source.edit", "admin.offer.source.remove", "admin.category.edit",
        "admin.smartlink.category.edit", "admin.smartlink.category.remove", "admin.smartlink.category.count",
        "partner.smartlink.category.count", "admin.domain.check", "admin.domain.edit", "admin.domain.remove",
        "oses.versions", "news.get",
        "admin.news.edit", "admin.news.remove", "admin.news.send",
        "admin.mail-text.get", "admin.mail-text.edit", "admin.mail-text.remove", "admin.mail-text.preview",
        "admin.mail-text.test",
        "admin.erasure.get", "admin.currency.edit", "admin.currency.remove",
        "admin.held-change.confirm", "admin.held-change.refuse", "admin.rule.get", "admin.rule.edit",
        "admin.rule.remove", "admin.rule.look-back", "admin.rule-firing.undo", "automation.kpi.edit",
        "automation.kpi.remove", "preset.edit", "preset.remove", "admin.product-feed.get", "admin.product-feed.edit",
        "admin.product-feed.read", "admin.product-feed.remove", "product-feed.items.list",
    )
)  # fmt: skip
"""Methods with a thing in the path that belongs to the whole installation."""

_PLAIN_TYPES: Final = frozenset(
    ("flag", "truefalse", "date", "date-dmy", "datetime", "hour", "zone", "enum", "enum-list", "float", "float-list")
) | {"currency", "duration", "file", "url", "email", "moment"}
"""Types of values that cannot name a thing."""

_PLAIN_NAMES: Final = (
    "active add_note address_1 address_2 after_id allowed_ip base_event browser bundle_id caps_country "
    "caps_goal_overcap caps_type categories city click_session code comment company contact contactPerson "
    "contact_person countries country creativeDownloads creativeUrls creatives currency custom_fields[*] "
    "decline_reason desc description description_lang[*] detail[*][actions] detail[*][comment] device disallowed_ip "
    "domain_id domain_url email events external_offer_id field_values fields[*][id] fields[*][lang_label] "
    "filter[country] filter[currency] filter[device] filter[goal] filter[not_country] filter[not_smartlink_id] "
    "filter[os] filter[smart_id] first_name goal goal_id hash_password headers[*] hold_period http_code id ids ip "
    "is_top key kpi[*] payment_account payment_system currencies landings[*][title] lang_label last_name level limit "
    "list[*][comment] list[*][country] list[*][goal] list[*][ip] list[*][payouts] "
    "list[*][revenue] list[*][sum] list[*][ua] locale mail_from method moderation_status "
    "name note note_aff note_sales notes notice_percent_overcap os page params[*] password "
    "audience body button click_params[*] click_ip click_ua subject "
    "payment_systems[*][currency] payment_systems[*][fields][*] payment_systems[*][system_id] payment_terms payouts "
    "debtor_bic debtor_iban debtor_name results[*][line] results[*][reason] "
    "personal_limits[*][caps] phone privacy q reason request_id revenue search_empty_sub server_ip skip skype "
    "small_desc smart_id smartlink_categories smtp_url sort[*] sources status status_reason system_id strictly_brands "
    "strictly_devices strictly_isp strictly_os sub_account_1 sub_account_2 sum supplier tags title title_lang[*] ua "
    "taxes[*][name] legal_name address tax_number payment_details invoice_series invoice_next credit_series due_days "
    "tax_name "
    "url usage_limit vat_code what work_hours zip_code accent accent_dark terms pages[*] query weekday hour"
)
_PLAIN: Final = frozenset(_PLAIN_NAMES.split()).union(
    ("new_password", "otp", "token", "chat", "address", "days", "hours", "networks", "pixel_pages", "referrer"),
    ("smartlink_id", "width", "height", "text", "countries", "statuses"),
    ("csv", "classes", "subs[*][value]", "minimum", "first_goal", "second_goal", "goal1", "goal2", "rule"),
    ("whatsapp", "telegram", "viber", "facebook", "wechat", "internal_telegram_username", "preset_id", "captcha"),
    ("filter[sub_index]", "filter[sub_value]", "filter[action]", "quiet_from", "quiet_until", "digest_hour"),
    ("privacy_level", "cross_postback_body", "additional_impression_destination_urls[*][weight]", "tracking_domain"),
    (
        "until",
        "redirect_param",
        "duplicate_clicks_threshold",
        "skad_app_id",
        "product_feed_id",
        "macros_replacement[*][*]",
    ),
    ("message",),
    ("host_uniqueness_number_unique_clicks", "host_uniqueness_time_frame", "refresh_hours"),
)
"""Parameters that are values, or name what belongs to the whole installation."""

_PLAIN_STARTS: Final = (
    "caps[*]", "commission_tiers[*]", "partner_payments[*]", "payments[*]", "restriction_", "sub_restrictions[*]",
    "targeting[*]", "custom_field_", "list[*][custom_field_", "promocodes[*]", "promo_code", "params[",
    "not_country", "not_smartlink_id", "column_", "words_", "sheet", "permissions[*][*][exceptions]",
)  # fmt: skip


def references_of(endpoint: Endpoint[Any]) -> dict[str, str]:
    """The parameters of a method that name a thing, with its kind."""
    found = dict(OF_MAPS.get(endpoint.id, {}))
    for name in declared_params(endpoint.id):
        kind = OF_METHOD.get((endpoint.id, name)) or OF_NAME.get(name)
        if kind is not None and (endpoint.id, name) not in PUBLIC:
            found[name] = kind
    return found


def unknown_parameters(endpoint: Endpoint[Any]) -> list[str]:
    """The parameters of which this file does not say whether they name a thing."""
    return [
        name
        for name, param in declared_params(endpoint.id).items()
        if param.type not in _PLAIN_TYPES
        and (endpoint.id, name) not in OF_METHOD
        and name not in OF_NAME
        and name not in _PLAIN
        and not name.startswith(_PLAIN_STARTS)
    ]


def missing_like(value: Any, random: Random) -> Any:
    """An id in the form of another, of nothing."""
    if isinstance(value, int) or value.isdigit():
        least = 10 ** (len(str(value)) - 1) if int(value) >= 1_000_000 else 9_100_000
        made = random.randint(max(least, 9_100_000), 9_999_999)
        return made if isinstance(value, int) else str(made)
    kind, colon, number = value.partition(":")
    if colon:  # a company, such as affiliate:7
        return f"{kind}:{missing_like(number, random)}"
    start = value[:10] if len(value) == 24 else ""
    return start + "".join(random.choice("0123456789abcdef") if c.isalnum() else c for c in value[len(start) :])
