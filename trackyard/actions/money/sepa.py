"""Files of SEPA credit transfers, pain.001 (docs/spec/money.md#files-of-payments).

The first file imports the package sepaxml, which reads the schemas of ISO 20022.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from importlib import import_module
from typing import Final

from trackyard.domain.money.payment_files import plain_text

_SCHEMA: Final = "pain.001.001.09"
_LONGEST_NAME: Final = 70
_CENTS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Debtor:
    """The account that payments come from. bic: "" = the bank knows it by the IBAN."""

    name: str
    iban: str
    bic: str = ""


def transfer_file(debtor: Debtor, transfers: Sequence[Mapping[str, str]], now_ms: int) -> str:
    """Return the file of transfers in EUR, which the schema of ISO 20022 takes.

    transfers: {name, iban, bic, amount, reference, id} each. now_ms: UTC milliseconds; the day of the execution.
    The same transfers of an account have the same number, so that a bank refuses the file the second time.
    """
    made_at = datetime.fromtimestamp(now_ms / 1000, UTC)
    config = {"name": plain_text(debtor.name)[:_LONGEST_NAME], "IBAN": debtor.iban, "batch": True, "currency": "EUR"}
    package = import_module("sepaxml")
    file = package.SepaTransfer(config | ({"BIC": debtor.bic} if debtor.bic else {}), schema=_SCHEMA, clean=False)
    for each in transfers:
        transfer = {
            "name": plain_text(each["name"])[:_LONGEST_NAME],
            "IBAN": each["iban"],
            "amount": int(Decimal(each["amount"]) * _CENTS),
            "execution_date": made_at.date(),
            "description": plain_text(each["reference"])[:140],
            "endtoend_id": each["id"],
        }
        file.add_payment(transfer | ({"BIC": each["bic"]} if each["bic"] else {}))
    written = _numbered(file.export(validate=False), _number_of(debtor, transfers), made_at)
    import_module("sepaxml.validation").try_valid_xml(written, _SCHEMA)
    return written.decode()


def _number_of(debtor: Debtor, transfers: Sequence[Mapping[str, str]]) -> str:
    lines = [debtor.iban, *(f"{each['id']} {each['iban']} {each['amount']}" for each in transfers)]
    return sha256("\n".join(lines).encode()).hexdigest()[:32]


def _numbered(written: bytes, number: str, made_at: datetime) -> bytes:
    """Return a file with its own number and time; the package writes random ones."""
    for name, text in (
        ("MsgId", number),
        ("PmtInfId", f"{number}-1"),
        ("CreDtTm", f"{made_at:%Y-%m-%dT%H:%M:%S}"),
    ):
        written = re.sub(rf"<{name}>[^<]*</{name}>".encode(), f"<{name}>{text}</{name}>".encode(), written)
    return written
