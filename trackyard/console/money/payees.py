"""Payment systems of an affiliate as rows of a form (docs/spec/console.md#money)."""

from collections.abc import Iterable, Sequence
from typing import Final

from trackyard.api.money.payment_systems import PaymentSystemView
from trackyard.api.people.affiliate_view import AffiliateSystemView
from trackyard.base.texts.marks import gettext
from trackyard.console.forms import FieldChoices, FormField, FormRows

NAME: Final = "payment_systems"
_MOST_QUESTIONS: Final = 20
"""Questions of payment systems that a form has fields for."""

Systems = Sequence[PaymentSystemView]
"""Payment systems of the network."""


def payee_rows(systems: Systems, about: str = "") -> FormRows:
    """Return the rows: a payment system, its currency, and a field for each question that a system has.

    about: a sentence instead of the help of the parameter.
    """
    questions: dict[int, list[str]] = {}
    for system in systems:
        for each in system.fields:
            questions.setdefault(each.id, []).append(f"{each.lang_label} ({system.lang_label})")
    fields = (
        FormField("system_id", gettext("Payment system"), help="", required=True),
        FormField("currency", gettext("Currency"), help=gettext("Empty where the system pays one alone.")),
        *(
            FormField(f"fields[{number}]", " / ".join(questions[number]), help="")
            for number in sorted(questions)[:_MOST_QUESTIONS]
        ),
    )
    return FormRows(NAME, gettext("Payment system"), fields, help=about)


def payee_choices(systems: Systems) -> FieldChoices:
    """Return the payment systems that can be chosen."""
    return {f"{NAME}[system_id]": [("", gettext("Choose")), *((str(each.id), each.lang_label) for each in systems)]}


def payee_values(chosen: Iterable[AffiliateSystemView]) -> list[dict[str, object]]:
    """Return an affiliate's payment systems by parameter name."""
    return [{"system_id": each.id, "currency": each.currency, "fields": each.fields} for each in chosen]
