"""Changes that wait for a second person (docs/spec/money.md#second-person)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from trackyard.base.texts.marks import gettext
from trackyard.domain.money.written_amounts import amount_words


class HeldKind(StrEnum):
    """The held change. payment: executing a payment. payment_systems: an affiliate's payment systems."""

    PAYMENT = "payment"
    PAYMENT_SYSTEMS = "payment_systems"


class HeldState(StrEnum):
    """The state of a held change. Only a waiting one can be decided.

    replaced: the subject was changed in another way, or the same change was asked for with other values.
    """

    WAITING = "waiting"
    CONFIRMED = "confirmed"
    REFUSED = "refused"
    REPLACED = "replaced"


PAYMENT_SYSTEMS: Final = "payment_systems"
"""The values with personal data: payment systems as the affiliate's record has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldChange:
    """A change that waits for a second person, or waited for one.

    affiliate_id: the affiliate that is paid.
    subject_id: the number of the payment, or the affiliate's id.
    asked: the requested values; for a payment its comment.
    before: the values before; for a payment its amount, currency and the affiliate's payment systems.
    author_id, decided_by: staff users; decided_by is "" while it waits.
    created_at, decided_at: UTC milliseconds.
    """

    id: str
    kind: HeldKind
    affiliate_id: int
    subject_id: int
    asked: Mapping[str, Any]
    before: Mapping[str, Any]
    state: HeldState = HeldState.WAITING
    author_id: str
    created_at: int
    decided_by: str = ""
    decided_at: int | None = None

    @property
    def amount(self) -> Decimal | None:
        """Return the amount of a payment; None for other changes."""
        return Decimal(self.before["amount"]) if self.kind is HeldKind.PAYMENT else None

    @property
    def label(self) -> str:
        """Return its name in mails, without personal data."""
        if self.kind is HeldKind.PAYMENT_SYSTEMS:
            return gettext("payment systems of affiliate %(pid)s", pid=self.affiliate_id)
        return gettext(
            "payment %(number)s of %(amount)s to affiliate %(pid)s",
            number=self.subject_id,
            amount=amount_words(Decimal(self.before["amount"]), self.before["currency"]),
            pid=self.affiliate_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldChangeFilter:
    """The held changes of a list; empty is any."""

    kinds: Sequence[HeldKind] = ()
    states: Sequence[HeldState] = ()
    affiliate_ids: Sequence[int] = ()


def without_personal_data(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return kept values without personal data."""
    return {name: value for name, value in values.items() if name != PAYMENT_SYSTEMS}
