"""A form while a person works on it (docs/spec/console.md#forms)."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Generic

from trackyard.base.errors import BadInput, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms.bound import BoundField, BoundPart, BoundRows, FieldChoices, bind
from trackyard.console.forms.changes import FormChange, changes_of, is_changed, pairs_of
from trackyard.console.forms.declared import FormPlan
from trackyard.console.forms.inputs import GroupInputs, NamedFault, named_faults, own_faults, shown_group
from trackyard.console.forms.resubmission import DO, seal_of
from trackyard.console.forms.state import (
    FormState,
    Pair,
    RowState,
    loaded_state,
    new_row,
    settled_state,
    shown_state,
    typed_state,
)
from trackyard.console.frame.answers import Html
from trackyard.console.frame.request import PageRequest
from trackyard.wire.endpoint import A
from trackyard.wire.response.envelope import View, values_by_name
from trackyard.wire.response.errors import REQUIRED

SHOWN: Final = "form_shown"
"""The hidden field with the values that the person saw first."""
NO_CHANGE: Final = lazy_gettext("Nothing was changed, so nothing was saved.")
_REFUSALS: Final = (400, 409, 413, 415, 422, 429)
"""Statuses that a person can act on by typing something else, or by another try."""
_SECRET: Final = "SECRET"  # noqa: S105 (the name of a mark)


class PageForm(Generic[A]):
    """A form with its values.

    faults: sentences by the name of a field. note: a sentence instead of a result. status: of the page.
    """

    def __init__(
        self,
        request: PageRequest,
        plan: FormPlan[A],
        values: View | Mapping[str, object] | None,
        choices: FieldChoices,
        path: Mapping[str, str],
        fixed: Sequence[Pair],
        *,
        is_new: bool,
    ) -> None:
        self._calls, self._plan, self._path, self._fixed = request.calls, plan, path, tuple(fixed)
        self.is_edit = not is_new
        self._groups = bind(plan, request.calls, choices, request.deps.currency, request.zone)
        self._parts: list[BoundPart] = [part for group in self._groups for part in group]
        self._current = self._shown = self._typed = shown_state(
            self._parts, values_by_name(values) if isinstance(values, View) else values
        )
        self.seal = seal_of(request)
        self._do, self.faults, self.note, self.status = "", dict[str, list[str]](), "", 200
        self._focus = ""
        if any(name == DO for name, _ in request.form):
            self._read(request)

    def _read(self, request: PageRequest) -> None:
        """Take the typed values, and run the command of the button.

        The command is save, preview, try, keep, add:LIST, copy:LIST:PLACE or drop:LIST:PLACE.
        """
        self._do = request.field(DO)
        self._shown = loaded_state(self._parts, request.field(SHOWN), self._shown)
        typed = typed_state(self._parts, request.form)
        self._typed = settled_state(self._parts, self._shown, typed) if self.is_edit else typed
        verb, _, target = self._do.partition(":")
        name, _, place = target.partition(":")
        rows = next((part for part in self._parts if isinstance(part, BoundRows) and part.name == name), None)
        if verb == "add" and rows is not None:
            self._typed = self._typed.with_rows(name, (*self._typed.rows[name], new_row(rows)))
            self._focus = name
        elif verb == "copy" and rows is not None:
            self._typed = self._typed.with_rows(name, _with_copy(self._typed.rows[name], place))
        elif verb == "drop" and rows is not None:
            kept = (row for number, row in enumerate(self._typed.rows[name]) if str(number) != place)
            self._typed = self._typed.with_rows(name, kept)
        elif verb in ("save", "preview", "try"):
            self._drop_empty_rows()
            if verb != "save":
                self._check()

    def save(self) -> A | None:
        """Return the answer of the method; None where nothing was sent to it, or it refused what was typed.

        Raises RequestError where other values would not help.
        """
        if self._do != "save":
            return None
        if self.is_edit and not self._changed():
            self.note = NO_CHANGE
            return None
        if self._check() or self._is_outdated():
            return None
        try:
            return self._calls.ask(self._plan.method, self.pairs, self._path)
        except RequestError as refusal:
            if refusal.status not in _REFUSALS:
                raise
            self.refuse(refusal)
            return None

    def _drop_empty_rows(self) -> None:
        for part in self._parts:
            if isinstance(part, BoundRows):
                filled = (row for row in self._typed.rows[part.name] if not row.is_empty(part))
                self._typed = self._typed.with_rows(part.name, filled)

    def refuse(self, refusal: RequestError) -> None:
        """Show a refusal at the fields that it is about, or in the banner."""
        self.faults = own_faults(self._parts, self._typed, refusal.fields or {"": [f"{refusal.text}."]})
        self.status = refusal.status

    def _check(self) -> bool:
        """Return whether the values have faults that can be seen before they are saved."""
        faults = {name: [REQUIRED] for name in self._missing()}
        try:
            self._calls.check(self._plan.method, self.pairs)
        except BadInput as refusal:
            faults |= {name: list(sentences) for name, sentences in (refusal.fields or {}).items()}
        if faults:
            self.refuse(BadInput(faults))
        return bool(faults)

    def _is_outdated(self) -> bool:
        """Return whether another person changed a field that this one changes.

        Their value is then the old one.
        """
        faults = {}
        for part in self._changed() if self.is_edit else ():
            if isinstance(part, BoundField) and part.widget == "password":
                continue
            if is_changed(part, self._shown, self._current) and is_changed(part, self._current, self._typed):
                faults[part.name] = [_outdated(part, self._current)]
                self._shown = self._shown.with_part(part, self._current)
        if faults:
            self.refuse(BadInput(faults))
        return bool(faults)

    def _missing(self) -> list[str]:
        """Return the names of empty fields that must be filled."""
        missing = []
        for part in self._parts:
            if isinstance(part, BoundField):
                may_empty = part.parameter.clears or part.declared.optional
                is_emptied = self.is_edit and self._is_sent(part) and not may_empty
                if (part.is_required or is_emptied) and not self._typed.fields[part.name]:
                    missing.append(part.name)
                continue
            for place, row in enumerate(self._typed.rows[part.name]):
                empty = (each for each in part.fields if each.is_required and not row.values[each.name])
                missing += [f"{part.name}[{place}]{each.suffix}" for each in empty]
        return missing

    def _changed(self) -> list[BoundPart]:
        return [part for part in self._parts if is_changed(part, self._shown, self._typed)]

    def _is_sent(self, part: BoundPart) -> bool:
        is_needed = isinstance(part, BoundField) and part.is_required
        return self._plan.sends_all or is_needed or is_changed(part, self._shown, self._typed)

    @property
    def pairs(self) -> list[Pair]:
        """Return the parameters that are sent: what is filled of a new thing, what differs of others."""
        chosen = [part for part in self._parts if not self.is_edit or self._is_sent(part)]
        sent = (pair for part in chosen for pair in pairs_of(part, self._typed, skips_empty=not self.is_edit))
        return [*self._fixed, *sent]

    @property
    def filled_pairs(self) -> list[Pair]:
        """Return everything that is filled as parameters, whether it was changed or not."""
        return [*self._fixed, *(pair for part in self._parts for pair in pairs_of(part, self._typed, skips_empty=True))]

    @property
    def is_tried(self) -> bool:
        """Return whether the person asked what the values would do, and they have no fault."""
        return self._do == "try" and not self.faults

    @property
    def changes(self) -> list[FormChange]:
        """Return the changes, in words; none for a new thing."""
        if not self.is_edit:
            return []
        return [change for part in self._parts for change in changes_of(part, self._shown, self._typed)]

    @property
    def shows_changes(self) -> bool:
        """Return whether the person asked what changes, and the values have no fault."""
        return self._do == "preview" and not self.faults and bool(self.changes)

    @property
    def groups(self) -> list[GroupInputs]:
        """Return the cards of the form. A list that must not be empty has an empty record to begin with."""
        typed = self._typed
        for part in self._parts:
            if isinstance(part, BoundRows) and part.parameter.required and not typed.rows[part.name]:
                typed = typed.with_rows(part.name, [new_row(part)])
        return [
            shown_group(group, parts, self._shown, typed, self.faults, marks_changes=self.is_edit, focus=self._focus)
            for group, parts in zip(self._plan.groups, self._groups, strict=True)
        ]

    @property
    def fault_list(self) -> list[NamedFault]:
        """Return the faults for the banner."""
        return named_faults(self._parts, self._typed, self.faults)

    @property
    def shown_text(self) -> str:
        """Return the values that the person saw first, without secrets."""
        secrets = [part.name for part in self._parts if isinstance(part, BoundField) and part.widget == "password"]
        return replace(self._shown, fields={**self._shown.fields, **dict.fromkeys(secrets, "")}).dump()

    @property
    def request_line(self) -> str:
        """Return the command that sends the same to the API."""
        secrets = {part.name for part in self._parts if isinstance(part, BoundField) and part.widget == "password"}
        sent = [(name, _SECRET if name in secrets else value) for name, value in self.pairs]
        data = "".join(f" --data-urlencode {shlex.quote(f'{name}={value}')}" for name, value in sent)
        address = self._calls.address(self._plan.method, path=self._path)
        return f"curl -H 'API-Key: KEY' -X POST{data} {shlex.quote(address)}"

    @property
    def typed(self) -> FormState:
        """Return the values of the fields."""
        return self._typed

    def rows_of(self, name: str) -> tuple[RowState, ...]:
        """Return the records of a list as they were typed."""
        return self._typed.rows[name]

    def page(
        self,
        request: PageRequest,
        title: str,
        *,
        back: str,
        line: str = "",
        save: str = "",
        template: str = "form.html",
        **values: object,
    ) -> Html:
        """Return the page of the form.

        back: the path of "Cancel". line: a sentence about the current state, below the title. save: the button's text.
        template: form.html, or one that extends it. values: its values.
        """
        return request.page(
            template, self.status, form=self, title=title, back=back, line=line, save=save or gettext("Save"), **values
        )


AnyForm = PageForm[Any]
"""A form of any method."""


def _outdated(part: BoundPart, current: FormState) -> str:
    if isinstance(part, BoundRows):
        return gettext("Another person changed this list meanwhile. Save again to replace it by yours.")
    now = part.words_of(current.fields[part.name])
    return gettext("Another person changed this to %(now)s meanwhile. Save again to replace it by yours.", now=now)


def _with_copy(rows: Sequence[RowState], place: str) -> list[RowState]:
    """Return the records, the chosen one followed by its copy."""
    made = []
    for number, row in enumerate(rows):
        made += [row, replace(row, origin="")] if str(number) == place else [row]
    return made


def open_form(
    request: PageRequest,
    plan: FormPlan[A],
    values: View | Mapping[str, object] | None = None,
    *,
    choices: FieldChoices | None = None,
    path: Mapping[str, str] | None = None,
    fixed: Sequence[Pair] = (),
    is_new: bool = False,
) -> PageForm[A]:
    """Return the form that the request opens or sends.

    values: the thing's values by parameter name, or its view where its names are the parameters'; None for a new thing.
    choices: values and their texts by field name. path: the variables of the method's path.
    fixed: parameters that are always sent and have no field.
    is_new: whether the values are the first values of a new thing, such as a copy.
    """
    return PageForm(request, plan, values, choices or {}, path or {}, fixed, is_new=is_new or values is None)
