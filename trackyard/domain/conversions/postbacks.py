"""Reads the parameters of an inbound postback into values and faults. Pure.

docs/spec/conversions.md#inbound-postbacks
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from trackyard.base.ids import is_hex24
from trackyard.base.money import find_amount
from trackyard.domain.conversions.signatures import signed_text
from trackyard.domain.conversions.statuses import SENT_STATUSES, Status
from trackyard.domain.offers.counters import Traits
from trackyard.domain.offers.goals import DEFAULT_GOAL, GOAL_LENGTH, trimmed_goal
from trackyard.domain.tracking.near_misses import plain_values
from trackyard.domain.tracking.rejections import is_rejected

CUSTOM_FIELDS: Final = range(1, 8)


def action_id_forms(sent: Iterable[str]) -> frozenset[str]:
    """Return action ids as sent and without outer spaces: a stored one has one of these forms."""
    ids = frozenset(sent)
    return ids | {each.strip() for each in ids if each.strip()}


class PostbackError(StrEnum):
    """Why a postback changes nothing: the text in the server postback log."""

    NO_CLICKID = "Missing mandatory parameter clickid"
    BROKEN_CLICKID = "Broken clickid"
    NO_PROMO_CODE = "Promo code does not exist"
    PROMO_CODE_OVER = "Promo code is not valid at this time"
    PROMO_CODE_USED = "Promo code limit is reached"
    CLICK_EXPIRED = "Click session lifespan is expired"
    OFFER_DISABLED = "Offer disabled"
    PIXELS_OFF = "Pixels are disabled"
    PAGE_DENIED = "Current page is denied"
    ACCESS_DENIED = "Access denied"
    WRONG_SIGNATURE = "Wrong signature"
    SIGNATURE_EXPIRED = "Signature is expired"
    ADDRESS_DENIED = "Current IP-address is denied"
    WRONG_STATUS = "Wrong status"
    WRONG_SUM = "Wrong sum"
    WRONG_CURRENCY = "Wrong currency"
    EXISTS = "Conversion exists"
    NOT_PENDING = "Conversion status is not pending"
    NO_CONVERSION = "Conversion does not exist"
    NO_CHANGE = "Nothing to change"
    NO_PAYMENT = "Payments not found"


@dataclass(frozen=True, slots=True)
class ReceivedPostback:
    """An inbound postback with its parameters read.

    time: UTC milliseconds, the creation time of its conversion.
    ip: the caller's IP address.
    reported_ip: the parameter `ip`.
    sum: None when none was sent.
    currency: in capitals, "" when none was sent.
    custom_fields: by number, without empty fields.
    faults: the parameters that cannot be read; `status` and `sum` then have their defaults.
    page: the host of the page, for a pixel; None = the request is not from a pixel.
    promo_code: "" = none was sent.
    reporter: the affiliate that reports its own conversion, 0 = the advertiser or staff report it.
    signature: "" = none was sent; ts: Unix seconds as sent; signed_text: over the values as they arrived, "" without
        a signature.
    sent_action_id: the action id as it arrived; `action_id` has no blanks around it.
    forgiven: its faults that were accepted all the same, bits of domain/tracking/forgiven.py.
    """

    id: str
    time: int
    ip: str = ""
    journal: str = ""
    position: int = 0
    click_id: str = ""
    goal: str = DEFAULT_GOAL
    action_id: str = ""
    status: Status = Status.CONFIRMED
    sum: Decimal | None = None
    currency: str = ""
    secure: str = ""
    comment: str = ""
    reported_ip: str = ""
    user_id: str = ""
    custom_fields: Mapping[str, str] = field(default_factory=dict)
    faults: frozenset[PostbackError] = frozenset()
    page: str | None = None
    signature: str = ""
    ts: str = ""
    signed_text: str = ""
    promo_code: str = ""
    reporter: int = 0
    sent_action_id: str = ""
    forgiven: int = 0

    @property
    def names_promo_code(self) -> bool:
        """Return whether it has a promo code instead of a click; a click id goes first."""
        return bool(self.promo_code) and not self.click_id

    @property
    def click_to_find(self) -> str:
        """Return its click id; "" for text that is not an id and may not fit a column."""
        return self.click_id if is_hex24(self.click_id) else ""

    def identity_for(self, click_id: str) -> str:
        """Return the identity of its conversion within an offer and goal: the action id, else the click.

        Action ids of an affiliate are its own: with one that an advertiser uses it would get conversions of others.
        """
        return self._identity(self.action_id.strip(), click_id)

    def identities_for(self, click_id: str) -> list[str]:
        """Return the identities that its conversion may have: as sent, then without outer spaces."""
        named = (self.sent_action_id or self.action_id, self.action_id.strip())
        return list(dict.fromkeys(self._identity(each, click_id) for each in named))

    def _identity(self, action_id: str, click_id: str) -> str:
        if not action_id:
            return f"c:{click_id}"
        if self.reporter:
            return f"p:{self.reporter}:{hashlib.sha256(action_id.encode()).hexdigest()}"
        if len(action_id) > GOAL_LENGTH:  # too long for its column, while its digest is not
            return f"h:{hashlib.sha256(action_id.encode()).hexdigest()}"
        return f"a:{action_id}"

    def traits_for(self, click: Mapping[str, Any]) -> Traits:
        """Return the traits by which its conversion counts."""
        return Traits(self.goal, click["affiliate"], click["country"][:2], self.time)


def parse_postback(
    postback_id: str,
    time: int,
    ip: str,
    params: Mapping[str, str],
    journal: str = "",
    position: int = 0,
    page: str | None = None,
    forgiven: int = 0,
) -> ReceivedPostback:
    """Read the parameters of a postback, given by canonical name.

    time: UTC ms.
    page: the host of the page, for a pixel; None = the request is not from a pixel.
    forgiven: the faults of the request that were accepted all the same.
    """
    text_to_sign = signed_text(params) if params.get("signature") else ""
    sent_action_id = params.get("action_id", "")
    params, forgiven_values = plain_values(params)
    status, sent_sum = SENT_STATUSES.get(params.get("status", "")), params.get("sum", "")
    amount = find_amount(sent_sum) if sent_sum else None
    return ReceivedPostback(
        id=postback_id,
        time=time,
        ip=ip,
        journal=journal,
        position=position,
        click_id=params.get("clickid", ""),
        goal=trimmed_goal(params.get("goal", "")),
        action_id=params.get("action_id", ""),
        status=status or Status.CONFIRMED,
        sum=amount,
        currency=params.get("currency", "").upper(),
        secure=params.get("secure", ""),
        comment=params.get("comment", ""),
        reported_ip=params.get("ip", ""),
        user_id=params.get("user_id", ""),
        custom_fields={str(n): value for n in CUSTOM_FIELDS if (value := params.get(f"custom_field{n}"))},
        faults=_faults_of(status, sent_sum, amount),
        page=page,
        signature=params.get("signature", ""),
        ts=params.get("ts", ""),
        signed_text=text_to_sign,
        promo_code=params.get("promo_code", "") if page is None else "",
        sent_action_id=sent_action_id,
        forgiven=forgiven | forgiven_values,
    )


def _faults_of(status: Status | None, sent_sum: str, amount: Decimal | None) -> frozenset[PostbackError]:
    faults = (
        (PostbackError.WRONG_STATUS, status is None),
        (PostbackError.WRONG_SUM, bool(sent_sum) and amount is None),
    )
    return frozenset(fault for fault, applies in faults if applies)


def find_early_error(
    postback: ReceivedPostback, click: Mapping[str, Any] | None, *, expired: bool = False
) -> PostbackError | None:
    """Return the fault that needs neither offer nor conversion, or None.

    click: None when no click has the id.
    expired: whether the click's retention period is over.
    """
    if not postback.click_id:
        return PostbackError.NO_CLICKID
    if expired:
        return PostbackError.CLICK_EXPIRED
    if click is None or is_rejected(click["reason"]):
        return PostbackError.BROKEN_CLICKID
    return None
