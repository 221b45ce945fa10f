"""The list of rules (docs/spec/console.md#rules)."""

from typing import Final

from trackyard.api.statistics.automation import rules as rules_api
from trackyard.api.statistics.automation.rules import RulesAnswer, RuleView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.pages import Pages
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.page import declare_list
from trackyard.console.statistics.rules.words import (
    PATH,
    action_words,
    condition_words,
    failure_of,
    judged_words,
    state_of,
)

pages = Pages()


def _switch(each: RuleView, _on: On) -> ListCell:
    do, label, about = (
        ("off", gettext("Switch off"), gettext("Switch off %(rule)s", rule=each.title))
        if each.is_on
        else ("on", gettext("Switch on"), gettext("Switch on %(rule)s", rule=each.title))
    )
    return cells.acts(Act(label, f"{PATH}/{each.id}", (("do", do), ("back", "list")), about))


RULES: Final = ListPage[RuleView, RulesAnswer](
    path=PATH,
    method=rules_api.list_,
    view=RulesAnswer,
    rows=lambda _, answer: answer.rules,
    title=lazy_gettext("Rules"),
    counted=lambda total: ngettext("%(num)d rule.", "%(num)d rules.", total),
    about=lazy_gettext(
        "They judge the statistics after each whole hour, and act. Everything that they do can be undone."
    ),
    columns=(
        ListColumn(
            title=lazy_gettext("Rule"),
            below=lazy_gettext("Judges"),
            role="title",
            cell=lambda each, _: cells.cell(each.title, judged_words(each), link=f"{PATH}/{each.id}"),
        ),
        ListColumn(
            title=lazy_gettext("Fires when"), longest=200, cell=lambda each, _: condition_words(each.conditions)
        ),
        ListColumn(title=lazy_gettext("Action"), cell=lambda each, _: action_words(each)),
        ListColumn(
            title=lazy_gettext("State"),
            below=lazy_gettext("Why"),
            cell=lambda each, _: cells.status(*state_of(each), failure_of(each)),
        ),
        ListColumn(
            title=lazy_gettext("Switch"),
            role="act",
            is_hidden_title=True,
            shown=lambda request, _: request.calls.may(rules_api.edit),
            cell=_switch,
        ),
    ),
    links=lambda _: [PageLink(gettext("What they found"), f"{PATH}/firings")],
    main=lambda _: PageLink(gettext("New rule"), f"{PATH}/new"),
    empty=lazy_gettext("There is no rule yet."),
    empty_links=lambda _: [PageLink(gettext("Add one"), f"{PATH}/new")],
    per_page=50,
)
declare_list(pages, RULES)
