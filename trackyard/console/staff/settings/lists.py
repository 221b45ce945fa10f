"""The pages of each list of the settings: the list, a new record, a changed one, its removal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from trackyard.api.offers import lists
from trackyard.base.errors import BadInput, Conflict, NotFound
from trackyard.base.texts.marks import gettext
from trackyard.console.forms import open_form
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.methods import Method
from trackyard.console.frame.pages import Handler, Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import asks_for_file, every_row, rows_file, total_of
from trackyard.console.offers_shown.words import STATUSES
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import PER_PAGE, ListState, read_list
from trackyard.console.staff.settings.declared import (
    LISTS,
    SETTINGS,
    ListColumn,
    OffersOfRecord,
    R,
    SettingsList,
)
from trackyard.wire.endpoint import A
from trackyard.wire.response.envelope import values_by_name

pages = Pages()


@dataclass(frozen=True, slots=True)
class SettingsRow:
    """A record of a list. offers: the number of its offers, 0 in lists that count none."""

    id: str
    name: str
    cells: Sequence[str]
    offers: int


def declare_list(pages: Pages, each: SettingsList[R, A]) -> None:
    """Declare the pages of a list."""
    pages.get(each.path, needs=(each.lists, each.add))(_of(each, _list))
    for declare in (pages.get, pages.post):
        declare(f"{each.path}/new", needs=(each.lists, each.add))(_of(each, _new))
        declare(f"{each.path}/{{id}}", needs=(each.lists, each.edit))(_of(each, _edit))
    if each.remove is not None:
        pages.get(f"{each.path}/{{id}}/remove", needs=(each.lists, each.remove))(_of(each, _removal))
        remove = partial(_remove, each.remove)
        pages.post(f"{each.path}/{{id}}/remove", needs=(each.lists, each.remove))(_of(each, remove))


def _of(each: SettingsList[R, A], handle: Callable[[SettingsList[R, A], PageRequest], PageAnswer]) -> Handler:
    return lambda request: handle(each, request)


def _list(each: SettingsList[R, A], request: PageRequest) -> PageAnswer:
    state = read_list(request.address, (), each.sorts)
    ordered = (("order", state.sort[0]), ("orderType", state.sort[1])) if state.sort[0] else ()
    sent = (*each.sent, *ordered)
    if asks_for_file(request):
        return rows_file(each.slug, (_with_key(each, record) for record in _every_record(each, request, sent)))
    if each.is_paged:
        sent = (*sent, *state.sent())
    records, total = _page_of_records(each, request, sent, state)
    return request.page(
        "staff/settings/list.html",
        each=each,
        sort=state.sort,
        rows=[_row(each, request, record) for record in records],
        counts_offers=_counts_offers(each, request),
        may_edit=request.calls.may(each.edit),
        may_remove=each.remove is not None and request.calls.may(each.remove),
        may_test=each.test is not None and request.calls.may(each.test),
        may_open_settings=each.place == SETTINGS and request.may_open("/console/settings"),
        api_request_path=request.calls.address(each.lists, sent),
        **state.shown(total),
    )


def _row(each: SettingsList[R, A], request: PageRequest, record: R) -> SettingsRow:
    key = str(each.key(record))
    cells = [_cell(request, column, record) for column in each.columns]
    offers = _count_offers(each.offers, request, key) if _counts_offers(each, request) else 0
    return SettingsRow(key, each.name(record), cells, offers)


def _counts_offers(each: SettingsList[R, A], request: PageRequest) -> bool:
    return each.offers is not None and request.calls.may(lists.list_offers)


def _count_offers(offers: OffersOfRecord | None, request: PageRequest, id_: str) -> int:
    """Return the number of offers of a record that the person may see, as the list of offers has it."""
    if offers is None:
        return 0
    sent = [(offers.parameter, id_), *(("status[]", status) for status in STATUSES), ("limit", "1")]
    return total_of(request.calls.ask(lists.list_offers, sent))


def _cell(request: PageRequest, column: ListColumn[R], record: R) -> str:
    text = column.text(record)
    return request.time_of(text) if column.is_time else text


def _new(each: SettingsList[R, A], request: PageRequest) -> PageAnswer:
    form = open_form(request, each.add_plan, choices=each.choices(request))
    if form.save() is not None:
        return Redirect(each.path, gettext("The %(one)s is created.", one=each.one))
    return form.page(
        request,
        gettext("New %(one)s", one=each.one),
        back=each.path,
        line=each.about,
        save=gettext("Create the %(one)s", one=each.one),
    )


def _edit(each: SettingsList[R, A], request: PageRequest) -> PageAnswer:
    record = _find(each, request)
    form = open_form(request, each.edit_plan, record, choices=each.choices(request), path=request.path)
    if form.save() is not None:
        return Redirect(each.path, gettext("%(record)s is saved.", record=each.name(record)))
    return form.page(
        request,
        gettext("Edit %(record)s", record=each.name(record)),
        back=each.path,
        line=gettext("Nothing is saved yet."),
    )


def _remove(method: Method, each: SettingsList[R, A], request: PageRequest) -> PageAnswer:
    name = each.name(_find(each, request))
    try:
        request.calls.ask(method, path=request.path)
    except (BadInput, Conflict) as refusal:
        return _removal(each, request, fault_of(refusal))
    return Redirect(each.path, gettext("%(name)s is removed.", name=name))


def _removal(each: SettingsList[R, A], request: PageRequest, fault: str = "") -> Html:
    name = each.name(_find(each, request))
    path = f"{each.path}/{request.key}"
    return request.page(
        "staff/settings/remove.html", 400 if fault else 200, each=each, name=name, path=path, fault=fault
    )


def _page_of_records(
    each: SettingsList[R, A], request: PageRequest, sent: Sequence[Pair], state: ListState
) -> tuple[Sequence[R], int]:
    """Return the records of the page and the number of all."""
    answer = request.calls.ask(each.lists, sent)
    records = list(each.records(answer))
    if each.is_paged:
        return records, total_of(answer)
    return records[state.first - 1 : state.first - 1 + PER_PAGE], len(records)


def _every_record(each: SettingsList[R, A], request: PageRequest, sent: Sequence[Pair]) -> Iterable[R]:
    if each.is_paged:
        return every_row(request, each.lists, lambda answer: list(each.records(answer)), sent)
    return each.records(request.calls.ask(each.lists, sent))


def _with_key(each: SettingsList[R, A], record: R) -> Mapping[str, object]:
    """Return a record of the file; each has its id under this name."""
    return {**values_by_name(record), "id": str(each.key(record))}


def _find(each: SettingsList[R, A], request: PageRequest) -> R:
    """Return the record of the path. Raises NotFound."""
    sent = (*each.sent, ("ids[]", request.key)) if each.is_paged else each.sent
    records = each.records(request.calls.ask(each.lists, sent))
    record = next((record for record in records if str(each.key(record)) == request.key), None)
    if record is None:
        raise NotFound
    return record


for _each in LISTS:
    declare_list(pages, _each)
