"""The import of ad costs from a file, with a preview (docs/spec/console.md#ad-costs)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from trackyard.api.offers import lists
from trackyard.api.people import affiliates
from trackyard.api.statistics.ad_costs import AdCostView
from trackyard.base.errors import BadInput, NotFound, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import every_row
from trackyard.console.lists.objects import AFFILIATES, OFFERS
from trackyard.console.staff.ad_costs.listing import LIST, PATH, SET, without_sub8
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.imported_files import NOTHING, ImportedFile, SentContent, read_import
from trackyard.domain.conversions.tables import AFFILIATE_NAMES, DAY_NAMES, OFFER_NAMES
from trackyard.domain.platform.tables.forms import FileColumn, ReadRow, TableForm
from trackyard.domain.platform.tables.grids import Limits, TableFault
from trackyard.domain.platform.tables.kinds import amounts_in, days, ids, whole_numbers

pages = Pages()

_NEEDED: Final = ("offer_id", "affiliate_id", "date", "costs")
Place = tuple[str, str, str, str]
"""The offer, affiliate, day and value of sub8 of a cost."""


@dataclass(frozen=True, slots=True)
class CostLine:
    """A line of the file.

    before: the cost that it replaces, "" = none. why: the reason why the line is refused, "" = it is not refused.
    """

    number: int
    sent: Mapping[str, str]
    before: str = ""
    why: str = ""

    @property
    def pairs(self) -> list[Pair]:
        """Return the line as parameters of the API."""
        return [*self.sent.items(), *without_sub8(self.sent.get("sub8", ""))]

    @property
    def place(self) -> Place:
        """Return the place that the cost was paid for: offer, affiliate, day and sub8."""
        offer, affiliate, day = (self.sent.get(name, "") for name in _NEEDED[:3])
        return offer.lstrip("0"), affiliate.lstrip("0"), day, self.sent.get("sub8", "")


@pages.get(f"{PATH}/import", needs=(LIST, SET))
def ask_for_file(request: PageRequest) -> PageAnswer:
    """Ask for a file."""
    return _page(request)


@pages.post(f"{PATH}/import", needs=(LIST, SET))
def import_file(request: PageRequest) -> PageAnswer:
    """Show what each line of a file does, or store the costs of the lines that are not refused."""
    try:
        file = read_import(request, form_of(request.deps.currency))
    except TableFault as fault:
        return _page(request, SentContent(request.field("text")), fault=str(fault))
    if file.missing:
        return _page(request, file.sent, file, fault=file.missing)
    checked = list(_checked(request, [_line(file, row) for row in file.rows]))
    if request.field("do") != "import":
        return _page(request, file.sent, file, checked)
    stored = [line if line.why else _stored(request, line) for line in checked]
    count = sum(not line.why for line in stored)
    done = ngettext("%(num)d ad cost is saved.", "%(num)d ad costs are saved.", count)
    if count == len(stored):
        return Redirect(f"{PATH}?offer={stored[0].place[0]}", done)
    return _page(request, file.sent, file, [line for line in stored if line.why], done=done)


def form_of(currency: str) -> TableForm:
    """Return the columns of a file. currency: of the platform, which costs are in."""
    return TableForm(
        columns=(
            FileColumn("offer_id", lazy_gettext("Offer number"), whole_numbers, OFFER_NAMES),
            FileColumn("affiliate_id", lazy_gettext("Affiliate number"), whole_numbers, AFFILIATE_NAMES),
            FileColumn("date", lazy_gettext("Day"), days, DAY_NAMES),
            FileColumn("sub8", lazy_gettext("Sub 8"), ids),
            FileColumn("costs", lazy_gettext("Cost"), amounts_in(currency), ("cost", "spend", "amount")),
        ),
        needed=_NEEDED,
        limits=Limits(most_bytes=512 * 1024, most_rows=1000),
    )


def _line(file: ImportedFile, row: ReadRow) -> CostLine:
    return CostLine(row.number, row.sent, why=" ".join(file.faults_of(row)))


def _checked(request: PageRequest, lines: Sequence[CostLine]) -> Iterator[CostLine]:
    """Yield each line with what it replaces, or why it is refused."""
    tried = [line if line.why else _with_faults(request, line) for line in lines]
    numbers = {line.place[:2] for line in tried if not line.why}
    costs = _present_costs(request, sorted({offer for offer, _ in numbers}))
    is_known = request.calls.may(affiliates.list_)
    people = AFFILIATES.names(request.calls, (affiliate for _, affiliate in numbers))
    first: dict[Place, int] = {}
    for line in tried:
        offer, affiliate, _, _ = line.place
        if line.why:
            yield line
        elif costs[offer] is None:
            yield replace(line, why=gettext("An offer %(number)s does not exist.", number=offer))
        elif is_known and affiliate not in people:
            yield replace(line, why=gettext("An affiliate %(number)s does not exist.", number=affiliate))
        elif line.place in first:
            number = first[line.place]
            yield replace(line, why=gettext("Line %(number)d is about the same clicks.", number=number))
        else:
            first[line.place] = line.number
            yield replace(line, before=(costs[offer] or {}).get(line.place, ""))


def _with_faults(request: PageRequest, line: CostLine) -> CostLine:
    """Return a line with the faults that need no stored thing."""
    try:
        request.calls.check(SET, line.pairs)
    except BadInput as refusal:
        found, labels = (refusal.fields or {}).items(), form_of(request.deps.currency).labels
        why = " ".join(f"{labels.get(name, name)}: {' '.join(sentences)}" for name, sentences in found)
        return replace(line, why=why or fault_of(refusal))
    return line


def _present_costs(request: PageRequest, numbers: Sequence[str]) -> dict[str, dict[Place, str] | None]:
    """Return the costs of offers by place; None for an offer that does not exist.

    Costs of an offer with more of them than a file may have are left out.
    """
    found: dict[str, dict[Place, str] | None] = {}
    known, is_known = OFFERS.names(request.calls, numbers), request.calls.may(lists.list_offers)
    for number in numbers:
        if is_known and number not in known:
            found[number] = None
            continue
        try:
            rows = list(every_row(request, LIST, lambda answer: answer.costs, [("offer_id", number)]))
        except NotFound:
            found[number] = None
        except BadInput:
            found[number] = {}
        else:
            found[number] = {_place_of(each): shown.money(each.costs, request.deps.currency) for each in rows}
    return found


def _place_of(each: AdCostView) -> Place:
    return str(each.offer_id), str(each.affiliate_id), each.date, each.sub8


def _stored(request: PageRequest, line: CostLine) -> CostLine:
    """Store the cost of a line, and return the line; with the reason where the API refuses it."""
    try:
        request.calls.ask(SET, line.pairs)
    except RequestError as refusal:
        return replace(line, why=fault_of(refusal))
    return line


def _page(
    request: PageRequest,
    sent: SentContent = NOTHING,
    file: ImportedFile | None = None,
    lines: Sequence[CostLine] = (),
    *,
    fault: str = "",
    done: str = "",
) -> Html:
    good = [line for line in lines if not line.why]
    total = sum((Decimal(line.sent["costs"]) for line in good), Decimal(0))
    return request.page(
        "staff/ad_costs/import.html",
        400 if fault else 200,
        sent=sent,
        file=file,
        fault=fault,
        done=done,
        lines=lines,
        good=len(good),
        replaced=sum(bool(line.before) for line in good),
        refused=len(lines) - len(good),
        total=shown.money(total, request.deps.currency),
        path=f"{PATH}/import",
    )
