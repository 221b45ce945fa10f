"""The language of pages: who names it, and how numbers and counts are written in it."""

from datetime import date
from decimal import Decimal

from tests.support.api import Api
from tests.support.pages import Visitor, console_app
from trackyard.base.texts.catalogues import read_catalogue
from trackyard.base.texts.languages import language, speaking
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.templates import environment

GAP = "\N{NO-BREAK SPACE}"


def test_page_language_is_of_the_address_then_of_the_browser(api: Api) -> None:
    visitor = Visitor(console_app(api))

    def shown_in(path: str, header: str) -> str:
        page = visitor.get(path, headers={"accept-language": header}).text
        return page.partition('<html lang="')[2][:2]

    assert shown_in("/sign-in", "de") == "en"
    assert shown_in("/sign-in", "es-MX,es") == "es"
    assert shown_in("/sign-in?lang=ru", "es") == "ru"
    assert shown_in("/sign-up", "es") == "ru", "the browser keeps the choice"
    assert shown_in("/sign-in?lang=xx", "es") == "ru", "an unknown language changes nothing"
    assert "Войти" in visitor.get("/sign-in").text


def test_numbers_have_the_separators_and_months_of_the_language() -> None:
    def written() -> list[str]:
        amount, day = Decimal("-1020.5"), date(2026, 11, 21)
        return [shown.number(1412806), shown.money(amount, "USD"), shown.percent(Decimal("0.0234")), shown.day(day)]

    with speaking(language("ru")):
        assert written() == [f"1{GAP}412{GAP}806", f"−1{GAP}020,50{GAP}$", f"2,3{GAP}%", "21 нояб."]
    with speaking(language("es")):
        assert written() == ["1.412.806", f"−1.020,50{GAP}$", f"2,3{GAP}%", "21 nov"]
    assert written() == ["1,412,806", "−$1,020.50", f"2.3{GAP}%", "21 Nov"]


def test_lazy_text_is_translated_where_it_is_shown_and_compared_in_english() -> None:
    text = lazy_gettext("Sign in")
    template = environment().from_string("{{ text }}|{{ _(text) }}|{{ text ~ '!' }}")
    with speaking(language("ru")):
        assert (str(text), f"{text}.", text + ".", "(" + text) == ("Войти", "Войти.", "Войти.", "(Войти")
        assert (gettext("%(what)s: 5 %%", what=text), text == "Sign in") == ("Войти: 5 %", True)
        assert template.render(text=text) == "Войти|Войти|Войти!"
    assert template.render(text=text) == "Sign in|Sign in|Sign in!"


def test_counts_have_the_plural_forms_of_the_language() -> None:
    one, many = "One field needs another look:", "%(num)d fields need another look:"
    with speaking(language("ru")):
        found = [ngettext(one, many, number).split()[2] for number in (1, 3, 5, 21)]
    assert found == ["поле:", "поля:", "полей:", "поле:"]
    assert [ngettext(one, many, number) for number in (1, 2)] == [one, many % {"num": 2}]


def test_catalogue_leaves_out_fuzzy_and_empty_translations() -> None:
    content = (
        'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\nmsgid "a"\nmsgstr "A\\n"\n"B"\n\n'
        '#, fuzzy\nmsgid "b"\nmsgstr "B"\n\nmsgid "c"\nmsgstr ""\n'
    )
    assert read_catalogue(content).texts == {"a": ("A\nB",)}
