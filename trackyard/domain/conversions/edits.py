"""What staff do to conversions by hand: edits of stored ones, and imports of new ones
(docs/spec/conversions.md#edits-and-imports). Pure."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import msgspec

from trackyard.base.money import converted
from trackyard.domain.conversions.conversions import (
    Conversion,
    ConversionChange,
    DecisionTerms,
    PostbackError,
    ReceivedPostback,
    is_out_of_range,
)
from trackyard.domain.conversions.decisions import apply_hold, create_conversion
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import ChangeOrigin, Status, is_transition_allowed
from trackyard.domain.offers.caps import NO_CAPS

_ONE = Decimal(1)

_SENT_EQUIVALENTS = {Status.PENDING_CAP: Status.PENDING, Status.NOT_FOUND: Status.DECLINED}
"""What a call would have to send to say the same."""


class ConversionEdit(msgspec.Struct, frozen=True, kw_only=True):
    """An edit of one conversion, as it is queued. None = stays as it is. payout, charge: in the conversion's
    currency, after `currency` has relabelled its amounts."""

    conversion_id: str
    status: Status | None = None
    currency: str | None = None
    payout: Decimal | None = None
    charge: Decimal | None = None
    comment: str | None = None

    @property
    def affects_counters(self) -> bool:
        """Whether it may change what counters of caps and tiers hold."""
        return self.status is not None or self.currency is not None or self.payout is not None


class ConversionImport(msgspec.Struct, frozen=True, kw_only=True):
    """A conversion to be made, as it is queued.

    status None = as an inbound postback without one · sum: what the visitor paid, in the payment's currency · ip, ua:
    of the visitor · custom_fields: by number · click: the record, by column name, of the click it names; None = it
    gets one of its own.
    """

    offer_id: int
    affiliate_id: int
    goal: str
    action_id: str = ""
    ip: str = ""
    ua: str = ""
    sum: Decimal | None = None
    status: Status | None = None
    comment: str = ""
    custom_fields: dict[str, str] = msgspec.field(default_factory=dict)
    click: dict[str, Any] | None = None

    @property
    def params(self) -> dict[str, str]:
        """Return the parameters of an equal inbound postback, without its click."""
        given = {
            "goal": self.goal,
            "action_id": self.action_id,
            "sum": "" if self.sum is None else str(self.sum),
            "ip": self.ip,
            "comment": self.comment,
            "status": "" if self.status is None else str(self.status.shown.number),
            **{f"custom_field{number}": value for number, value in self.custom_fields.items()},
        }
        return {name: value for name, value in given.items() if value}


def apply_edit(
    stored: Conversion, edit: ConversionEdit, hold_days: int, rates: Mapping[str, Decimal], at_ms: int, actor: str
) -> ConversionChange | PostbackError:
    """What an edit does to a stored conversion, or why it does nothing.

    hold_days: of its offer · rates: those in force when the conversion was made · at_ms: of the request.
    """
    if edit.currency is not None and edit.currency not in rates:
        return PostbackError.WRONG_CURRENCY
    after = replace(stored, comment=stored.comment if edit.comment is None else edit.comment)
    if edit.status not in (None, stored.status) and not is_transition_allowed(
        ChangeOrigin.EDIT, stored.status, edit.status
    ):
        return PostbackError.WRONG_STATUS
    if edit.status is not None and edit.status is not stored.status:
        until = stored.created_at + hold_days * DAY_MS
        holds = edit.status is Status.HOLD and until > at_ms
        after = replace(after, status=edit.status, hold_until=until if holds else None)
    if edit.currency is not None:
        after = replace(after, currency=edit.currency, rate=rates[edit.currency])
    payout = stored.payout if edit.payout is None else edit.payout
    charge = stored.charge if edit.charge is None else edit.charge
    after = replace(
        after,
        payout=payout,
        charge=charge,
        payout_base=converted(payout, after.rate, _ONE),
        charge_base=converted(charge, after.rate, _ONE),
    )
    if after == stored:
        return PostbackError.NO_CHANGE
    if is_out_of_range(after):
        return PostbackError.WRONG_SUM
    after = replace(after, version=stored.version + 1, updated_at=max(at_ms, stored.updated_at))
    return ConversionChange(stored, after, actor)


def apply_import(
    item: ConversionImport,
    call: ReceivedPostback,
    click: Mapping[str, Any],
    terms: DecisionTerms,
    existing: Conversion | None,
    new_id: str,
    actor: str,
) -> ConversionChange | PostbackError:
    """What an import makes: computed like a call, but nothing is declined on arrival, and a status that is given is
    taken as it is. call: of the import's own click, at the time of the request."""
    if existing is not None:
        return PostbackError.EXISTS
    taken = replace(terms, affiliate_status="active", offer=replace(terms.offer, caps=NO_CAPS))
    made = create_conversion(call, click, taken, new_id)
    if isinstance(made, PostbackError):
        return made
    if is_out_of_range(made):
        return PostbackError.WRONG_SUM
    sent = item.status or Status.CONFIRMED
    status, hold_until = apply_hold(sent, terms.offer.hold_days, call.time, call.time)
    if item.status is not None and item.status is not Status.HOLD:
        status, hold_until = item.status, None
    if not is_transition_allowed(ChangeOrigin.IMPORT, None, status):
        return PostbackError.WRONG_STATUS
    made = replace(
        made,
        status=status,
        hold_until=hold_until,
        sent_status=_SENT_EQUIVALENTS.get(sent, sent),
        comment=item.comment,
    )
    return ConversionChange(None, made, actor)
