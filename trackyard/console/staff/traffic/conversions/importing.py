"""The import of conversions from a CSV file, with a dry run (docs/spec/console.md#traffic)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trackyard.base.errors import BadInput, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import FORM_MAX, Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.traffic.conversions.csv_lines import (
    PARAMETERS,
    CsvFault,
    CsvTable,
    guess_mapping,
    read_csv,
)
from trackyard.console.staff.traffic.conversions.listing import PATH

pages = Pages()

_METHOD: Final = "admin.conversions.import"
_NEEDS: Final = (_METHOD, "admin.conversions.import.check")
_RESULTS: Final[Mapping[str, str]] = {
    "made": lazy_gettext("Is made"),
    "duplicate": lazy_gettext("Exists already"),
    "refused": lazy_gettext("Refused"),
}
_STATUS_OF: Final[Mapping[str, str]] = {"made": "confirmed", "duplicate": "pending", "refused": "declined"}
_ZERO_WORDS: Final[Mapping[str, str]] = {
    "no_payment": lazy_gettext("No payment matches: counts with 0."),
    "no_sum": lazy_gettext("The payment is a percentage and there is no sum: counts with 0."),
}
_NO_IDENTITY: Final = lazy_gettext(
    "It needs an action ID or a click ID, so that a second import of this file makes it only once."
)


@dataclass(frozen=True, slots=True)
class ImportLine:
    """A line of the file and what the import does with it.

    result: made, duplicate or refused; label: the same in words; mark: the class of its colour.
    why: faults in words. conversion: the one that exists already, "" = none.
    """

    number: int
    sent: Mapping[str, str]
    result: str
    label: str
    mark: str
    charge: str = ""
    payout: str = ""
    why: str = ""
    conversion: str = ""


@dataclass(frozen=True, slots=True)
class DryRun:
    """A file that was tried. totals: conversions, charge and payout of a currency in words."""

    table: CsvTable
    mapping: Sequence[str]
    lines: Sequence[ImportLine]
    totals: Sequence[tuple[int, str, str]]

    def count(self, result: str) -> int:
        """Return how many lines have a result."""
        return sum(line.result == result for line in self.lines)


@pages.get(f"{PATH}/import", needs=_NEEDS)
def ask_for_file(request: PageRequest) -> PageAnswer:
    """Ask for a file."""
    return _page(request)


@pages.post(f"{PATH}/import", needs=_NEEDS)
def import_file(request: PageRequest) -> PageAnswer:
    """Try a file, or import what its dry run would make."""
    try:
        text = sent_text(request)
        table = read_csv(text)
    except CsvFault as fault:
        return _page(request, fault=str(fault), text=request.field("text"))
    mapping = _mapping(request, table)
    if missing := [str(PARAMETERS[name]) for name in ("offer", "pid") if name not in mapping]:
        fault_text = gettext("No column is chosen for: %(names)s. Choose it below.", names=", ".join(missing))
        return _page(request, text=text, fault=fault_text, dry_run=DryRun(table, mapping, (), ()))
    dry_run = _try(request, table, mapping)
    if request.field("do") != "import":
        return _page(request, text=text, dry_run=dry_run)
    made = [line.sent for line in dry_run.lines if line.result == "made"]
    if not made:
        fault_text = gettext("No line makes a conversion, so nothing is imported.")
        return _page(request, text=text, dry_run=dry_run, fault=fault_text)
    try:
        request.calls.call(_METHOD, [*_pairs(made), _zero(request)])
    except RequestError as refusal:
        return _page(request, text=text, dry_run=dry_run, fault=refusal.text)
    message = ngettext(
        "1 conversion is being imported. The list shows it in a few seconds.",
        "%(num)d conversions are being imported. The list shows them in a few seconds.",
        len(made),
    )
    return Redirect(PATH, message)


def sent_text(request: PageRequest) -> str:
    """Return the text of the file, or what was pasted. Raises CsvFault."""
    file = next((each for name, each in request.files if name == "file"), None)
    if file is None:
        return request.field("text")
    content = file.read()
    if len(content) > FORM_MAX // 3:
        most = FORM_MAX // 3 // 1024
        raise CsvFault(gettext("The file is over %(most)d KB. Import it in parts.", most=most))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CsvFault(gettext("The file is no text in UTF-8. Save it as CSV in UTF-8.")) from None


def _mapping(request: PageRequest, table: CsvTable) -> list[str]:
    """Return the parameter of each column: as chosen, else by its name."""
    chosen = [value for name, value in request.form if name == "column"]
    if len(chosen) != len(table.columns) or request.files:
        return guess_mapping(table.columns)
    return [name if name in PARAMETERS and name not in chosen[:place] else "" for place, name in enumerate(chosen)]


def _pairs(items: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    return [(f"list[{place}][{name}]", value) for place, item in enumerate(items) for name, value in item.items()]


def _zero(request: PageRequest) -> tuple[str, str]:
    """Return whether lines may count with 0 when no payment matches: only if the person chose it."""
    return "allow_zero", "1" if request.field("allow_zero") == "1" else "0"


def _try(request: PageRequest, table: CsvTable, mapping: Sequence[str]) -> DryRun:
    sent = {number: table.sent(line, mapping) for number, line in table.lines}
    faults = _faults_of(request, list(sent.values()))
    refused = {number: faults[place] for place, number in enumerate(sent) if place in faults}
    for number, item in sent.items():
        if not item.get("action_id") and not item.get("click_id"):
            refused.setdefault(number, []).append(_NO_IDENTITY)
    tried = {number: item for number, item in sent.items() if number not in refused}
    checks, totals = [], []
    if tried:
        answer = request.calls.call("admin.conversions.import.check", [*_pairs(list(tried.values())), _zero(request)])
        checks, totals = answer["items"], answer["totals"]
    lines = {number: _line(number, sent[number], check) for number, check in zip(tried, checks, strict=True)}
    lines |= {number: _refused(number, sent[number], why) for number, why in refused.items()}
    money = [
        (each["conversions"], *(shown.money(each[name], each["currency"]) for name in ("charge", "payout")))
        for each in totals
    ]
    return DryRun(table, mapping, [lines[number] for number in sent], money)


def _faults_of(request: PageRequest, items: Sequence[Mapping[str, str]]) -> dict[int, list[str]]:
    """Return the faults of values by the place of their line: those that need no stored thing."""
    filled = [item or {"offer": ""} for item in items]
    try:
        request.calls.check(_METHOD, _pairs(filled))
    except BadInput as refusal:
        found: dict[int, list[str]] = {}
        for name, sentences in (refusal.fields or {}).items():
            place, _, field = name.removeprefix("list[").partition("][")
            if place.isdecimal():
                label = PARAMETERS.get(field.rstrip("]"), field.rstrip("]"))
                found.setdefault(int(place), []).append(f"{label}: {' '.join(sentences)}")
        if not found:
            raise
        return found
    return {}


def _line(number: int, sent: Mapping[str, str], check: Mapping[str, Any]) -> ImportLine:
    result = check["result"]
    if result == "refused":
        faults = check["faults"]
        return _refused(number, sent, [f"{PARAMETERS.get(each['field'], '')}: {each['text']}" for each in faults])
    return ImportLine(
        number,
        sent,
        result,
        _RESULTS[result],
        _STATUS_OF[result],
        shown.money(check["charge"], check["currency"]),
        shown.money(check["payout"], check["currency"]),
        conversion=check["conversion_id"] or "",
        why=" ".join([*_zero_words(check), *map(_fill_words, check["fills"])]),
    )


def _zero_words(check: Mapping[str, Any]) -> list[str]:
    return [str(_ZERO_WORDS[check["zero"]])] if check["zero"] and check["result"] == "made" else []


def _fill_words(fill: Mapping[str, Any]) -> str:
    """Return a cap that a line fills, or goes beyond, in words."""
    used, value = (shown.number(fill[name]) for name in ("used", "value"))
    if fill["used"] > fill["value"]:
        return gettext("Goes beyond the cap: %(used)s of %(value)s.", used=used, value=value)
    return gettext("Fills the cap: %(used)s of %(value)s.", used=used, value=value)


def _refused(number: int, sent: Mapping[str, str], why: Sequence[str]) -> ImportLine:
    text = " ".join(each.removeprefix(": ") for each in why)
    return ImportLine(number, sent, "refused", _RESULTS["refused"], _STATUS_OF["refused"], why=text)


def _page(request: PageRequest, *, text: str = "", fault: str = "", dry_run: DryRun | None = None) -> Html:
    return request.page(
        "staff/traffic/conversions_import.html",
        400 if fault else 200,
        text=text,
        fault=fault,
        dry_run=dry_run,
        allow_zero=_zero(request)[1] == "1",
        parameters=PARAMETERS,
        path=f"{PATH}/import",
    )
