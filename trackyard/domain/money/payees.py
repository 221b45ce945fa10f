"""The payment system and the account that a payment goes to (docs/spec/money.md#payment-runs)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

_SHOWN: Final = 4
"""Last characters of an account that lists show."""
_HIDDEN: Final = "\N{HORIZONTAL ELLIPSIS}"


def choose_payee(
    own: Sequence[Mapping[str, Any]], currency: str, system_id: int | None = None
) -> Mapping[str, Any] | None:
    """Return the payment system of an affiliate that a payment goes to, or None.

    None: it has none that pays the currency. own: {system_id, currency, fields} each.
    system_id: the one that it asked for; otherwise the first that fits.
    """
    fitting = (each for each in own if each["currency"] in ("", currency) and system_id in (None, each["system_id"]))
    return next(fitting, None)


def account_text(payee: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    """Return an account as text: a line "label: value" for each field. labels: by the number of the field."""
    values = {str(name): value for name, value in payee["fields"].items()}
    return "\n".join(f"{labels.get(name, name)}: {value}" for name, value in values.items())


def masked_account(account: str) -> str:
    """Return an account as lists show it: the end of each value, and of an e-mail address its host."""
    return "\n".join(_masked_line(line) for line in account.splitlines())


def _masked_line(line: str) -> str:
    label, mark, value = line.rpartition(": ")
    name, at, host = value.rpartition("@")
    if at and name and "." in host:
        return f"{label}{mark}{name[0]}{_HIDDEN}@{host}"
    end = value[-_SHOWN:] if len(value) > 2 * _SHOWN else ""
    return f"{label}{mark}{_HIDDEN}{end}"
