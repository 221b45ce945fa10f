"""Advertiser: its record in the list and by id."""

from tests.conformance.predicates import (
    Predicate,
    array,
    array_of,
    boolean,
    date_and_time,
    digits,
    either,
    hash_id,
    having,
    mapping,
    or_null,
    text,
)
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    each_row,
    equal,
    exactly,
    is_,
    refused,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Advertiser"
admin = Caller("admin")
BY_ID = admin.get("/3.0/admin/advertiser/<shop>")
LIST = admin.get("/3.0/admin/advertisers")
FIELDS: dict[str, Predicate] = {
    "id": hash_id,
    "title": text,
    "contact": or_null(text),
    "email": or_null(text),
    "url": or_null(text),
    "manager": text,
    "manager_obj": either(mapping, text),
    "allowed_ip": array_of(text),
    "disallowed_ip": array,
    "skype": or_null(text),
    "note": or_null(text),
    "hash_password": or_null(text),
    "offers": digits,
    "has_user": boolean,
    "address_1": or_null(text),
    "address_2": or_null(text),
    "city": or_null(text),
    "country": or_null(text),
    "zip_code": or_null(text),
    "vat_code": or_null(text),
    "sub_accounts": having("1", "2"),
    "consider_personal_targeting_only": boolean,
    "tags": array_of(text),
    "created_at": date_and_time,
    "updated_at": date_and_time,
}

ROWS = table(
    typed("Advertiser", BY_ID, "advertiser", FIELDS, form="by id"),
    typed("Advertiser", LIST, "advertisers[]", FIELDS, form="list"),
    sentence("Advertiser: manager is the manager's id", BY_ID, equal("advertiser.manager", "<sam>")),
    sentence(
        "Advertiser: manager_obj is the manager's record",
        BY_ID,
        equal("advertiser.manager_obj.id", "<sam>"),
        equal("advertiser.manager_obj.email", "sam@staff.example"),
    ),
    sentence(
        "Advertiser: manager_obj is an empty string without a manager",
        admin.get("/3.0/admin/advertiser/<mill>"),
        equal("advertiser.manager_obj", ""),
    ),
    sentence(
        "Advertiser: offers counts its offers, as text",
        admin.get("/3.0/admin/advertiser/<mill>"),
        equal("advertiser.offers", "3"),
    ),
    sentence("Advertiser: hash_password is what was set", BY_ID, equal("advertiser.hash_password", "shop-code")),
    sentence("Advertiser: tags are what was set", BY_ID, exactly("advertiser.tags", "retail")),
    sentence(
        "Advertiser: sub_accounts maps 1 and 2",
        BY_ID,
        is_("advertiser.sub_accounts.1", having("value", "except")),
        is_("advertiser.sub_accounts.2", having("value", "except")),
    ),
    sentence(
        "Advertiser: one that does not exist is not found",
        admin.get("/3.0/admin/advertiser/<nothing_hash>"),
        refused(404),
    ),
    sentence("Advertiser: hosts_only is false", BY_ID, equal("advertiser.hosts_only", False)),
    sentence(
        "Advertiser: allowed_ip takes lines as well as lists",
        admin.post("/3.0/admin/advertiser", {"title": "<unique>", "allowed_ip": "10.0.0.1\n10.0.0.2"}),
        exactly("advertiser.allowed_ip", "10.0.0.1", "10.0.0.2"),
    ),
    sentence(
        "Advertiser: disallowed_ip takes lines as well as lists",
        admin.post("/3.0/admin/advertiser", {"title": "<unique>", "disallowed_ip": "10.0.0.1\n10.0.0.2"}),
        exactly("advertiser.disallowed_ip", "10.0.0.1", "10.0.0.2"),
    ),
)


@each_row(ROWS)
def test_advertiser_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
