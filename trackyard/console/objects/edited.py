"""Lists of records that people add, change and remove on pages (docs/spec/console.md#settings)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput, Conflict, NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FieldChoices, FormGroup, FormPlan, open_form
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.methods import Method
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells, page
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.staff.faults import fault_of
from trackyard.wire.endpoint import A, Endpoint
from trackyard.wire.request.params import fields_of
from trackyard.wire.response.envelope import View, values_by_name

R = TypeVar("R", bound=View)
"""A record of a list."""
SETTINGS: Final = "/console/settings"


@dataclass(frozen=True, kw_only=True)
class EditedList(Generic[R, A]):
    """A list of records that have a form. A record is removed after a question.

    path: its address. one: the word for one record. about: the purpose of the list.
    removal: the effect of removing a record.
    method, sent, view: the list's method, its parameters and its view.
    add, edit, remove: methods; remove: None = records cannot be removed.
    records: returns the records in an answer. key, name: return the id and the name of a record.
    sort: the order by name, "" = none. columns: between the name and the buttons.
    new, changed: the cards of the two forms. choices: the choices in the forms.
    """

    path: str
    title: str
    one: str
    about: str
    empty: str
    removal: str = ""
    method: Endpoint[Deps, A]
    view: type[A]
    sent: tuple[Pair, ...] = ()
    add: Method
    edit: Method
    remove: Method | None = None
    records: Callable[[A], Iterable[R]]
    key: Callable[[R], object] = attrgetter("id")
    name: Callable[[R], str]
    sort: str = ""
    columns: tuple[ListColumn[R], ...] = ()
    new: tuple[FormGroup, ...]
    changed: tuple[FormGroup, ...]
    choices: Callable[[PageRequest], FieldChoices] = lambda _request: {}

    @property
    def page(self) -> ListPage[R, A]:
        """Return the declaration of the list."""
        name = ListColumn[R](title=lazy_gettext("Name"), role="title", longest=200, sort=self.sort, cell=self._name)
        buttons = ListColumn[R](title=lazy_gettext("Actions"), role="act", is_hidden_title=True, cell=self._buttons)
        return ListPage[R, A](
            path=self.path,
            method=self.method,
            view=self.view,
            needs=(self.add,),
            rows=lambda _, answer: list(self.records(answer)),
            record=lambda each: {**values_by_name(each), "id": str(self.key(each))},
            title=self.title,
            counted=lambda _total: "",
            about=self.about,
            fixed=self.sent,
            columns=(name, *self.columns, buttons),
            links=lambda _: [PageLink(gettext("All settings"), SETTINGS)] if self.path.startswith(SETTINGS) else [],
            main=lambda _: PageLink(gettext("New %(one)s", one=self.one), f"{self.path}/new"),
            empty=self.empty,
        )

    def find(self, request: PageRequest) -> R:
        """Return the record of the path. Raises NotFound."""
        has_ids = any(each.name == "ids" for each in fields_of(self.method.params))
        sent = (*self.sent, *((("ids[]", request.key),) if has_ids else ()))
        for record in self.records(request.calls.ask(self.method, sent)):
            if str(self.key(record)) == request.key:
                return record
        raise NotFound

    def _name(self, each: R, _on: On) -> ListCell:
        return cells.cell(self.name(each), link=f"{self.path}/{self.key(each)}")

    def _buttons(self, each: R, on: On) -> ListCell:
        name, place = self.name(each), f"{self.path}/{self.key(each)}"
        mail = gettext("Mail it")
        buttons = (
            Act(gettext("Test"), f"{place}/test", about=gettext("Test %(name)s", name=name), is_link=True),
            Act(mail, f"{place}/send", about=f"{mail}: {name}", is_link=True),
            Act(gettext("Remove"), f"{place}/remove", about=gettext("Remove %(name)s", name=name), is_link=True),
        )
        return cells.acts(*(each for each in buttons if on.opens(each.path)))


AnyEditedList = EditedList[Any, Any]
"""A list of any records."""


def declare_edited(pages: Pages, *lists: AnyEditedList) -> None:
    """Declare the pages of lists: each list, a new record, a changed one, its removal."""
    for each in lists:
        page.declare_list(pages, each.page)
        for declare in (pages.get, pages.post):
            declare(f"{each.path}/new", needs=(each.method, each.add))(partial(_new, each))
            declare(f"{each.path}/{{id}}", needs=(each.method, each.edit))(partial(_edit, each))
        if each.remove is not None:
            needs = (each.method, each.remove)
            pages.get(f"{each.path}/{{id}}/remove", needs=needs)(partial(_removal, each))
            pages.post(f"{each.path}/{{id}}/remove", needs=needs)(partial(_remove, each.remove, each))


def _new(each: EditedList[R, A], request: PageRequest) -> PageAnswer:
    form = open_form(request, FormPlan(each.add, each.new), choices=each.choices(request))
    if form.save() is not None:
        return Redirect(each.path, gettext("The %(one)s is created.", one=each.one))
    return form.page(
        request,
        gettext("New %(one)s", one=each.one),
        back=each.path,
        line=each.about,
        save=gettext("Create the %(one)s", one=each.one),
    )


def _edit(each: EditedList[R, A], request: PageRequest) -> PageAnswer:
    record = each.find(request)
    plan = FormPlan(each.edit, each.changed)
    form = open_form(request, plan, record, choices=each.choices(request), path=request.path)
    if form.save() is not None:
        return Redirect(each.path, gettext("%(record)s is saved.", record=each.name(record)))
    return form.page(
        request,
        gettext("Edit %(record)s", record=each.name(record)),
        back=each.path,
        line=gettext("Nothing is saved yet."),
    )


def _remove(method: Method, each: EditedList[R, A], request: PageRequest) -> PageAnswer:
    name = each.name(each.find(request))
    try:
        request.calls.ask(method, path=request.path)
    except (BadInput, Conflict) as refusal:
        return _removal(each, request, fault_of(refusal))
    return Redirect(each.path, gettext("%(name)s is removed.", name=name))


def _removal(each: EditedList[R, A], request: PageRequest, fault: str = "") -> Html:
    name = each.name(each.find(request))
    path = f"{each.path}/{request.key}"
    return request.page(
        "staff/settings/remove.html", 400 if fault else 200, each=each, name=name, path=path, fault=fault
    )
