"""Affiliate: its record as staff see it."""

from tests.conformance.predicates import (
    Predicate,
    api_key,
    array,
    array_of,
    date_and_time,
    having,
    integer,
    map_of,
    mapping,
    mapping_or_empty,
    one_of,
    or_null,
    text,
)
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    each_row,
    equal,
    every,
    exactly,
    is_,
    refused,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Affiliate (partner, admin view)"
admin = Caller("admin")
BY_ID = admin.get("/3.0/admin/partner/<ann>")
LIST = admin.get("/3.0/admin/partners")
SYSTEM = {
    "payment_systems[0][system_id]": "<bank>",
    "payment_systems[0][currency]": "USD",
    "payment_systems[0][fields][<bank_field>]": "DE00",
}
FIELDS: dict[str, Predicate] = {
    "id": integer,
    "created_at": date_and_time,
    "updated_at": date_and_time,
    "email": text,
    "login": text,
    "contactPerson": or_null(text),
    "ref_percent": or_null(text),
    "name": or_null(text),
    "notes": or_null(text),
    "manager": or_null(mapping),
    "status": one_of("not active", "active", "banned", "on moderation"),
    "level": integer,
    "payment_systems": array,
    "customFields": array,
    "balance": mapping_or_empty,
    "offersCount": integer,
    "api_key": api_key,
    "tags": array_of(text),
    "address_1": or_null(text),
    "address_2": or_null(text),
    "city": or_null(text),
    "country": or_null(text),
    "zip_code": or_null(text),
    "phone": or_null(text),
}

ROWS = table(
    typed("Affiliate", BY_ID, "partner", FIELDS, form="by id"),
    typed("Affiliate", LIST, "partners[]", FIELDS, form="list"),
    sentence("Affiliate: manager is the manager's record", BY_ID, equal("partner.manager.id", "<mia>")),
    [
        sentence(
            f"Affiliate: status is {status!r} when it was set so",
            admin.get(f"/3.0/admin/partner/<{name}>"),
            equal("partner.status", status),
        )
        for name, status in {"ann": "active", "ban": "banned", "mod": "on moderation", "ina": "not active"}.items()
    ],
    sentence(
        "Affiliate: balance maps a currency code to balance, hold and available",
        BY_ID,
        is_("partner.balance", map_of(having("balance", "hold", "available"))),
    ),
    sentence("Affiliate: a confirmed conversion is available", BY_ID, equal("partner.balance.EUR.available", 5)),
    sentence(
        "Affiliate: a conversion on hold is in hold",
        admin.get("/3.0/admin/partner/<bob>"),
        equal("partner.balance.USD.hold", 7),
        equal("partner.balance.USD.available", 0),
    ),
    sentence(
        "Affiliate: payment_systems has id, active, system, fields",
        admin.post("/3.0/admin/partner", {"email": "<unique>@a.example", "password": "<password>", **SYSTEM}),
        every("partner.payment_systems[]", having("id", "active", "system", "fields")),
    ),
    sentence(
        "Affiliate: customFields has name, value, label, id",
        admin.post(
            "/3.0/admin/partner",
            {"email": "<unique>@a.example", "password": "<password>", "custom_fields[<messenger>]": "me"},
        ),
        every("partner.customFields[]", having("name", "value", "label", "id")),
    ),
    sentence("Affiliate: offersCount counts its offers", BY_ID, equal("partner.offersCount", 1)),
    sentence("Affiliate: tags are what was set", BY_ID, exactly("partner.tags", "north")),
    sentence(
        "Affiliate: ref names the referrer",
        admin.get("/3.0/admin/partner/<bob>"),
        is_("partner.ref", lambda ref: str(ref) == "1"),
    ),
    sentence("Affiliate: api_key is the key it calls with", BY_ID, equal("partner.api_key", "<ann_key>")),
    sentence("Affiliate: one that does not exist is not found", admin.get("/3.0/admin/partner/999999"), refused(404)),
    sentence("Affiliate: ref is 0, as text, without a referrer", BY_ID, equal("partner.ref", "0")),
    sentence(
        "Affiliate: an edit stores contact_person",
        admin.post("/3.0/admin/partner", {"email": "<unique>@a.example", "password": "<password>"}).saving(
            made="partner.id"
        ),
        admin.post("/3.0/admin/partner/<made>", {"contact_person": "Carl"}),
        equal("partner.contactPerson", "Carl"),
    ),
    [
        sentence(
            f"Affiliate: an edit stores sub_account_{n}",
            admin.post("/3.0/admin/partner", {"email": "<unique>@a.example", "password": "<password>"}).saving(
                made="partner.id"
            ),
            admin.post("/3.0/admin/partner/<made>", {f"sub_account_{n}": "a,b"}),
            equal(f"partner.sub_accounts.{n}.value", "a,b"),
        )
        for n in (1, 2)
    ],
)


@each_row(ROWS)
def test_affiliate_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
