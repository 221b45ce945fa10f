"""KPI rules of the public API, and the logs of what rules block (docs/spec/automation.md#kpi-rules)."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Final, TypedDict
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.automation import rules
from trackyard.actions.statistics.automation.words import reading_words
from trackyard.api.lookups import path_hex
from trackyard.api.paging import Count, Paging
from trackyard.base.errors import BadInput
from trackyard.base.money import find_amount
from trackyard.base.zones import datetime_text, day_end_ms, day_start_ms
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.automation.kpi import BLOCK, CONVERSION, PERIODS, KpiTerms
from trackyard.domain.statistics.automation.logs import BlockEntry, ChangeFilter, FiringFilter, RuleChange
from trackyard.domain.statistics.automation.rules import Rule, RuleAction, RuleFiring, RuleKind
from trackyard.domain.tracking.subs import SUBS
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number

routes = Routes[Deps]()
_STAFF: Final = for_staff(Permission.RULES_WRITE)
_LIST_MAX: Final = 500
_KPI_SUBS: Final = SUBS[:5]
_STATUSES: Final = ("confirmed", "pending", "declined", "hold")
_CHANGE_TYPES: Final = ("add", "update", "delete")
_NO_BOUND: Final = "0.000000"


def _share(text: str) -> Decimal | None:
    """Return a percentage. A comma before one or two digits is decimal, as existing programs write it."""
    whole, comma, places = text.strip().partition(",")
    decimal = f"{whole}.{places}" if comma and len(places) in (1, 2) else text
    return find_amount(decimal)


KpiShare = Annotated[Decimal, s.AmountForm(s.AMOUNT.contract, s.AMOUNT.fault, _share, s.AMOUNT.described)]
KpiGoal = Annotated[str, s.BoundedText(minimum=1, maximum=255)]


class _Period(TypedDict):
    since: int
    until: int


class WriteKpiRule(Params):
    """A KPI rule. It blocks subs, or changes conversions, while the goals are reached too seldom."""

    offers: Seq[s.Id]
    action_type: Annotated[str, s.Choice((BLOCK, CONVERSION))]
    period: Annotated[str, s.Choice(PERIODS)]
    sub: Annotated[str, s.Choice(_KPI_SUBS)] | None = None
    change_to: Annotated[str, s.Choice(_STATUSES)] | None = None
    affiliates: Seq[s.Id] = ()
    goal1: KpiGoal
    goal2: KpiGoal
    kpi: KpiShare
    notify_manager: s.Flag

    def terms(self) -> KpiTerms:
        """Return the terms. Raises BadInput for what the action needs and was not sent."""
        faults: dict[str, list[str]] = {}
        if len(set(self.offers)) != 1:
            faults["offers"] = ["One offer must be named: a KPI rule judges a single offer."]
        blocks = self.action_type == BLOCK
        if blocks and self.sub is None:
            faults["sub"] = ["This parameter is required when action_type is block."]
        if blocks and not self.affiliates:
            faults["affiliates"] = ["This parameter is required when action_type is block."]
        if not blocks and self.change_to is None:
            faults["change_to"] = ["This parameter is required when action_type is conversion."]
        if faults:
            raise BadInput(faults)
        return KpiTerms(
            offer=self.offers[0],
            action_type=self.action_type,
            period=self.period,
            sub=(self.sub or "") if blocks else "",
            change_to="" if blocks else self.change_to or "",
            affiliates=self.affiliates,
            goal1=self.goal1,
            goal2=self.goal2,
            kpi=self.kpi,
            notify_manager=self.notify_manager,
        )


class LogPeriod(Params):
    """The days of a log, both included, in the platform's zone."""

    date_from: s.Day
    date_to: s.Day

    def period(self, zone: ZoneInfo) -> _Period:
        """Return the period. Raises BadInput for days in the wrong order."""
        return _period(self.date_from, self.date_to, zone)


class KpiBlockFilter(LogPeriod):
    """Which entries of the log of blocked subs are listed."""

    sub_index: s.Text | None = None
    sub_value: s.Text | None = None
    action: s.Text | None = None
    offers: Seq[s.Id] = ()
    affiliates: Seq[s.Id] = ()


class CrBlockFilter(LogPeriod):
    """Which entries of the log of rules are listed."""

    advertisers: Seq[s.Text] = ()
    offers: Seq[s.Id] = ()
    affiliates: Seq[s.Id] = ()


class ListKpiChanges(Paging):
    """Which changes of KPI rules are listed."""

    limit: Count = 10
    filter: LogPeriod
    offers: Seq[s.Id] = ()
    affiliates: Seq[s.Id] = ()
    type: Seq[Annotated[str, s.Choice(_CHANGE_TYPES)]] = ()


class ListKpiBlocks(Paging):
    """A page of the log of subs that KPI rules block."""

    filter: KpiBlockFilter


class ListCrBlocks(Paging):
    """A page of the log of what other rules block."""

    filter: CrBlockFilter


class KpiRuleView(View):
    """A KPI rule. sub, change_to: null where the action needs none."""

    id: str
    offers: list[str]
    period: str
    action_type: str
    change_to: str | None
    affiliates: list[int]
    sub: str | None
    goal1: str
    goal2: str
    kpi: Money
    notify_manager: int


class KpiRulesAnswer(Answer):
    """A page of KPI rules."""

    items: list[KpiRuleView]
    pagination: Pagination


class KpiRuleAnswer(Answer):
    """One KPI rule."""

    message: KpiRuleView


class RemovedKpiRule(View):
    """That a rule was removed."""

    message: str


class RemovedKpiRuleAnswer(Answer):
    """That a rule was removed."""

    message: RemovedKpiRule


class KpiChangeView(View):
    """A change of a KPI rule. automation: the rule after it, or as it was when it was removed."""

    id: str
    automation_id: str
    type: str
    user: str
    created_at: str
    automation: KpiRuleView


class KpiChangesAnswer(Answer):
    """A page of changes."""

    items: list[KpiChangeView]
    pagination: Pagination


class KpiBlockView(View):
    """An entry of the log. action: block or unblock. additional_data: why, in words."""

    created_at: str
    offer_id: int
    affiliate_id: int
    sub_index: str
    sub_value: str
    action: str
    additional_data: str | None


class KpiBlocksAnswer(Answer):
    """A page of the log."""

    items: list[KpiBlockView]
    pagination: Pagination


class NamedThing(View):
    """The id and the title of an offer, an affiliate or an advertiser."""

    id: str
    title: str


class CrBlockView(View):
    """An entry of the log. current_cr and its thresholds are 0 for rules by another metric."""

    advertiser: NamedThing
    offer: NamedThing
    affiliate: NamedThing
    rule_id: str
    sub1: str
    sub2: str
    created_at: str
    current_cr: Money
    cr_thresholds_min: str
    cr_thresholds_max: str
    type: str


class CrBlocksAnswer(Answer):
    """A page of the log."""

    rules: list[CrBlockView]
    pagination: Pagination


def _find(request: ApiRequest[Deps]) -> Rule:
    return rules.get_rule(request.deps, path_hex(request), RuleKind.KPI)


@routes.get("/automation/kpi", _STAFF, id="automation.kpi.list", page_max=_LIST_MAX)
def list_(request: ApiRequest[Deps], params: Paging) -> KpiRulesAnswer:
    """List KPI rules, the newest first."""
    found, total = rules.list_rules(request.deps, RuleKind.KPI, **params.place(request))
    return KpiRulesAnswer(items=[_view(each) for each in found], pagination=params.pagination(request, total))


@routes.post("/automation/kpi", _STAFF, id="automation.kpi.add")
def add(request: ApiRequest[Deps], params: WriteKpiRule) -> KpiRuleAnswer:
    """Add a KPI rule, which is on at once.

    After each whole hour it judges the period before. Where conversions of goal2 are fewer than kpi percent of the
    conversions of goal1, it blocks the value of the sub, or changes the conversions of goal2.
    """
    made = rules.add_rule(request.deps, request.access, {**params.terms().fields(), "is_on": True})
    return KpiRuleAnswer(message=_view(made))


@routes.post("/automation/kpi/{id}", _STAFF, id="automation.kpi.edit", find=_find)
def edit(request: ApiRequest[Deps], params: WriteKpiRule) -> KpiRuleAnswer:
    """Replace the terms of a KPI rule. What it did stays done."""
    values = params.terms().fields()
    after = rules.edit_rule(request.deps, request.access, request.subject.id, values, RuleKind.KPI)
    return KpiRuleAnswer(message=_view(after))


@routes.delete("/automation/kpi/{id}", _STAFF, id="automation.kpi.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> RemovedKpiRuleAnswer:
    """Remove a KPI rule and undo what it changed.

    Subs that it blocked take clicks again. Conversions that were not changed since get their former status.
    """
    rules.remove_rule(request.deps, request.access, request.subject.id, RuleKind.KPI)
    return RemovedKpiRuleAnswer(message=RemovedKpiRule(message="success deleted"))


@routes.get("/automation/kpi/change-logs", _STAFF, id="automation.kpi.changes")
def list_changes(request: ApiRequest[Deps], params: ListKpiChanges) -> KpiChangesAnswer:
    """List when KPI rules were added, edited and removed, the newest first."""
    zone = request.deps.zone
    chosen = ChangeFilter(
        **params.filter.period(zone), offers=params.offers, affiliates=params.affiliates, types=params.type
    )
    found, total = rules.list_changes(request.deps, RuleKind.KPI, chosen, **params.place(request))
    views = [_change_view(each, zone) for each in found]
    return KpiChangesAnswer(items=views, pagination=params.pagination(request, total))


@routes.get("/automation/kpi/block-logs", _STAFF, id="automation.kpi.blocks", page_max=_LIST_MAX)
def list_blocks(request: ApiRequest[Deps], params: ListKpiBlocks) -> KpiBlocksAnswer:
    """List the subs that KPI rules blocked and unblocked, the newest first."""
    zone, wanted = request.deps.zone, params.filter
    chosen = FiringFilter(
        **wanted.period(zone),
        kinds=(RuleKind.KPI,),
        actions=(RuleAction.BLOCK_SUB,),
        offers=wanted.offers,
        affiliates=wanted.affiliates,
    )
    found, total = rules.list_blocks(
        request.deps,
        chosen,
        sub_index=(wanted.sub_index or "").removeprefix("sub"),
        sub_value=wanted.sub_value or "",
        action=wanted.action or "",
        **params.place(request),
    )
    views = [_block_view(each, zone) for each in found]
    return KpiBlocksAnswer(items=views, pagination=params.pagination(request, total))


@routes.get("/automation/cr-and-sub/block-logs", _STAFF, id="automation.cr-and-sub.blocks", page_max=_LIST_MAX)
def list_cr_blocks(request: ApiRequest[Deps], params: ListCrBlocks) -> CrBlocksAnswer:
    """List the affiliates that rules disconnected and the subs that they blocked.

    The newest come first. Entries of KPI rules have a log of their own.
    """
    zone, wanted = request.deps.zone, params.filter
    chosen = FiringFilter(
        **wanted.period(zone),
        kinds=(RuleKind.RULE,),
        actions=(RuleAction.BLOCK_SUB, RuleAction.DISCONNECT),
        offers=wanted.offers,
        affiliates=wanted.affiliates,
        advertisers=wanted.advertisers,
    )
    found, _, total = rules.list_firings(request.deps, chosen, **params.place(request))
    titles = rules.titles_of(request.deps, found)
    views = [_cr_block_view(each, titles, zone) for each in found]
    return CrBlocksAnswer(rules=views, pagination=params.pagination(request, total))


def _period(first: date, last: date, zone: ZoneInfo) -> _Period:
    if last < first:
        raise BadInput({"filter[date_to]": ["This day must not lie before filter[date_from]."]})
    return {"since": day_start_ms(first, zone), "until": day_end_ms(last, zone)}


def _view(rule: Rule) -> KpiRuleView:
    terms = KpiTerms.of_rule(rule)
    return KpiRuleView(
        id=rule.id,
        offers=[str(terms.offer)],
        period=terms.period,
        action_type=terms.action_type,
        change_to=terms.change_to or None,
        affiliates=list(terms.affiliates),
        sub=terms.sub or None,
        goal1=terms.goal1,
        goal2=terms.goal2,
        kpi=number(terms.kpi),
        notify_manager=int(terms.notify_manager),
    )


def _change_view(change: RuleChange, zone: ZoneInfo) -> KpiChangeView:
    return KpiChangeView(
        id=change.id,
        automation_id=change.rule_id,
        type=change.type,
        user=change.by.partition(":")[2],
        created_at=datetime_text(change.at, zone),
        automation=_view(rules.rule_of_change(change)),
    )


def _block_view(entry: BlockEntry, zone: ZoneInfo) -> KpiBlockView:
    return KpiBlockView(
        created_at=datetime_text(entry.at, zone),
        offer_id=entry.offer_id,
        affiliate_id=entry.affiliate_id,
        sub_index=entry.sub_index,
        sub_value=entry.sub_value,
        action=entry.action,
        additional_data=reading_words(entry.readings) if entry.action == "block" else None,
    )


def _cr_block_view(firing: RuleFiring, titles: rules.Titles, zone: ZoneInfo) -> CrBlockView:
    offers, affiliates, advertisers = titles
    cr = next((each for each in firing.readings if each["metric"] == "cr"), None)
    return CrBlockView(
        advertiser=_named(firing.advertiser_id, advertisers),
        offer=_named(firing.offer_id, offers),
        affiliate=_named(firing.affiliate_id, affiliates),
        rule_id=firing.rule_id,
        sub1=firing.sub_value if firing.sub_index == "1" else "",
        sub2=firing.sub_value if firing.sub_index == "2" else "",
        created_at=datetime_text(firing.fired_at, zone),
        current_cr=number(Money(cr["value"])) if cr else Money(0),
        cr_thresholds_min=_threshold(cr, below=True),
        cr_thresholds_max=_threshold(cr, below=False),
        type="disabled affiliate" if firing.action is RuleAction.DISCONNECT else f"blocked sub{firing.sub_index}",
    )


def _threshold(reading: Mapping[str, Any] | None, *, below: bool) -> str:
    if reading is None or reading["below"] is not below:
        return _NO_BOUND
    return f"{Money(reading['bound']):.6f}"


def _named(key: Any, titles: Mapping[Any, str]) -> NamedThing:
    return NamedThing(id="" if key is None else str(key), title=titles.get(key, ""))
