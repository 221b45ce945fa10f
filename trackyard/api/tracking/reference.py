"""The tracking reference: what the tracking listener understands, as pages for docs and for /docs.

Tables come from the declarations in the code; their texts are in domain/tracking/reference, which edges do
not load. `script/docs` writes docs/tracking.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from trackyard.domain.conversions.statuses import SENT_STATUSES, STATUS_NUMBERS, Status
from trackyard.domain.offers.choices import REDIRECT_MEANINGS, RedirectType
from trackyard.domain.tracking.forgiven import FORGIVEN
from trackyard.domain.tracking.macro_registry import MACROS, Macro, MacroPlace
from trackyard.domain.tracking.reference.results import ResultTexts, results
from trackyard.domain.tracking.reference.texts import reference_texts
from trackyard.wire.openapi.guides import Guide, GuideBlock, GuideCode, GuideSection, GuideTable, GuideText

_SERIES: Final = re.compile(r"(\w+)\[(\d)-(\d)\]")


@cache
def tracking_guides() -> Sequence[Guide]:
    """Return the pages of the tracking reference, in the order in which they are read.

    A viewer shows for each guide its `title` and `intro_html()` below an element with the id `anchor_of()`, and for
    each of its `sections` the `title` and `section_html(section)` below one with the id `anchor_of(section)`; their
    links lead to these ids. `search_text(section)` is what a search looks in. `markdown` is the page of docs/tracking.
    """
    return (*map(_guide, reference_texts("guides")["guides"]), _set_ups())


def names_of(name: str) -> Iterator[str]:
    """Yield each name that a pattern of the texts matches: `sub[1-8]` matches sub1 to sub8."""
    series = _SERIES.fullmatch(name)
    if series is None:
        yield name
    else:
        yield from (f"{series[1]}{number}" for number in range(int(series[2]), int(series[3]) + 1))


def _guide(written: Mapping[str, Any]) -> Guide:
    sections = tuple(GuideSection(each["title"], tuple(_blocks(each))) for each in written["sections"])
    return Guide(written["name"], written["title"], written["intro"].strip(), sections)


def _blocks(section: Mapping[str, Any]) -> Iterator[GuideBlock]:
    if "text" in section:
        yield GuideText(section["text"].strip())
    if "table" in section:
        yield _TABLES[section["table"]]()
    if "after" in section:
        yield GuideText(section["after"].strip())


def _set_ups() -> Guide:
    written = reference_texts("set_ups")
    begin = GuideSection(
        "Before you begin", (GuideText(written["begin"]["text"].strip()), GuideCode("sh", written["begin"]["code"]))
    )
    sections = [begin, *(GuideSection(each["title"], tuple(_steps(each))) for each in written["set_ups"])]
    return Guide("set-ups", "Set-ups", written["intro"].strip(), tuple(sections))


def _steps(set_up: Mapping[str, Any]) -> Iterator[GuideBlock]:
    yield GuideText(set_up["text"].strip())
    yield GuideCode("sh", set_up["code"])
    if "check" in set_up:
        yield GuideText(f"A second or two later this shows `{set_up['shows']}`:")
        yield GuideCode("sh", set_up["check"])
    if "after" in set_up:
        yield GuideText(set_up["after"].strip())


def _parameters(*subjects: str) -> GuideTable:
    written = reference_texts("parameters")
    rows = [_parameter(name, text) for subject in subjects for name, text in written[subject].items()]
    return GuideTable(("parameter", "meaning", "values", "default"), tuple(rows))


def _parameter(name: str, text: Mapping[str, Any]) -> tuple[str, ...]:
    names = list(names_of(name))
    shown = f"`{names[0]}`" if len(names) == 1 else f"`{names[0]}` … `{names[-1]}`"
    needed = text.get("needed", False)
    meaning = f"Needed. {text['text']}" if needed else text["text"]
    return (
        shown,
        meaning,
        text.get("values", "a text of up to 2 KB"),
        text.get("default", "none" if needed else "empty"),
    )


def _macros(place: MacroPlace) -> GuideTable:
    return GuideTable(("macro", "value"), tuple(_macro_rows([each for each in MACROS if place in each.places])))


def _macro_rows(macros: Sequence[Macro]) -> Iterator[tuple[str, str]]:
    for macro in macros:
        yield f"`{{{macro.name}}}`", f"{macro.meaning}."


def _statuses() -> GuideTable:
    texts = reference_texts("choices")["statuses"]
    rows = []
    for status in Status:
        sent = [number for number, meant in SENT_STATUSES.items() if meant is status and number]
        sent_text = " or ".join(sent) if sent else "cannot be sent"
        rows.append((f"`{status.value}`", str(STATUS_NUMBERS[status]), sent_text, texts[status.value]["text"]))
    return GuideTable(("name", "number in answers and {status}", "`status` of a postback", "meaning"), tuple(rows))


def _paths() -> GuideTable:
    rows = [
        (f"`{path}`", ", ".join(text["methods"]), text["text"])
        for path, text in reference_texts("choices")["paths"].items()
    ]
    return GuideTable(("path", "methods", "purpose"), tuple(rows))


def _answers() -> GuideTable:
    rows = [
        (_path_cell(each["path"]), each["status"], each["body"], each["text"])
        for each in reference_texts("choices")["answers"]
    ]
    return GuideTable(("path", "status", "body", "when"), tuple(rows))


def _path_cell(path: str) -> str:
    return f"`{path}`" if path.startswith("/") and " " not in path else path


def _cookies() -> GuideTable:
    day = 24 * 3600
    rows = [
        (f"`{name}`", "24 hours" if text["seconds"] == day else f"{text['seconds'] // day} days", text["text"])
        for name, text in reference_texts("choices")["cookies"].items()
    ]
    return GuideTable(("cookie", "lasts", "purpose"), tuple(rows))


def _limits() -> GuideTable:
    rows = [(each["subject"], each["value"], each["beyond"]) for each in reference_texts("limits")["limits"]]
    return GuideTable(("what", "limit", "beyond it"), tuple(rows))


def _delays() -> GuideTable:
    rows = [(each["subject"], each["value"]) for each in reference_texts("limits")["delays"]]
    return GuideTable(("what", "when"), tuple(rows))


def _redirects() -> GuideTable:
    rows = [(f"`{kind.value}`", REDIRECT_MEANINGS[kind]) for kind in RedirectType]
    return GuideTable(("`redirect_type`", "meaning"), tuple(rows))


def _flags() -> GuideTable:
    rows = [(f"`{name}`", text["text"]) for name, text in reference_texts("choices")["flags"].items()]
    return GuideTable(("flag", "meaning"), tuple(rows))


def _forgiven() -> GuideTable:
    rows = [(f"`{each.name}`", f"`{each.sent}`", f"`{each.taken}`", each.rule) for each in FORGIVEN.values()]
    return GuideTable(("name", "sent", "taken as", "rule"), tuple(rows))


def _results(texts: Mapping[str, ResultTexts], head: str) -> GuideTable:
    if any(each.advice for each in texts.values()):
        rows = tuple((f"`{name}`", each.text, each.advice) for name, each in texts.items())
        return GuideTable((head, "meaning", "what to do"), rows)
    return GuideTable((head, "meaning"), tuple((f"`{name}`", each.text) for name, each in texts.items()))


_TABLES: Final[Mapping[str, Callable[[], GuideTable]]] = {
    "paths": _paths,
    "answers": _answers,
    "cookies": _cookies,
    "limits": _limits,
    "delays": _delays,
    "click parameters": lambda: _parameters("click"),
    "smartlink parameters": lambda: _parameters("smartlink"),
    "impression parameters": lambda: _parameters("impression"),
    "postback parameters": lambda: _parameters("postback"),
    "pixel parameters": lambda: _parameters("pixel"),
    "offer macros": lambda: _macros(MacroPlace.OFFER_URL),
    "postback macros": lambda: _macros(MacroPlace.POSTBACK),
    "statuses": _statuses,
    "redirects": _redirects,
    "flags": _flags,
    "forgiven": _forgiven,
    "rejections": lambda: _results(results().rejections, "reason"),
    "faults": lambda: _results(results().faults, "`response`"),
    "declines": lambda: _results(results().declines, "comment"),
    "deliveries": lambda: _results(results().deliveries, "outcome"),
}
"""The tables that the sections name."""
