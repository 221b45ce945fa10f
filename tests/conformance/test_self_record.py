"""Affiliate self record: GET /3.1/partner/me."""

from tests.conformance.predicates import (
    Predicate,
    api_key,
    boolean,
    date_and_time,
    either,
    having,
    integer,
    map_of,
    mapping,
    one_of,
    or_null,
    text,
)
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    each_row,
    equal,
    is_,
    present,
    refused,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Affiliate self record"
admin, ann, bob = Caller("admin"), Caller("ann"), Caller("bob")
ME = ann.get("/3.1/partner/me")
FIELDS: dict[str, Predicate] = {
    "partner_id": integer,
    "id": text,
    "api_key": api_key,
    "email": text,
    "login": text,
    "name": or_null(text),
    "company": or_null(text),
    "status": text,
    "lang": text,
    "timezone": text,
    "level": or_null(text),
    "manager": having("name", "email", "skype", "work_hours"),
    "address_1": or_null(text),
    "address_2": or_null(text),
    "city": or_null(text),
    "country": or_null(text),
    "zip_code": or_null(text),
    "phone": or_null(text),
    "sub_accounts": mapping,
    "type": text,
    "work_hours": or_null(text),
    "last_login_at": either(date_and_time, one_of("")),
    "needAcceptTerms": boolean,
    "created_at": date_and_time,
    "updated_at": date_and_time,
    "permissions": mapping,
}
ANN = {
    "partner_id": "<ann>",
    "email": "ann@affiliate.example",
    "login": "ann-login",
    "name": "Ann Affiliate",
    "status": "active",
    "api_key": "<ann_key>",
}

ROWS = table(
    typed("Self record", ME, "user", FIELDS),
    [sentence(f"Self record: {name} is the caller's", ME, equal(f"user.{name}", value)) for name, value in ANN.items()],
    [
        sentence(f"Self record: manager has {name}", ME, equal(f"user.manager.{name}", value))
        for name, value in {
            "name": "Mia Staff",
            "email": "mia@staff.example",
            "skype": "mia.skype",
            "work_hours": "9-17",
        }.items()
    ],
    [
        sentence(f"Self record: {name} is there for each currency", ME, present(f"user.{name}_usd", f"user.{name}_eur"))
        for name in ()
    ],
    [
        sentence(
            f"Self record: permissions has the area {area}",
            ME,
            is_(f"user.permissions.{area}", map_of(having("level"))),
        )
        for area in ("automation", "general", "notificator", "stats", "users")
    ],
    sentence(
        "Self record: a permission's level is read, write or deny",
        ME,
        is_(
            "user.permissions",
            lambda tree: all(
                one["level"] in ("read", "write", "deny") for area in tree.values() for one in area.values()
            ),
        ),
    ),
    sentence("Self record: staff have none", admin.get("/3.1/partner/me"), refused(403)),
    sentence(
        "Self record: another affiliate sees its own",
        bob.get("/3.1/partner/me"),
        equal("user.partner_id", "<bob>"),
        equal("user.email", "bob@affiliate.example"),
    ),
    [
        sentence(f"Self record: {name} is there", ME, present(f"user.{name}"))
        for name in ("ref", "notes", "pay_acc", "level", "contact_person", "last_login_at")
    ],
    [
        sentence(
            f"Self record: {name}_usd is there before the first conversion",
            Caller("admin")
            .post("/3.0/admin/partner", {"email": "<unique>@a.example", "password": "<password>"})
            .saving(made_key="partner.api_key"),
            Caller("made").get("/3.1/partner/me"),
            is_(f"user.{name}_usd", lambda amount: float(amount) == 0),
        )
        for name in ("balance", "hold", "available")
    ],
    [
        sentence(
            f"Self record: {name}_usd is {amount}",
            bob.get("/3.1/partner/me"),
            is_(f"user.{name}_usd", lambda found_, amount=amount: float(found_) == amount),
        )
        for name, amount in {"balance": 7, "hold": 7, "available": 0}.items()
    ],
)


@each_row(ROWS)
def test_self_record_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
