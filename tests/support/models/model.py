"""The rules of docs/spec/conversions.md and docs/spec/money.md in plain Python."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from tests.support.models.amounts import in_cents, rounded
from tests.support.models.model_records import ModelClick, ModelPaymentItem, ModelPostback, ModelTask

Limits = Mapping[str, Any]
Ladder = tuple[tuple[str, str], ...]
"""What the tiers that differ only in their values have in common."""
Money = dict[tuple[int, str], tuple[Decimal, Decimal]]
"""By affiliate and currency: hold, available."""

SENT = {None: "confirmed", "1": "confirmed", "2": "pending", "3": "declined", "4": "declined", "5": "hold"}
PERIODS = {"hour": "%F %H", "day": "%F", "week": "%G %V", "month": "%Y-%m", "all": ""}
REFUSED = {"banned": "Partner is banned", "not active": "Partner is disabled"}
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
PATIENCE = 72 * HOUR
ZERO = Decimal(0)


@dataclass
class ModelConversion:
    """A conversion. sent: the status last sent · steps: of the tiers reached when it was made."""

    goal: str
    identity: str
    click: ModelClick
    at: int
    status: str
    sent: str
    payment: ModelPaymentItem | None
    currency: str
    rate: Decimal
    steps: list[Limits]
    comment: str = ""
    hold_until: int | None = None
    sum: Decimal = ZERO
    charge: Decimal = ZERO
    payout: Decimal = ZERO
    referrer: int | None = None
    percent: Decimal = ZERO
    is_repeated: bool = False

    def counts_in(self, statuses: Iterable[str]) -> bool:
        """Whether a cap or tier that counts these statuses counts it."""
        return self.status in _equivalent_statuses(statuses) and not (self.is_repeated and self.is_declined)

    @property
    def is_declined(self) -> bool:
        return self.status in ("declined", "not_found")

    @property
    def base(self) -> tuple[Decimal, Decimal]:
        """Charge and payout in the platform currency."""
        return rounded(self.charge / self.rate), rounded(self.payout / self.rate)

    @property
    def share(self) -> Decimal:
        """The referrer's part of the payout."""
        return rounded(self.payout * self.percent / 100)


@dataclass
class ModelPayment:
    """A payment to an affiliate. exact: the amount before it is rounded down, without corrections."""

    affiliate: int
    currency: str
    exact: Decimal
    status: str = "created"

    @property
    def amount(self) -> Decimal:
        """What it pays, without corrections."""
        return in_cents(self.exact)


@dataclass
class ModelOffer:
    """The offer.

    hold: days · sessions: ms · limit: conversions a day of the first affiliate · tiers_since: by tiers that count
    together, when they were set: earlier conversions do not count.
    """

    status: str = "active"
    payments: list[ModelPaymentItem] = field(default_factory=list)
    hold: int = 0
    caps: list[Limits] = field(default_factory=list)
    counted: tuple[str, ...] = ("confirmed", "pending", "hold")
    limit: int | None = None
    tiers: list[Limits] = field(default_factory=list)
    tiers_since: dict[Ladder, int] = field(default_factory=dict)
    session: int = 365 * DAY
    min_session: int = 0
    one_address: bool = False
    one_conversion: bool = False
    secure: str = ""

    def set_tiers(self, now: int) -> None:
        """Notes since when the tiers count."""
        self.tiers_since = {_ladder(tier): self.tiers_since.get(_ladder(tier), now) for tier in self.tiers}


@dataclass
class ConversionModel:
    """Everything.

    affiliates: status by id · referrals: by affiliate its referrer and their percent · edges: those that exist · least:
    what is paid out at least, by currency · rates: by currency, each from a moment on · answers: by call, "" or why
    nothing happened · done: what the log says of edits and imports · resumed_at: the end of the last time in which
    nothing was loaded, UTC ms: no call waited in it.
    """

    affiliates: dict[int, str]
    referrals: dict[int, tuple[int, Decimal]]
    edges: set[int]
    least: dict[str, Decimal]
    offer: ModelOffer = field(default_factory=ModelOffer)
    rates: dict[str, list[tuple[int, Decimal]]] = field(default_factory=dict)
    recorded: list[tuple[int, ModelClick | ModelPostback]] = field(default_factory=list)
    clicks: dict[str, ModelClick] = field(default_factory=dict)
    loaded_until: dict[int, int] = field(default_factory=dict)
    waiting: list[ModelPostback] = field(default_factory=list)
    needed: dict[str, list[object]] = field(default_factory=dict)
    orders: list[ModelTask] = field(default_factory=list)
    made: list[ModelConversion] = field(default_factory=list)
    paid: dict[int, ModelPayment] = field(default_factory=dict)
    corrected: dict[tuple[int, str], Decimal] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    resumed_at: int = 0

    # --- what is recorded becomes conversions ---------------------------------------------------------------

    def work(self, marks: Mapping[int, int], now: int) -> None:
        """Loads what the edges recorded up to their marks, decides calls, then does what staff asked for."""
        mine = [item for edge in sorted(marks) for at, item in self.recorded if at == edge]
        self.recorded = [(edge, item) for edge, item in self.recorded if edge not in marks]
        self.clicks |= {item.id: item for item in mine if isinstance(item, ModelClick)}
        self.loaded_until |= marks
        calls, self.waiting = [*self.waiting, *(item for item in mine if isinstance(item, ModelPostback))], []
        for call in calls:
            if self._waits(call, now):
                self.waiting.append(call)
            else:
                self.answers[call.id] = self.decide(call)
        orders, self.orders = self.orders, []
        for order in orders:
            self.done[self.edit(order.made, order) if order.made else self.imported(order)] += 1

    def _waits(self, call: ModelPostback, now: int) -> bool:
        """Its click may still come."""
        name = call.params.get("clickid", "")
        if name in self.clicks or not self._is_possible(name) or now - max(call.at, self.resumed_at) >= PATIENCE:
            return False
        edge, latest = int(name[8:10], 16), int(name[:8], 16) * SECOND + 10 * SECOND
        reached = self.loaded_until.get(edge, 0)
        if latest - 20 * SECOND > max(call.at, reached):
            return now - max(call.at, self.resumed_at) < MINUTE
        if reached <= latest:
            return True
        # Its edge recorded more by then: the click may be among that.
        needed = self.needed.setdefault(name, [item for at, item in self.recorded if at == edge])
        if any(item is each for item in needed for _, each in self.recorded):
            return True
        del self.needed[name]
        return False

    def _is_possible(self, name: str) -> bool:
        if len(name) != 24 or set(name) - set("0123456789abcdef"):
            return False
        return int(name[8:10], 16) in self.edges

    def decide(self, call: ModelPostback) -> str:
        """What the server postback log says of a call; "" when it made or changed a conversion."""
        params, name = call.params, call.params.get("clickid")
        if not name:
            return "Missing mandatory parameter clickid"
        click = self.clicks.get(name)
        if click is None or click.reason not in ("", "not-counted"):
            return "Broken clickid"
        if self.offer.status == "stopped":
            return "Offer disabled"
        if self.offer.secure and params.get("secure") != self.offer.secure:
            return "Access denied"
        if params.get("status") not in SENT:
            return "Wrong status"
        if not _is_amount(params.get("sum", "0")):
            return "Wrong sum"
        if self.rate(params.get("currency", "USD"), call.at) is None:
            return "Wrong currency"
        identity = f"a:{params['action_id']}" if "action_id" in params else f"c:{click.id}"
        found = self.find(params.get("goal", "1"), identity)
        if found is None:
            self.made.append(self.new(click, call, identity))
            return ""
        return self.repeat(found, call)

    def find(self, goal: str, identity: str) -> ModelConversion | None:
        """The conversion of an identity."""
        return next((made for made in self.made if (made.goal, made.identity) == (goal, identity)), None)

    def repeat(self, made: ModelConversion, call: ModelPostback) -> str:
        """A call for a conversion that there is."""
        sent = SENT[call.params.get("status")]
        if sent == made.sent:
            return "Conversion exists"
        if made.status not in ("pending", "pending_cap") and (made.status, sent) != ("hold", "declined"):
            return "Conversion status is not pending"
        is_counted = self._counts(made.status)
        made.comment = call.params.get("comment", made.comment)
        self._settle(made, sent, call.at)
        if not is_counted and self.is_over(made):
            made.status, made.hold_until, made.comment = "declined", None, "Cap is reached"
        if "sum" in call.params or "currency" in call.params:
            self._price(made, call)
        return ""

    def new(self, click: ModelClick, call: ModelPostback, identity: str) -> ModelConversion:
        """A conversion by a call, perhaps declined on arrival."""
        made = self._plain(click, call, identity)
        self._settle(made, made.sent, call.at)
        reason = self._decline(made)
        if reason:
            made.status, made.hold_until, made.comment = "declined", None, reason
        return made

    def _decline(self, made: ModelConversion) -> str:
        age, offer = max(0, made.at - made.click.at), self.offer
        if self.affiliates[made.click.affiliate] != "active":
            return REFUSED[self.affiliates[made.click.affiliate]]
        if age > offer.session:
            return "Click session lifespan is expired"
        if age < offer.min_session:
            return "Min click session lifespan is not reached"
        counted = [each for each in self.made if each.goal == made.goal and not each.is_declined]
        if offer.one_conversion and any(each.click is made.click for each in counted):
            made.is_repeated = True
            return "Repeated conversion"
        if offer.one_address and any(each.click.ip == made.click.ip for each in counted):
            return "IP duplicate"
        if made.payment is None:
            return "Payments not found"
        return "Cap is reached" if self.is_over(made) else ""

    def _plain(self, click: ModelClick, call: ModelPostback, identity: str) -> ModelConversion:
        """A conversion before its status is settled."""
        goal, sent = call.params.get("goal", "1"), SENT[call.params.get("status")]
        payment = self._payment(click, goal)
        currency = payment.currency if payment else "USD"
        rate = self.rate(currency, call.at)
        assert rate is not None
        made = ModelConversion(goal, identity, click, call.at, "", sent, payment, currency, rate, [])
        made.referrer, made.percent = self.referrals.get(click.affiliate, (None, ZERO))
        made.steps = self._steps(made) if payment else []
        made.comment = call.params.get("comment", "")
        self._price(made, call)
        return made

    def _settle(self, made: ModelConversion, sent: str, now: int) -> None:
        until = made.at + self.offer.hold * DAY
        holds = self.offer.hold > 0 and (sent == "hold" or (sent == "confirmed" and until > now))
        made.sent, made.status, made.hold_until = sent, "hold" if holds else sent, until if holds else None

    # --- amounts --------------------------------------------------------------------------------------------

    def rate(self, currency: str, at: int) -> Decimal | None:
        """Units of a currency for one of the platform's."""
        if currency == "USD":
            return Decimal(1)
        return next((rate for since, rate in reversed(self.rates.get(currency, [])) if since <= at), None)

    def _payment(self, click: ModelClick, goal: str) -> ModelPaymentItem | None:
        fitting = [each for each in self.offer.payments if each.goal == goal and each.country in ("", click.country)]
        own = [each for each in fitting if each.affiliate == click.affiliate]
        general = [each for each in fitting if each.affiliate is None]
        return max(own or general, key=lambda each: bool(each.country), default=None)

    def _price(self, made: ModelConversion, call: ModelPostback) -> None:
        exact = made.sum
        if "sum" in call.params:
            exact = rounded(Decimal(call.params["sum"]))
            currency = call.params.get("currency", made.currency)
            of, into = self.rate(currency, call.at), self.rate(made.currency, call.at)
            assert of is not None and into is not None
            exact = exact if currency == made.currency else exact * into / of
            made.sum = rounded(exact)
        made.charge = made.payout = ZERO
        if made.payment is not None:
            item = made.payment
            made.charge = item.total if item.kind == "fixed" else rounded(exact * item.total / 100)
            made.payout = rounded(exact * item.revenue / 100) if item.kind == "percent" else item.revenue
        for step in made.steps:
            which = step.get("modifier_payment_type", "payout")
            if which != "total":
                made.payout = _stepped(made.payout, step, exact)
            if which != "payout":
                made.charge = _stepped(made.charge, step, exact)

    # --- caps and tiers -------------------------------------------------------------------------------------

    def _counts(self, status: str) -> bool:
        return status in _equivalent_statuses(self.offer.counted) or status == "pending_cap"

    def together(
        self, item: Limits, period: str, made: ModelConversion, statuses: Iterable[str]
    ) -> list[ModelConversion] | None:
        """The other conversions that a cap or tier counts with one; None when it does not count it."""
        sides = [(item.get(f"{name}_type", "all"), name) for name in ("goal", "affiliate", "country")]
        listed = {"goal": item.get("goals"), "affiliate": item.get("affiliates"), "country": item.get("country")}

        def is_listed(each: ModelConversion) -> bool:
            return all(kind != "exact" or _side(each, name) in (listed[name] or ()) for kind, name in sides)

        def is_alike(each: ModelConversion) -> bool:
            return all(kind != "each" or _side(each, name) == _side(made, name) for kind, name in sides)

        if not is_listed(made):
            return None
        same = [each for each in self.made if each is not made and _period(period, each.at) == _period(period, made.at)]
        return [each for each in same if each.counts_in(statuses) and is_listed(each) and is_alike(each)]

    def caps(self) -> Iterator[Limits]:
        """Those of the offer, the personal limit of the first affiliate among them."""
        yield from self.offer.caps
        if self.offer.limit is not None:
            who = {"affiliate_type": "exact", "affiliates": [min(self.affiliates)]}
            yield {"period": "day", "type": "conversions", "value": self.offer.limit, **who}

    def is_over(self, made: ModelConversion) -> bool:
        """Whether a cap that counts its status is reached without the conversion."""
        if not self._counts(made.status):
            return False
        counted = (*self.offer.counted, "pending_cap")
        found = ((cap, self.together(cap, cap["period"], made, counted)) for cap in self.caps())
        return any(others is not None and _reached(cap, others) for cap, others in found)

    def held(self, made: ModelConversion) -> list[tuple[int, Decimal]]:
        """What each cap that counts such a conversion holds, itself included: number, payouts."""
        found, counted = [], (*self.offer.counted, "pending_cap")
        for cap in self.caps():
            others = self.together(cap, cap["period"], made, counted)
            if others is not None:
                figures = _measures([*others, *([made] if made.counts_in(counted) else [])])
                found.append((figures[0], figures[2]))
        return found

    def _steps(self, made: ModelConversion) -> list[Limits]:
        ladders: dict[Ladder, list[Limits]] = {}
        for tier in self.offer.tiers:
            ladders.setdefault(_ladder(tier), []).append(tier)
        found = []
        for ladder, ladder_of in ladders.items():
            first = ladder_of[0]
            if first.get("target_goals") and made.goal not in first["target_goals"]:
                continue
            statuses = first.get("conversion_status") or ("confirmed", "pending", "hold")
            sides = {"affiliate_type": first["affiliate_type"]}
            others = self.together(sides, first["timeframe"], made, statuses)
            assert others is not None
            others = [each for each in others if each.goal in (first.get("goals") or [each.goal])]
            others = [each for each in others if each.at >= self.offer.tiers_since[ladder]]
            reached = [tier for tier in ladder_of if _reached(tier, others)]
            found += [max(reached, key=lambda tier: int(tier["value"]))] if reached else []
        return found

    # --- what staff and time do -----------------------------------------------------------------------------

    def edit(self, made: ModelConversion, order: ModelTask) -> str:
        """What the log says of an edit."""
        before, given = replace(made), order.fields
        if given.get("status", made.status) != made.status:
            until = made.at + self.offer.hold * DAY
            holds = given["status"] == "hold" and until > order.at
            made.status, made.hold_until = given["status"], until if holds else None
        if "currency" in given:
            rate = self.rate(given["currency"], made.at)
            assert rate is not None
            made.currency, made.rate = given["currency"], rate
        made.payout = Decimal(given.get("payouts", made.payout))
        made.charge = Decimal(given.get("revenue", made.charge))
        made.comment = given.get("comment", made.comment)
        return "EDIT Nothing to change" if made == before else "EDIT "

    def imported(self, order: ModelTask) -> str:
        """What the log says of an import."""
        given = order.fields
        identity = f"a:{given['action_id']}"
        if self.find(given["goal"], identity):
            return "IMPORT Conversion exists"
        click = ModelClick("", 255, order.at, given["pid"], "", given.get("ip", ""))
        params: dict[str, str] = {name: given[name] for name in ("goal", "action_id", "sum") if name in given}
        made = self._plain(click, ModelPostback("", order.at, params), identity)
        status = given.get("status")
        self._settle(made, status or "confirmed", order.at)
        if status not in (None, "hold"):
            made.status, made.hold_until = status, None
        made.sent = {"pending_cap": "pending", "not_found": "declined"}.get(made.sent, made.sent)
        self.made.append(made)
        return "IMPORT "

    def end_holds(self, now: int) -> None:
        """The job that confirms."""
        for made in self.made:
            if made.status == "hold" and made.hold_until is not None and made.hold_until <= now:
                made.status, made.hold_until = "confirmed", None

    # --- figures --------------------------------------------------------------------------------------------

    def balances(self) -> Money:
        """What each affiliate has in each currency."""
        found: Money = {}

        def add(affiliate: int, currency: str, hold: Decimal, available: Decimal) -> None:
            before = found.get((affiliate, currency), (ZERO, ZERO))
            found[affiliate, currency] = before[0] + hold, before[1] + available

        for made in self.made:
            is_confirmed = made.status == "confirmed"
            hold = made.payout if made.status == "hold" else ZERO
            add(made.click.affiliate, made.currency, hold, made.payout if is_confirmed else ZERO)
            if made.referrer is not None and is_confirmed:
                add(made.referrer, made.currency, ZERO, made.share)
        for account, amount in self.corrected.items():
            add(*account, ZERO, amount)
        for paid in self.paid.values():
            if paid.status != "cancelled":
                add(paid.affiliate, paid.currency, ZERO, -paid.amount)
        return {key: value for key, value in found.items() if any(value)}

    def due(self) -> dict[tuple[int, str], Decimal]:
        """Who can be paid how much, before it is rounded down to cents."""
        return {
            (affiliate, currency): available
            for (affiliate, currency), (_, available) in self.balances().items()
            if in_cents(available) > 0 and in_cents(available) >= self.least.get(currency, ZERO)
        }

    def actions(self, kept: Iterable[ModelConversion]) -> dict[str, tuple[int, Decimal, Decimal]]:
        """By type as statistics have them: conversions, charges and payouts in the platform currency."""
        types = {"confirmed": ["confirmed"], "pending": ["pending", "pending_cap"], "hold": ["hold"]}
        types |= {"declined": ["declined", "not_found"]}
        kept = list(kept)
        found = {kind: _measures(made for made in kept if made.status in types[kind]) for kind in types}
        return found | {"total": _measures(kept)}


def _measures(made: Iterable[ModelConversion]) -> tuple[int, Decimal, Decimal]:
    bases = [each.base for each in made]
    return len(bases), sum((base[0] for base in bases), ZERO), sum((base[1] for base in bases), ZERO)


def _ladder(tier: Limits) -> Ladder:
    return tuple((name, str(tier[name])) for name in sorted(tier) if name not in ("value", "modifier_value"))


def _reached(limit: Limits, others: list[ModelConversion]) -> bool:
    held = _measures(others)
    return (held[2] if limit["type"] == "budget" else held[0]) >= Decimal(limit["value"])


def _stepped(amount: Decimal, step: Limits, order_sum: Decimal) -> Decimal:
    value = Decimal(step["modifier_value"])
    changed = {
        "by_fix": amount + value,
        "to_fix": value,
        "by_percent": amount + amount * value / 100,
        "to_percent": order_sum * value / 100,
    }
    return rounded(changed[step["modifier_type"]])


def _equivalent_statuses(statuses: Iterable[str]) -> set[str]:
    """Those that are shown as one of these: pending_cap as pending, not_found as declined."""
    shown = {"pending": "pending_cap", "declined": "not_found"}
    return {*statuses} | {shown[status] for status in statuses if status in shown}


def _side(made: ModelConversion, name: str) -> Any:
    return {"goal": made.goal, "affiliate": made.click.affiliate, "country": made.click.country}[name]


def _period(name: str, at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime(PERIODS[name])


def _is_amount(text: str) -> bool:
    try:
        return 0 <= Decimal(text) < 10**11  # sums of them must be stored, too
    except ArithmeticError:
        return False
