"""Affiliate balance."""

from tests.conformance.predicates import map_of, number
from tests.conformance.sentence import Caller, SpecSentence, each_row, equal, is_, refused, sentence, table
from tests.conformance.world import FilledProgram

SECTION = "Affiliate balance"
admin, ann, bob = Caller("admin"), Caller("ann"), Caller("bob")
MINE = ann.get("/3.0/balance")

ROWS = table(
    [
        sentence(f"Balance: {name} maps currency codes to numbers", MINE, is_(f"balance.{name}", map_of(number)))
        for name in ("balance", "hold", "available")
    ],
    [
        sentence(f"Balance: {name} of {code} is {amount}", MINE, equal(f"balance.{name}.{code}", amount))
        for code, amounts in {
            "USD": {"balance": 7, "hold": 0, "available": 7},
            "EUR": {"balance": 5, "hold": 0, "available": 5},
        }.items()
        for name, amount in amounts.items()
    ],
    [
        sentence(
            f"Balance: a conversion on hold counts in {name} as {amount}",
            bob.get("/3.0/balance"),
            equal(f"balance.{name}.USD", amount),
        )
        for name, amount in {"balance": 7, "hold": 7, "available": 0}.items()
    ],
    sentence(
        "Balance: staff name the affiliate",
        admin.get("/3.0/balance", {"pid": "<ann>"}),
        equal("balance.balance.USD", 7),
    ),
    sentence("Balance: staff who name none are refused", admin.get("/3.0/balance"), refused(400, "pid")),
    sentence("Balance: a pending conversion is not in it", MINE, equal("balance.balance.USD", 7)),
)


@each_row(ROWS)
def test_balance_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
