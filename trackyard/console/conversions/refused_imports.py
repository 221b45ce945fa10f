"""The imports of an affiliate that made no conversion (docs/spec/console.md#portal)."""

from typing import Final

from trackyard.api.conversions import own_imports
from trackyard.api.conversions.own_imports import RefusedImport, RefusedImportsAnswer
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.pages import Pages
from trackyard.console.lists import cells
from trackyard.console.lists.cells import PageLink
from trackyard.console.lists.declared import Days, ListColumn, ListPage
from trackyard.console.lists.objects import LIVE_OFFERS
from trackyard.console.lists.page import declare_list

pages = Pages()


def _plain(text: str) -> str:
    """Return a text of the reference in the language of the page, without marks of code."""
    return gettext(text.replace("`", "")) if text else ""


REFUSED_IMPORTS: Final = ListPage[RefusedImport, RefusedImportsAnswer](
    path="/portal/conversions/refused",
    audience="affiliate",
    method=own_imports.list_refused,
    view=RefusedImportsAnswer,
    rows=lambda _, answer: answer.imports,
    title=lazy_gettext("Imports without a conversion"),
    counted=lambda total: ngettext("%(num)d import", "%(num)d imports", total),
    notes=lambda _: [gettext("You sent them, and they made no conversion.")],
    period=Days(),
    columns=(
        ListColumn(title=lazy_gettext("Time"), cell=lambda each, _: cells.moment(each.created_at)),
        ListColumn(
            title=lazy_gettext("Offer"),
            role="title",
            cell=lambda each, on: on.object(LIVE_OFFERS, each.offer),
        ),
        ListColumn(title=lazy_gettext("Action id"), longest=60, cell=lambda each, _: each.action_id or ""),
        ListColumn(title=lazy_gettext("Click"), cell=lambda each, _: cells.code(each.click_id or "")),
        ListColumn(title=lazy_gettext("Goal"), longest=40, cell=lambda each, _: each.goal),
        ListColumn(
            title=lazy_gettext("Reason"),
            below=lazy_gettext("Advice"),
            longest=300,
            cell=lambda each, _: cells.cell(_plain(each.text) or each.reason, _plain(each.advice)),
        ),
    ),
    links=lambda _: [PageLink(gettext("Conversions"), "/portal/conversions")],
    empty=lazy_gettext("Each import of these days made a conversion."),
    per_page=30,
)
declare_list(pages, REFUSED_IMPORTS)
