"""Account numbers of banks, with their checksum (ISO 13616)."""

import re
from typing import Final

_IBAN: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_BIC: Final = re.compile(r"[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")


def find_iban(text: str) -> str:
    """Return the IBAN of a text without its spaces, "" if it is none or a digit of it is wrong."""
    number = "".join(text.split()).upper()
    if not _IBAN.fullmatch(number):
        return ""
    digits = "".join(str(int(sign, 36)) for sign in number[4:] + number[:4])
    return number if int(digits) % 97 == 1 else ""


def find_bic(text: str) -> str:
    """Return the BIC of a text without its spaces, "" if it is none."""
    code = "".join(text.split()).upper()
    return code if _BIC.fullmatch(code) else ""
