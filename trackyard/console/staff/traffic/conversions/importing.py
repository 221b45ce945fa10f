"""The import of conversions from a file, with a dry run (docs/spec/console.md#traffic)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.api.conversions import imports
from trackyard.base.errors import BadInput, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.conversions.listing import PATH
from trackyard.console.frame import shown
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.imported_files import NOTHING, ImportedFile, SentContent, read_import
from trackyard.domain.conversions.tables import IMPORT
from trackyard.domain.platform.tables.grids import TableFault

pages = Pages()

_METHOD: Final = imports.import_many
_NEEDS: Final = (_METHOD, imports.check_many)
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

    file: ImportedFile
    lines: Sequence[ImportLine] = ()
    totals: Sequence[tuple[int, str, str]] = ()

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
        file = read_import(request, IMPORT)
    except TableFault as fault:
        return _page(request, SentContent(request.field("text")), fault=str(fault))
    sent = file.sent
    if file.missing:
        return _page(request, sent, fault=file.missing, dry_run=DryRun(file))
    dry_run = _try(request, file)
    if request.field("do") != "import":
        return _page(request, sent, dry_run=dry_run)
    made = [line.sent for line in dry_run.lines if line.result == "made"]
    if not made:
        fault_text = gettext("No line makes a conversion, so nothing is imported.")
        return _page(request, sent, dry_run=dry_run, fault=fault_text)
    try:
        request.calls.ask(_METHOD, [*_pairs(made), _zero(request)])
    except RequestError as refusal:
        return _page(request, sent, dry_run=dry_run, fault=refusal.text)
    message = ngettext(
        "1 conversion is being imported. The list shows it in a few seconds.",
        "%(num)d conversions are being imported. The list shows them in a few seconds.",
        len(made),
    )
    return Redirect(PATH, message)


def _pairs(items: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    return [(f"list[{place}][{name}]", value) for place, item in enumerate(items) for name, value in item.items()]


def _zero(request: PageRequest) -> tuple[str, str]:
    """Return whether lines may count with 0 when no payment matches: only if the person chose it."""
    return "allow_zero", "1" if request.field("allow_zero") == "1" else "0"


def _try(request: PageRequest, file: ImportedFile) -> DryRun:
    sent = {row.number: row.sent for row in file.rows}
    unread = {row.number: file.faults_of(row) for row in file.rows if row.faults}
    faults = _faults_of(request, list(sent.values()))
    refused = {number: faults[place] for place, number in enumerate(sent) if place in faults} | unread
    for number, item in sent.items():
        if number not in unread and not item.get("action_id") and not item.get("click_id"):
            refused.setdefault(number, []).append(_NO_IDENTITY)
    tried, checks, totals = _checked(request, {each: item for each, item in sent.items() if each not in refused})
    if foreign := _in_other_currencies(file, dict(zip(tried, checks, strict=True))):
        refused |= foreign
        left = {number: item for number, item in tried.items() if number not in foreign}
        tried, checks, totals = _checked(request, left)
    lines = {number: _line(number, sent[number], check) for number, check in zip(tried, checks, strict=True)}
    lines |= {number: _refused(number, sent[number], why) for number, why in refused.items()}
    money = [
        (each.conversions, shown.money(each.charge, each.currency), shown.money(each.payout, each.currency))
        for each in totals
    ]
    return DryRun(file, [lines[number] for number in sent], money)


def _checked(
    request: PageRequest, tried: dict[int, dict[str, str]]
) -> tuple[dict[int, dict[str, str]], Sequence[imports.ImportCheckView], Sequence[imports.ImportTotalView]]:
    """Return the lines, the API's check of each line, and the totals of their money."""
    if not tried:
        return tried, (), ()
    answer = request.calls.ask(imports.check_many, [*_pairs(list(tried.values())), _zero(request)])
    return tried, answer.items, answer.totals


def _in_other_currencies(file: ImportedFile, checks: Mapping[int, imports.ImportCheckView]) -> dict[int, list[str]]:
    """Return the lines with amounts in another currency than the conversion's, and why."""
    found: dict[int, list[str]] = {}
    for number, codes in file.currencies.items():
        currency = checks[number].currency if number in checks else None
        named = sorted(codes - {currency})
        if currency and named:
            text = gettext(
                "An amount is in %(named)s, and the conversion is in %(currency)s.",
                named=", ".join(named),
                currency=currency,
            )
            found[number] = [text]
    return found


def _faults_of(request: PageRequest, items: Sequence[Mapping[str, str]]) -> dict[int, list[str]]:
    """Return the errors of values by the place of their line, without errors that only the database shows."""
    filled = [item or {"offer": ""} for item in items]
    try:
        request.calls.check(_METHOD, _pairs(filled))
    except BadInput as refusal:
        found: dict[int, list[str]] = {}
        for name, sentences in (refusal.fields or {}).items():
            place, _, field = name.removeprefix("list[").partition("][")
            if place.isdecimal():
                label = IMPORT.labels.get(field.rstrip("]"), field.rstrip("]"))
                found.setdefault(int(place), []).append(f"{label}: {' '.join(sentences)}")
        if not found:
            raise
        return found
    return {}


def _line(number: int, sent: Mapping[str, str], check: imports.ImportCheckView) -> ImportLine:
    result = check.result
    if result == "refused":
        faults = check.faults
        return _refused(number, sent, [f"{IMPORT.labels.get(each.field, '')}: {each.text}" for each in faults])
    return ImportLine(
        number,
        sent,
        result,
        _RESULTS[result],
        _STATUS_OF[result],
        shown.money(check.charge, check.currency or ""),
        shown.money(check.payout, check.currency or ""),
        conversion=check.conversion_id or "",
        why=" ".join([*_zero_words(check), *map(_fill_words, check.fills)]),
    )


def _zero_words(check: imports.ImportCheckView) -> list[str]:
    return [str(_ZERO_WORDS[check.zero])] if check.zero and check.result == "made" else []


def _fill_words(fill: imports.ImportFillView) -> str:
    """Return a cap that a line fills, or goes beyond, in words."""
    used, value = shown.number(fill.used), shown.number(fill.value)
    if fill.used > fill.value:
        return gettext("Goes beyond the cap: %(used)s of %(value)s.", used=used, value=value)
    return gettext("Fills the cap: %(used)s of %(value)s.", used=used, value=value)


def _refused(number: int, sent: Mapping[str, str], why: Sequence[str]) -> ImportLine:
    text = " ".join(each.removeprefix(": ") for each in why)
    return ImportLine(number, sent, "refused", _RESULTS["refused"], _STATUS_OF["refused"], why=text)


def _page(request: PageRequest, sent: SentContent = NOTHING, *, fault: str = "", dry_run: DryRun | None = None) -> Html:
    return request.page(
        "staff/traffic/conversions_import.html",
        400 if fault else 200,
        sent=sent,
        fault=fault,
        dry_run=dry_run,
        allow_zero=_zero(request)[1] == "1",
        path=f"{PATH}/import",
    )
