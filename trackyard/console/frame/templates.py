"""Makes pages from templates. Every value is escaped, and a name that a template misses is a fault."""

from collections.abc import Mapping
from functools import cache
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from trackyard.base.markup import plain_text
from trackyard.base.texts.languages import spoken
from trackyard.base.texts.marks import count_text, counted_text, source_of
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
    made.globals.update({"_": _one_text, "gettext": _one_text, "ngettext": _counted_text})
    made.globals["cell_bar"] = _cell_bar
    made.filters.update(
        number=shown.number,
        money=shown.money,
        exact_money=shown.exact_money,
        together=shown.together,
        rate=shown.rate,
        percent=shown.percent,
        day=shown.day,
        clock_time=shown.clock_time,
        moment=_moment,
        shorten=shown.shorten,
        plain_text=plain_text,
    )
    return made


def _one_text(text: str, /, **values: object) -> Markup:
    """Return a text in the language of the page; templates call it as `_`.

    The text is escaped, too: a name from data that is translated by mistake stays text.
    """
    found = escape(spoken().catalogue.one(source_of(text)))
    return found % values if values else found


def _counted_text(one: str, many: str, number: int, /, **values: object) -> Markup:
    """Return a counted text; templates call this as `ngettext`. `num` is the number."""
    return escape(counted_text(one, many, number)) % {"num": count_text(number), **values}


@pass_context
def _moment(context: Context, text: str, source: ZoneInfo | None = None) -> str:
    """Return a time of an answer in the zone of the person.

    source: the zone of the answer where it is not the platform's.
    """
    return shown.moment(text, source or context["platform_zone"], context["zone"])


def _cell_bar(share: float) -> Markup:
    """Return the bar behind a name. share: of the largest row, 0 to 1."""
    return cell_bar(CellBar(share))


def link_to(path: str, text: str) -> Markup:
    """Return a name as a link to its page. path: "" for text alone."""
    element = Markup('<a class="name" href="{path}">{text}</a>') if path else Markup('<span class="name">{text}</span>')
    return element.format(path=path, text=text)


def render(template: str, values: Mapping[str, object]) -> str:
    """Return a page as text."""
    return environment().get_template(template).render(values)
