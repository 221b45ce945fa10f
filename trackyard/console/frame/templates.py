"""Makes pages from templates. Every value is escaped, and a name that a template misses is a fault."""

import gettext
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from trackyard.console.charts.bars import CellBar, cell_bar
from trackyard.console.frame import shown


@cache
def environment() -> Environment:
    """Return the templates of all pages."""
    made = Environment(
        loader=PackageLoader("trackyard.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        auto_reload=False,
    )
    texts = gettext.NullTranslations()
    made.globals.update(gettext=_one_text(texts.gettext), ngettext=_counted_text(texts.ngettext))
    made.globals["cell_bar"] = _cell_bar
    made.filters.update(
        number=shown.number,
        money=shown.money,
        percent=shown.percent,
        day=shown.day,
        clock_time=shown.clock_time,
        moment=_moment,
        shorten=shown.shorten,
    )
    return made


def _one_text(translate: Callable[[str], str]) -> Callable[..., Markup]:
    """Return what templates call as `_`.

    The text is escaped, too: a name from data that is translated by mistake stays text.
    """

    def shown_text(text: str, /, **values: Any) -> Markup:
        found = escape(translate(str(text)))
        return found % values if values else found

    return shown_text


def _counted_text(translate: Callable[[str, str, int], str]) -> Callable[..., Markup]:
    """Return what templates call as `ngettext`; `num` is the number."""

    def shown_text(one: str, many: str, number: int, /, **values: Any) -> Markup:
        return escape(translate(one, many, number)) % {"num": number, **values}

    return shown_text


@pass_context
def _moment(context: Context, text: str, source: ZoneInfo | None = None) -> str:
    """Return a time of an answer in the zone of the person. source: the zone of the answer, not the platform's."""
    return shown.moment(text, source or context["platform_zone"], context["zone"])


def _cell_bar(share: float) -> Markup:
    """Return the bar behind a name. share: of the largest row, 0 to 1."""
    return cell_bar(CellBar(share))


def link_to(path: str, text: str) -> Markup:
    """Return a name as a link to its page. path: "" for text alone."""
    element = Markup('<a class="name" href="{path}">{text}</a>') if path else Markup('<span class="name">{text}</span>')
    return element.format(path=path, text=text)


def render(template: str, values: Mapping[str, Any]) -> str:
    """Return a page as text."""
    return environment().get_template(template).render(values)
