"""Rules that watch the statistics (docs/spec/automation.md)."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.automation import rules
from trackyard.actions.statistics.automation.look_back import look_back_on
from trackyard.actions.statistics.automation.words import element_words, reading_words
from trackyard.actions.tracking.called_addresses import check_called
from trackyard.api.lookups import by_hex
from trackyard.api.paging import Paging
from trackyard.api.tracking.macro_warnings import warn_where_none_is_filled
from trackyard.base.zones import datetime_text
from trackyard.domain.offers.choices import TAKING_NO_CLICKS
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.automation.logs import FiringFilter
from trackyard.domain.statistics.automation.measures import METRICS
from trackyard.domain.statistics.automation.rules import (
    EACH,
    Rule,
    RuleAction,
    RuleCondition,
    RuleFiring,
    RuleKind,
)
from trackyard.domain.statistics.automation.windows import MOST_HOURS
from trackyard.domain.tracking.subs import SUBS
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_STAFF: Final = for_staff(Permission.RULES_WRITE)
_find_rule = by_hex(rules.get_rule)
_find_firing = by_hex(rules.get_firing)

BELOW: Final = "below"
ABOVE: Final = "above"
_NEW_STATUSES: Final = (*TAKING_NO_CLICKS, "confirmed", "pending", "declined", "hold")

Goal = Annotated[str, s.BoundedText(maximum=255)]
RuleTitle = Annotated[str, s.BoundedText(minimum=1, maximum=200)]
Hours = Annotated[int, s.WholeNumber(minimum=1, maximum=MOST_HOURS)]
Volume = Annotated[int, s.WholeNumber(minimum=0)]


class ConditionItem(Params):
    """A bound of a metric that must be met."""

    metric: Annotated[str, s.Choice(METRICS)]
    compare: Annotated[str, s.Choice((BELOW, ABOVE))] = BELOW
    value: s.Amount
    usual: s.Flag = False

    def condition(self) -> RuleCondition:
        """Return the condition."""
        return RuleCondition(self.metric, self.compare == BELOW, self.value, self.usual)


class SubItem(Params):
    """A value of a sub that is judged."""

    sub: Annotated[str, s.Choice(SUBS)]
    value: Annotated[str, s.BoundedText(minimum=1, maximum=20_000)]


class AddRule(Params):
    """A rule: what it judges, when it fires, and what it does then."""

    title: RuleTitle
    is_on: s.Flag = False
    each: Seq[Annotated[str, s.Choice(EACH)]] = ()
    offers: Seq[s.Id] = ()
    affiliates: Seq[s.Id] = ()
    advertisers: Seq[s.Hex] = ()
    countries: Seq[s.Country] = ()
    subs: Seq[SubItem] = ()
    hours: Hours = 24
    conditions: Seq[ConditionItem]
    minimum: Volume = 100
    action: Annotated[RuleAction, s.Choice(RuleAction)] = RuleAction.NOTIFY
    new_status: Annotated[str, s.Choice(_NEW_STATUSES)] | None = None
    first_goal: Goal = ""
    second_goal: Goal = ""
    notify_author: s.Flag = False
    notify_manager: s.Flag = False
    webhook: Annotated[s.Url | None, Clearable()] = None


class TriedRule(AddRule):
    """A rule that is not stored; its name does not matter."""

    title: RuleTitle = "Rule"


class EditRule(Params):
    """Changes of a rule; what is not sent stays."""

    edits: ClassVar[bool] = True

    title: RuleTitle | None = None
    is_on: s.Flag | None = None
    each: Seq[Annotated[str, s.Choice(EACH)]] | None = None
    offers: Seq[s.Id] | None = None
    affiliates: Seq[s.Id] | None = None
    advertisers: Seq[s.Hex] | None = None
    countries: Seq[s.Country] | None = None
    subs: Seq[SubItem] | None = None
    hours: Hours | None = None
    conditions: Seq[ConditionItem] | None = None
    minimum: Volume | None = None
    action: Annotated[RuleAction, s.Choice(RuleAction)] | None = None
    new_status: Annotated[Annotated[str, s.Choice(_NEW_STATUSES)] | None, Clearable()] = None
    first_goal: Goal | None = None
    second_goal: Goal | None = None
    notify_author: s.Flag | None = None
    notify_manager: s.Flag | None = None
    webhook: Annotated[s.Url | None, Clearable()] = None


class ListFirings(Paging):
    """Which firings are listed. rule: of one rule."""

    rule: s.Hex | None = None


class ConditionView(View):
    """A bound of a metric."""

    metric: str
    compare: str
    value: Money
    usual: bool


class SubView(View):
    """A value of a sub that is judged."""

    sub: str
    value: str


class RuleView(View):
    """A rule. judged_until: the end of the last window that it judged."""

    id: str
    kind: str
    title: str
    is_on: bool
    each: list[str]
    offers: list[int]
    affiliates: list[int]
    advertisers: list[str]
    countries: list[str]
    subs: list[SubView]
    hours: int
    conditions: list[ConditionView]
    minimum: int
    action: str
    new_status: str
    first_goal: str
    second_goal: str
    notify_author: bool
    notify_manager: bool
    webhook: str
    created_at: str
    updated_at: str
    judged_until: str
    failure: str


class ReadingView(View):
    """A metric that met its condition. usual, chance: only for conditions that compare with the usual."""

    metric: str
    compare: str
    value: Money
    bound: Money
    usual: Money | None
    chance: float | None


class FiringView(View):
    """What a rule found and did. continues_until: the end of the last window with the same cause."""

    id: str
    rule_id: str
    rule_title: str
    fired_at: str
    element: dict[str, str]
    summary: str
    since: str
    until: str
    continues_until: str
    readings: list[ReadingView]
    action: str
    changed: list[str]
    changed_conversions: int
    undone_at: str | None
    undone_by: str


class RulesAnswer(Answer):
    """A page of rules."""

    rules: list[RuleView]
    pagination: Pagination


class RuleAnswer(Answer):
    """One rule."""

    rule: RuleView


class FiringsAnswer(Answer):
    """A page of firings."""

    firings: list[FiringView]
    pagination: Pagination


class FiringAnswer(Answer):
    """One firing."""

    firing: FiringView


class LookBackAnswer(Answer):
    """What a rule would have done. total: all firings; firings: the newest of them."""

    since: str
    until: str
    total: int
    firings: list[FiringView]


@routes.get("/admin/rules", _STAFF, id="admin.rules.list")
def list_(request: ApiRequest[Deps], params: Paging) -> RulesAnswer:
    """List rules, the newest first. KPI rules of the public API are among them."""
    found, total = rules.list_rules(request.deps, None, **params.place(request))
    views = [rule_view(each, request.deps.zone) for each in found]
    return RulesAnswer(rules=views, pagination=params.pagination(request, total))


@routes.get("/admin/rules/{id}", _STAFF, id="admin.rule.get", find=_find_rule)
def get(request: ApiRequest[Deps], _params: NoParams) -> RuleAnswer:
    """Return a rule."""
    return RuleAnswer(rule=rule_view(request.subject, request.deps.zone))


@routes.post("/admin/rules", _STAFF, id="admin.rule.add")
def add(request: ApiRequest[Deps], params: AddRule) -> RuleAnswer:
    """Add a rule. It is off unless is_on is 1: look back first.

    A rule that is on is judged after each whole hour. Its firings are in the audit log, and each can be undone.
    """
    check_called(request.deps, {"webhook": params.webhook}, {}, request.warn)
    warn_where_none_is_filled(request, {"webhook": params.webhook})
    made = rules.add_rule(request.deps, request.access, _values(params))
    return RuleAnswer(rule=rule_view(made, request.deps.zone))


@routes.post("/admin/rules/{id}", _STAFF, id="admin.rule.edit", find=_find_rule)
def edit(request: ApiRequest[Deps], params: EditRule) -> RuleAnswer:
    """Change a rule, or switch it on or off. What it did stays done."""
    before = {"webhook": request.subject.webhook}
    check_called(request.deps, {"webhook": params.webhook}, before, request.warn)
    warn_where_none_is_filled(request, {"webhook": params.webhook})
    after = rules.edit_rule(request.deps, request.access, request.subject.id, _values(params))
    return RuleAnswer(rule=rule_view(after, request.deps.zone))


@routes.delete("/admin/rules/{id}", _STAFF, id="admin.rule.remove", find=_find_rule)
def remove(request: ApiRequest[Deps], _params: NoParams) -> RuleAnswer:
    """Remove a rule and undo what it changed: blocked subs, connections, statuses."""
    removed = rules.remove_rule(request.deps, request.access, request.subject.id)
    return RuleAnswer(rule=rule_view(removed, request.deps.zone))


@routes.get("/admin/rules/{id}/look-back", _STAFF, id="admin.rule.look-back", find=_find_rule, report=True)
def look_back(request: ApiRequest[Deps], _params: NoParams) -> LookBackAnswer:
    """Return the firings that a rule would have had in the last 30 days.

    It is judged as if the rule had changed nothing, with the code that judges each hour. Nothing is changed.
    """
    return _look_back(request, request.subject)


@routes.post("/admin/rules/look-back", _STAFF, id="admin.rule.try", report=True)
def try_(request: ApiRequest[Deps], params: TriedRule) -> LookBackAnswer:
    """Return the firings that a rule with these fields would have had in 30 days, without saving it.

    It takes the fields of a new rule. Nothing is changed.
    """
    return _look_back(request, rules.rule_to_try(request.deps, _values(params)))


def _look_back(request: ApiRequest[Deps], rule: Rule) -> LookBackAnswer:
    zone = request.deps.zone
    found = look_back_on(request.deps, rule)
    titles = {rule.id: rule}
    return LookBackAnswer(
        since=datetime_text(found.since, zone),
        until=datetime_text(found.until, zone),
        total=found.total,
        firings=[firing_view(each, titles, zone) for each in found.shown],
    )


@routes.get("/admin/rule-firings", _STAFF, id="admin.rule-firings.list")
def list_firings(request: ApiRequest[Deps], params: ListFirings) -> FiringsAnswer:
    """List what rules found and did, the newest first. Firings of removed rules stay in the list."""
    chosen = FiringFilter(rule_id=params.rule or "")
    found, owners, total = rules.list_firings(request.deps, chosen, **params.place(request))
    views = [firing_view(each, owners, request.deps.zone) for each in found]
    return FiringsAnswer(firings=views, pagination=params.pagination(request, total))


@routes.post("/admin/rule-firings/{id}/undo", _STAFF, id="admin.rule-firing.undo", find=_find_firing)
def undo(request: ApiRequest[Deps], _params: NoParams) -> FiringAnswer:
    """Undo what a firing changed, where it still is as the rule left it.

    The rule does not fire again for its cause.
    """
    undone = rules.undo_firing(request.deps, request.access, request.subject.id)
    _, owners, _ = rules.list_firings(request.deps, FiringFilter(rule_id=undone.rule_id), page=1, limit=1)
    return FiringAnswer(firing=firing_view(undone, owners, request.deps.zone))


def _values(params: AddRule | EditRule) -> dict[str, Any]:
    """Return the fields of a rule that were sent, or all for a new one."""
    names = type(params).model_fields if isinstance(params, AddRule) else params.model_fields_set
    given = {name: getattr(params, name) for name in names}
    cleared = {"new_status", "webhook"} & given.keys()
    given = {name: value for name, value in given.items() if value is not None}
    given |= {name: given.get(name, "") for name in cleared}
    if "each" in given:
        given["each"] = tuple(dict.fromkeys(given["each"]))
    if "subs" in given:
        given["subs"] = tuple(dict.fromkeys((each.sub, each.value) for each in given["subs"]))
    if "conditions" in given:
        given["conditions"] = tuple(each.condition() for each in given["conditions"])
    return given


def rule_view(rule: Rule, zone: ZoneInfo) -> RuleView:
    """Return the view of a rule."""
    return view_of(
        RuleView,
        rule,
        kind=RuleKind(rule.kind).value,
        action=RuleAction(rule.action).value,
        conditions=list(map(condition_view, rule.conditions)),
        subs=[SubView(sub=name, value=value) for name, value in rule.subs],
        **{name: list(getattr(rule, name)) for name in ("each", "offers", "affiliates", "advertisers", "countries")},
        **{name: datetime_text(getattr(rule, name), zone) for name in ("created_at", "updated_at", "judged_until")},
    )


def condition_view(condition: RuleCondition) -> ConditionView:
    """Return the view of a condition."""
    return ConditionView(
        metric=condition.metric,
        compare=BELOW if condition.is_below else ABOVE,
        value=number(condition.bound),
        usual=condition.is_usual,
    )


def firing_view(firing: RuleFiring, owners: Mapping[str, Rule], zone: ZoneInfo) -> FiringView:
    """Return the view of a firing. owners: rules by id."""
    return view_of(
        FiringView,
        firing,
        rule_title=owners[firing.rule_id].title,
        element={name: str(value) for name, value in firing.element.items()},
        summary=f"{element_words(firing.element)}: {reading_words(firing.readings)}",
        readings=[_reading_view(each) for each in firing.readings],
        action=RuleAction(firing.action).value,
        changed=sorted(firing.changed),
        changed_conversions=len(firing.changed.get("conversions", ())),
        continues_until=datetime_text(firing.met_until, zone),
        undone_at=None if firing.undone_at is None else datetime_text(firing.undone_at, zone),
        **{name: datetime_text(getattr(firing, name), zone) for name in ("fired_at", "since", "until")},
    )


def _reading_view(reading: Mapping[str, Any]) -> ReadingView:
    usual = reading["usual"]
    return ReadingView(
        metric=reading["metric"],
        compare=BELOW if reading["below"] else ABOVE,
        value=number(Decimal(reading["value"])),
        bound=number(Decimal(reading["bound"])),
        usual=None if usual is None else number(Decimal(usual)),
        chance=reading["chance"],
    )
