"""Staff user: its record."""

from tests.conformance.predicates import Predicate, api_key, array_of, date_and_time, hash_id, text
from tests.conformance.sentence import Caller, SpecSentence, absent, each_row, equal, is_, sentence, table, typed
from tests.conformance.world import FilledProgram

SECTION = "Staff user"
admin = Caller("admin")
LIST = admin.get("/3.0/admin/users")
ADDED = admin.post(
    "/3.0/admin/user",
    {
        "email": "<unique>@staff.example",
        "password": "<password>",
        "first_name": "First",
        "last_name": "Last",
        "skype": "live",
        "work_hours": "1-2",
        "roles[]": "ROLE_ADMIN",
    },
)
FIELDS: dict[str, Predicate] = {
    "id": hash_id,
    "first_name": text,
    "last_name": text,
    "email": text,
    "skype": text,
    "roles": array_of(text),
    "api_key": api_key,
    "created_at": date_and_time,
    "work_hours": text,
}

ROWS = table(
    typed("Staff user", LIST, "users[]", FIELDS, form="list"),
    sentence(
        "Staff user: the answer to an add has every field",
        ADDED,
        *[is_(f"user.{name}", predicate) for name, predicate in FIELDS.items()],
    ),
    sentence("Staff user: roles are what was set", LIST, equal("users[id=<sam>].roles", ["ROLE_MANAGER_SALES"])),
    sentence(
        "Staff user: the answer to an add has what was sent",
        ADDED,
        *[
            equal(f"user.{name}", value)
            for name, value in {
                "first_name": "First",
                "last_name": "Last",
                "email": "<unique>@staff.example",
                "skype": "live",
                "work_hours": "1-2",
                "password": "<password>",
            }.items()
        ],
    ),
    sentence(
        "Staff user: the answer to an edit echoes the password that was sent",
        ADDED.saving(made="user.id"),
        admin.post("/3.0/admin/user/<made>", {"password": "another long password"}),
        equal("user.password", "another long password"),
    ),
    sentence("Staff user: the list has no password", LIST, absent("users[].password")),
    sentence(
        "Staff user: the new key opens the API",
        ADDED.saving(made_key="user.api_key"),
        Caller("made").get("/3.0/news"),
        equal("status", 1),
    ),
    sentence(
        "Staff user: an edit without a password echoes null",
        ADDED.saving(made="user.id"),
        admin.post("/3.0/admin/user/<made>", {"skype": "s"}),
        equal("user.password", None),
    ),
)


@each_row(ROWS)
def test_staff_user_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
