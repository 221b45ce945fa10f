"""The forms of rules (docs/spec/console.md#rules)."""

from collections.abc import Sequence
from typing import Final

from trackyard.api.statistics.automation import rule_presets, rules
from trackyard.base.errors import BadInput, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FieldChoices, FormField, FormGroup, FormPlan, FormRows, PageForm, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.page import ShownList, make_table
from trackyard.console.statistics.rules.firings import PAST_FIRINGS
from trackyard.console.statistics.rules.words import (
    ACTION_CHOICES,
    EACH_CHOICES,
    METRIC_CHOICES,
    PATH,
    STATUS_CHOICES,
    SUB_CHOICES,
)

pages = Pages()

_FORM: Final = "statistics/rules/form.html"
_BELOW_OR_ABOVE: Final = {"below": lazy_gettext("below"), "above": lazy_gettext("above")}
_JUDGED: Final = FormGroup(
    lazy_gettext("What it judges"),
    (
        FormField("title", lazy_gettext("Name"), help="", wide=True),
        FormField(
            "each",
            lazy_gettext("Each"),
            widget="checks",
            help=lazy_gettext("Each combination of their values is judged alone; without any, the whole network."),
            wide=True,
        ),
        FormField("offers", lazy_gettext("Only offers"), help=lazy_gettext("Numbers; empty is all.")),
        FormField("affiliates", lazy_gettext("Only affiliates"), help=lazy_gettext("Numbers; empty is all.")),
        FormField("advertisers", lazy_gettext("Only advertisers"), help=lazy_gettext("Identifiers; empty is all.")),
        FormField("countries", lazy_gettext("Only countries"), help=lazy_gettext("Two letters; empty is all.")),
        FormRows(
            "subs",
            lazy_gettext("Value of a sub"),
            (
                FormField("sub", lazy_gettext("Sub"), help=""),
                FormField("value", lazy_gettext("Value"), help=lazy_gettext("Exactly as it is sent.")),
            ),
            help=lazy_gettext("Only clicks with these values are judged. Values of one sub are alternatives."),
        ),
    ),
)
_CONDITION: Final = (
    FormField("metric", lazy_gettext("Metric"), help=""),
    FormField("compare", lazy_gettext("Is"), words=_BELOW_OR_ABOVE, help="", initial="below"),
    FormField("value", lazy_gettext("Value"), help=""),
    FormField(
        "usual",
        lazy_gettext("Percent, compared with the usual"),
        help=lazy_gettext("The same hours of the last four weeks."),
    ),
)
_WHEN: Final = FormGroup(
    lazy_gettext("When it fires"),
    (
        FormField("hours", lazy_gettext("Last hours"), help=lazy_gettext("It is judged after each whole hour.")),
        FormField("minimum", lazy_gettext("Least volume"), help=lazy_gettext("Most often clicks; less is not judged.")),
        FormRows("conditions", lazy_gettext("Condition"), _CONDITION, help=lazy_gettext("All of them must be met.")),
        FormField("first_goal", lazy_gettext("First goal"), help=lazy_gettext("Only for goals per goal.")),
        FormField("second_goal", lazy_gettext("Second goal"), help=lazy_gettext("Only for goals per goal.")),
    ),
)
_THEN: Final = FormGroup(
    lazy_gettext("What it does"),
    (
        FormField("action", lazy_gettext("Action"), help=lazy_gettext("Each firing can be undone.")),
        FormField("new_status", lazy_gettext("New status"), help=lazy_gettext("Of the offer, or of conversions.")),
        FormField("notify_author", lazy_gettext("Mail to its author"), help=""),
        FormField("notify_manager", lazy_gettext("Mail to the manager"), help=""),
        FormField("webhook", lazy_gettext("Webhook"), help=lazy_gettext("Called about each firing."), wide=True),
    ),
)
NEW: Final = FormPlan(rules.add, (_JUDGED, _WHEN, _THEN))
EDIT: Final = FormPlan(rules.edit, (_JUDGED, _WHEN, _THEN))
EDIT_KPI: Final = FormPlan(
    rules.edit,
    (FormGroup(lazy_gettext("Rule"), (_JUDGED.parts[0], *_THEN.parts[2:])),),
)
_CHOICES: Final[FieldChoices] = {
    "each": EACH_CHOICES,
    "subs[sub]": SUB_CHOICES,
    "conditions[metric]": METRIC_CHOICES,
    "action": ACTION_CHOICES,
    "new_status": STATUS_CHOICES,
}


@pages.get(f"{PATH}/new", needs=(rules.add, rules.try_, rule_presets.list_))
@pages.post(f"{PATH}/new", needs=(rules.add, rules.try_, rule_presets.list_))
def new_rule(request: PageRequest) -> PageAnswer:
    """Add a rule, which is off, and go on to its look back."""
    presets = request.calls.ask(rule_presets.list_).presets
    chosen = _chosen(presets, request.address.get("preset"))
    form = open_form(request, NEW, chosen, choices=_CHOICES, is_new=True)
    answer = form.save()
    if answer is not None:
        return Redirect(f"{PATH}/{answer.rule.id}/look-back", gettext("The rule is saved, and off."))
    line = gettext("It is off at first. The next page shows what it would have done in the last 30 days.")
    save = gettext("Save and look back")
    tried = _tried(request, form)
    return form.page(
        request,
        gettext("New rule"),
        back=PATH,
        line=line,
        save=save,
        template=_FORM,
        presets=presets,
        chosen=chosen,
        found=tried,
        shown=_firings(request, tried),
    )


def _chosen(presets: Sequence[rule_presets.RulePresetView], name: str) -> rule_presets.RulePresetView | None:
    """Return the preset in the address, or None.

    Raises BadInput for an unknown name.
    """
    by_name = {each.name: each for each in presets}
    if name and name not in by_name:
        raise BadInput({"preset": [gettext("This value must be one of: %(values)s.", values=", ".join(by_name))]})
    return by_name.get(name)


@pages.get(f"{PATH}/{{id}}/edit", needs=(rules.get, rules.edit, rules.try_))
@pages.post(f"{PATH}/{{id}}/edit", needs=(rules.get, rules.edit, rules.try_))
def edit_rule(request: PageRequest) -> PageAnswer:
    """Change a rule."""
    place = {"id": request.key}
    rule = request.calls.ask(rules.get, path=place).rule
    is_kpi = rule.kind == "kpi"
    form = open_form(request, EDIT_KPI if is_kpi else EDIT, rule, choices={} if is_kpi else _CHOICES, path=place)
    if form.save() is not None:
        return Redirect(f"{PATH}/{rule.id}", gettext("The rule is saved."))
    line = gettext("What it did stays done.")
    if is_kpi:
        line = gettext("The terms of a KPI rule are changed over the API.")
    title, back = gettext("Edit %(rule)s", rule=rule.title), f"{PATH}/{rule.id}"
    if is_kpi:
        return form.page(request, title, back=back, line=line)
    tried = _tried(request, form)
    shown = _firings(request, tried)
    return form.page(request, title, back=back, line=line, template=_FORM, found=tried, shown=shown)


def _tried(request: PageRequest, form: PageForm[rules.RuleAnswer]) -> rules.LookBackAnswer | None:
    """Return the firings that the rule would have had; None where the person did not ask for them."""
    if form.is_tried:
        try:
            return request.calls.ask(rules.try_, form.filled_pairs)
        except RequestError as refusal:
            form.refuse(refusal)
    return None


def _firings(request: PageRequest, tried: rules.LookBackAnswer | None) -> ShownList:
    return make_table(PAST_FIRINGS, request, tried.firings if tried else [])
