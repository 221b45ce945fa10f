"""The catalogues of texts: what the code, the templates and the forms show, and its translations.

usage: python -m tests.texts.catalogues [--check]
"""

import gc
import importlib
import io
import json
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final
from unittest import mock
from zoneinfo import ZoneInfo

from babel import Locale
from babel.messages import pofile
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_python
from jinja2.ext import babel_extract

import trackyard.console
from trackyard.api.texts import texts
from trackyard.base.texts.languages import ENGLISH, NAMES
from trackyard.base.texts.marks import source_of
from trackyard.console.forms.bound import BoundField, BoundRows, bind
from trackyard.console.forms.declared import FormPlan
from trackyard.console.lists.page import LISTS
from trackyard.console.staff.translations import plain_text
from trackyard.domain.offers.choices import OFFER_STATUS_RULES
from trackyard.domain.people.advertisers import ADVERTISER_STATUS_RULES
from trackyard.domain.people.affiliates import STATUS_RULES
from trackyard.domain.people.staff import STAFF_STATUS_RULES
from trackyard.wire.local_calls import CallContext, LocalCalls

ROOT: Final = Path(__file__).parents[2]
CATALOGUES: Final = ROOT / "trackyard" / "base" / "texts"
TEMPLATES: Final = ROOT / "trackyard" / "console" / "templates"
RESULTS: Final = ROOT / "trackyard" / "domain" / "tracking" / "reference" / "results.toml"
_KEYWORDS: Final[dict[str, Any]] = {"gettext": None, "lazy_gettext": None, "ngettext": (1, 2), "_": None}
_JINJA: Final = {"trim_blocks": "true", "lstrip_blocks": "true"}
_PLACES: Final = re.compile(r"%\(\w+\)[sd]|\{\w*\}|%%")
_COMMENT: Final = "# {language} texts. script/texts adds and removes entries; translations are written by hand."

_ACCOUNTS: Final = {
    "people/affiliates.py": STATUS_RULES,
    "people/advertisers.py": ADVERTISER_STATUS_RULES,
    "people/staff.py": STAFF_STATUS_RULES,
}
_STATUS_TEXTS: Final[dict[str, list[str]]] = {
    **{
        place: [text for each in rules.values() for text in (each.label, each.done)]
        for place, rules in _ACCOUNTS.items()
    },
    "offers/choices.py": [rule.label for rule in OFFER_STATUS_RULES.values()],
}
"""The texts of statuses, by the file that has them."""

Text = str | tuple[str, str]
"""A text, or the one and the many of a counted one."""


def each_text() -> Iterator[tuple[str, Text]]:
    """Yield every text that is translated, and the file that shows it."""
    yield from _each_marked()
    yield from _each_of_forms()
    for place, sentences in _STATUS_TEXTS.items():
        yield from ((f"trackyard/domain/{place}", text) for text in sentences)
    results = tomllib.loads(RESULTS.read_text())
    place = str(RESULTS.relative_to(ROOT))
    for found in (each for subject in results.values() for each in subject.values()):
        yield from ((place, found[part]) for part in ("label", "because", "mend", "portal", "step") if part in found)
    for found in (each for subject in ("declines", "faults", "deliveries") for each in results[subject].values()):
        yield from ((place, plain_text(found[part])) for part in ("text", "advice") if part in found)


def _each_marked() -> Iterator[tuple[str, Text]]:
    """Yield the texts that Python code and templates mark."""
    for path in sorted(ROOT.glob("trackyard/**/*.py")):
        content = path.read_bytes()
        if b"gettext" in content and path.parent != CATALOGUES:
            yield from _extracted(path, extract_python(io.BytesIO(content), _KEYWORDS, (), {"encoding": "utf-8"}))
    for path in sorted(TEMPLATES.rglob("*.html")):
        yield from _extracted(path, babel_extract(io.BytesIO(path.read_bytes()), tuple(_KEYWORDS), (), _JINJA))


def _extracted(path: Path, found: Iterator[tuple[Any, ...]]) -> Iterator[tuple[str, Text]]:
    for _, function, message, _ in found:
        counted = function == "ngettext"
        given = message[:2] if isinstance(message, tuple | list) and counted else message
        given = given[0] if isinstance(given, tuple | list) and not counted else given
        if given and all(given if isinstance(given, tuple) else (given,)):
            yield str(path.relative_to(ROOT)), tuple(given) if counted else given


def _each_of_forms() -> Iterator[tuple[str, Text]]:
    """Yield the labels, units and choices of forms, which come from the parameters of the API."""
    for module in pkgutil.walk_packages(trackyard.console.__path__, "trackyard.console."):
        importlib.import_module(module.name)
    calls = LocalCalls(CallContext(mock.Mock(), mock.Mock(), texts()), None, mock.Mock(), ExitStack)
    plans = {id(each): each for each in gc.get_objects() if isinstance(each, FormPlan)}
    for plan in plans.values():
        for parts in bind(plan, calls, {}, "USD", ZoneInfo("UTC")):
            for part in parts:
                for label in _labels(part):
                    yield "trackyard/api/texts.toml", source_of(label)
    for page in LISTS:
        for each in page.filters:
            if not each.label and each.objects is None:
                yield "trackyard/api/texts.toml", calls.parameter(page.method, each.parameter or each.name).label


def _labels(part: BoundField | BoundRows) -> Iterator[str]:
    if isinstance(part, BoundRows):
        yield part.parameter.label
        for each in part.fields:
            yield from _labels(each)
        return
    yield part.label
    yield from (words for words in (part.unit, *(word for _, word in part.choices)) if re.search("[a-z]", words))


def template() -> Catalog:
    """Return the catalogue of the English texts."""
    found = Catalog(project="Trackyard", charset="utf-8")
    places: dict[Text, set[str]] = {}
    for path, text in each_text():
        places.setdefault(text, set()).add(path)
    counted = {text[0] for text in places if isinstance(text, tuple)}
    for text in sorted(places, key=lambda each: each if isinstance(each, tuple) else (each, "")):
        if isinstance(text, tuple) or text not in counted:
            found.add(text, locations=[(path, 0) for path in sorted(places[text])])
    return found


def stored(code: str) -> Catalog:
    """Return the catalogue of a language as it is stored."""
    path = CATALOGUES / f"{code}.po"
    return pofile.read_po(io.BytesIO(path.read_bytes() if path.exists() else b""), locale=code)


def renewed(code: str, english: Catalog) -> Catalog:
    """Return the catalogue of a language with the texts of the code, and the translations that are stored."""
    old, new = stored(code), Catalog(locale=code, project="Trackyard", charset="utf-8")
    for message in english:
        if message.id:
            kept = old.get(_source(message))
            is_same_kind = kept is not None and isinstance(kept.id, tuple) == isinstance(message.id, tuple)
            string = kept.string if kept is not None and is_same_kind else None
            made = new.add(message.id, string, locations=message.locations)
            made.flags |= {"fuzzy"} & (kept.flags if kept is not None else set())
    return new


def _source(message: Message) -> str:
    return message.id[0] if isinstance(message.id, tuple) else message.id


def po_text(code: str, catalogue: Catalog) -> str:
    """Return a catalogue as a .po file."""
    out = io.BytesIO()
    pofile.write_po(out, catalogue, width=0, omit_header=True, include_lineno=False)
    name = Locale.parse(code).english_name
    header = (
        f'{_COMMENT.format(language=name)}\nmsgid ""\nmsgstr ""\n"Language: {code}\\n"\n'
        f'"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: {catalogue.plural_forms}\\n"\n\n'
    )
    return header + out.getvalue().decode().rstrip("\n") + "\n"


def number_forms() -> str:
    """Return number_forms.json: how each language writes numbers and days, from the locale data."""
    made = {}
    for code in NAMES:
        locale = Locale.parse(code)
        symbols = locale.number_symbols["latn"]
        made[code] = {
            "group": symbols["group"],
            "decimal": symbols["decimal"],
            "sign_last": locale.currency_formats["standard"].pattern.endswith("¤"),
            "months": [locale.months["format"]["abbreviated"][number] for number in range(1, 13)],
            "weekdays": [locale.days["format"]["abbreviated"][number] for number in range(7)],
            "long_weekdays": [locale.days["stand-alone"]["wide"][number] for number in range(7)],
        }
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def files() -> dict[Path, str]:
    """Return what the files should hold."""
    english = template()
    made = {CATALOGUES / f"{code}.po": po_text(code, renewed(code, english)) for code in NAMES if code != ENGLISH}
    return made | {CATALOGUES / "number_forms.json": number_forms()}


def missing(code: str) -> list[str]:
    """Return what a stored catalogue lacks: translations, forms of plurals, the same names in braces."""
    catalogue = stored(code)
    return [fault for message in catalogue if message.id for fault in _faults(message, catalogue.num_plurals)]


def _faults(message: Message, forms: int) -> Iterator[str]:
    text = _source(message)
    strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
    if message.fuzzy or not all(strings):
        yield f"no translation: {text}"
    elif isinstance(message.id, tuple) and len(strings) != forms:
        yield f"not {forms} forms: {text}"
    else:
        sources = message.id if isinstance(message.id, tuple) else (message.id,)
        wanted = set(_PLACES.findall(sources[-1]))
        for each in strings:
            if not wanted - {"%(num)d"} <= (found := set(_PLACES.findall(each))) <= wanted:
                yield f"other values in braces: {text}"
            if each[:1].isspace() != text[:1].isspace() or each[-1:].isspace() != text[-1:].isspace():
                yield f"other space around it: {text}"
            if found and "%" in _PLACES.sub("", each) and "%(" in text:
                yield f"a single percent sign: {text}"


def main() -> None:
    """Write the catalogues, or only say what lacks."""
    wanted = files()
    if "--check" not in sys.argv:
        for path, content in wanted.items():
            path.write_text(content)
    old = [str(path.relative_to(ROOT)) for path, content in wanted.items() if path.read_text() != content]
    faults = [f"{path}: run script/texts" for path in old]
    faults += [f"{code}.po: {fault}" for code in NAMES if code != ENGLISH for fault in missing(code)]
    sys.stdout.write("\n".join(faults or ["The catalogues are complete."]) + "\n")
    sys.exit(bool(faults) and "--check" in sys.argv)


if __name__ == "__main__":
    main()
