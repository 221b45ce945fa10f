"""Conversions and the server postback log say what was forgiven in a postback."""

import msgspec
import pytest
from sqlalchemy import select, update

from tests.support.clicks.inbound_postbacks import make_inbound_postback, make_inbox_postback
from tests.support.limited_offer import LimitedOffer
from tests.support.stores.outbox_lines import queued_lines
from trackyard.domain.statistics.rows import ServerPostbackLog
from trackyard.domain.tracking.forgiven import BLANK_VALUE, IDENTIFIER, JSON_BODY
from trackyard.store.conversions import inbox
from trackyard.store.tables import conversion, offer

CODE = "a-code-of-twenty-two-signs"
DAMAGE: list[tuple[dict[str, str], int, int]] = [
    ({}, 0, 0),
    ({"status": " 1", "currency": "USD ", "action_id": "ord-1 "}, 0, BLANK_VALUE),
    ({"secure": f"{CODE} "}, 0, BLANK_VALUE),
    ({"secure": f"\u00a0{CODE}"}, 0, BLANK_VALUE),
    ({"sum": '"12.5"'}, JSON_BODY, BLANK_VALUE | JSON_BODY),
]
"""Parameters of a postback, what the edge forgave, and what its log says."""


@pytest.mark.parametrize(("params", "request_bits", "bits"), DAMAGE)
def test_damaged_postback_is_paid_and_says_what_was_forgiven(
    limited: LimitedOffer, params: dict[str, str], request_bits: int, bits: int
) -> None:
    with limited.database.write() as conn:
        conn.execute(update(offer).values(hash_password=CODE))
    click = limited.click()
    call = make_inbound_postback(**{"secure": CODE} | params | {"clickid": f" {click.id.upper()}"})
    call = msgspec.structs.replace(call, forgiven=request_bits)
    with limited.database.write() as conn:
        inbox.add_entries(conn, "001-1", [make_inbox_postback(1, call, click)])
    limited.settle()
    with limited.database.read() as conn:
        row = conn.execute(select(conversion.c.status, conversion.c.forgiven, conversion.c.click_id)).one()
    assert tuple(row) == ("confirmed", bits | IDENTIFIER, click.id)
    (line,) = queued_lines(limited.database, "server_log")
    log = msgspec.json.decode(line, type=ServerPostbackLog)
    assert (log.response, log.forgiven, log.click_id) == ("", bits | IDENTIFIER, click.id)


@pytest.mark.parametrize("secure", [CODE.upper(), f'"{CODE}"', f"{CODE}.", ""])
def test_damaged_code_is_refused(limited: LimitedOffer, secure: str) -> None:
    with limited.database.write() as conn:
        conn.execute(update(offer).values(hash_password=CODE))
    limited.send(secure=secure)
    limited.settle()
    (line,) = queued_lines(limited.database, "server_log")
    assert msgspec.json.decode(line, type=ServerPostbackLog).response == "Access denied"


def test_forms_in_the_table() -> None:
    assert len(DAMAGE) == 5
