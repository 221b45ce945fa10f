"""The parts of a form as its template shows them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Final

from trackyard.console.forms.bound import BoundField, BoundRows, Value
from trackyard.console.forms.changes import row_label
from trackyard.console.forms.declared import FormGroup, Widget
from trackyard.console.forms.state import ORIGIN, FormState, RowState

Faults = Mapping[str, Sequence[str]]
"""Sentences by the name of a field."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9]+")
_SENTENCE: Final = re.compile(r"(?<=[a-z0-9)][.]) (?=[A-Z])")


@dataclass(frozen=True, slots=True)
class FormInput:
    """A field. help: its first sentence; more_help: the rest. was: the value before a change, in words."""

    id: str
    name: str
    label: str
    help: str
    more_help: str
    unit: str
    widget: Widget
    value: str
    values: tuple[str, ...]
    choices: tuple[tuple[str, str], ...]
    example: str
    is_required: bool
    is_wide: bool
    is_first: bool
    faults: tuple[str, ...]
    was: str

    @property
    def described_by(self) -> str:
        """Return the ids of its help and of its faults."""
        parts = ((self.help, "help"), (self.unit, "unit"), (self.faults, "fault"))
        return " ".join(f"{self.id}-{name}" for given, name in parts if given)


@dataclass(frozen=True, slots=True)
class RowInputs:
    """A record of a list. more: folded fields. set_count: how many of these are filled."""

    id: str
    title: str
    place: int
    inputs: tuple[FormInput, ...]
    more: tuple[FormInput, ...]
    hidden: tuple[tuple[str, str], ...]
    faults: tuple[str, ...]
    set_count: int

    @property
    def opens_more(self) -> bool:
        """Return whether a folded field needs another look or takes the focus."""
        return any(each.faults or each.is_first for each in self.more)


@dataclass(frozen=True, slots=True)
class RowsInput:
    """A list of records."""

    id: str
    name: str
    label: str
    one: str
    help: str
    more_label: str
    is_conditions: bool
    rows: tuple[RowInputs, ...]
    faults: tuple[str, ...]
    is_rows: bool = True


@dataclass(frozen=True, slots=True)
class GroupInputs:
    """A card of a form. is_open: None where it cannot be folded."""

    id: str
    title: str
    help: str
    parts: tuple[FormInput | RowsInput, ...]
    is_open: bool | None


@dataclass(frozen=True, slots=True)
class NamedFault:
    """A field that needs another look. id: of what the banner leads to, "" where no field has the fault."""

    id: str
    label: str
    sentence: str


def id_of(name: str) -> str:
    """Return the id of the field of a name."""
    return f"f-{_UNSAFE.sub('-', name).strip('-')}"


def shown_group(
    group: FormGroup, parts: Sequence[BoundField | BoundRows], shown: FormState, typed: FormState, faults: Faults,
    *, marks_changes: bool, focus: str,
) -> GroupInputs:  # fmt: skip
    """Return a card.

    shown: the values before a person typed. focus: the list with a new last row.
    """
    made: list[FormInput | RowsInput] = []
    for part in parts:
        if isinstance(part, BoundRows):
            made.append(_rows(part, shown, typed, faults, marks_changes=marks_changes, is_first=part.name == focus))
        else:
            was = shown.fields[part.name] if marks_changes else None
            made.append(_input(part, part.name, typed.fields[part.name], faults, was))
    is_open = None if not group.folded else _is_used(parts, typed) or any(each.faults for each in made)
    return GroupInputs(id_of(f"group-{group.title}"), group.title, group.help, tuple(made), is_open)


def own_faults(parts: Sequence[BoundField | BoundRows], state: FormState, faults: Faults) -> dict[str, list[str]]:
    """Return the errors by field name: an error of `countries[1]` belongs to `countries`.

    Errors of no field keep their names.
    """
    names = list(_each_name(parts, state))
    owned: dict[str, list[str]] = {}
    for name, sentences in faults.items():
        place = name
        while place not in names and "[" in place:
            place = place.rpartition("[")[0]
        within = (each for each in names if each.startswith(f"{name}["))
        owned.setdefault(place if place in names else next(within, name), []).extend(sentences)
    return owned


def named_faults(parts: Sequence[BoundField | BoundRows], state: FormState, faults: Faults) -> list[NamedFault]:
    """Return the faults for the banner, in the order of the form."""
    labels = dict(_each_label(parts, state))
    known = [NamedFault(id_of(name), label, "") for name, label in labels.items() if faults.get(name)]
    rest = [(name, each) for name, sentences in faults.items() if name not in labels for each in sentences]
    return known + [NamedFault("", name, sentence) for name, sentence in rest]


def _each_name(parts: Sequence[BoundField | BoundRows], state: FormState) -> Iterator[str]:
    return (name for name, _ in _each_label(parts, state))


def _each_label(parts: Sequence[BoundField | BoundRows], state: FormState) -> Iterator[tuple[str, str]]:
    for part in parts:
        if isinstance(part, BoundField):
            yield part.name, part.label
            continue
        for place, _ in enumerate(state.rows[part.name]):
            for each in part.fields:
                yield f"{part.name}[{place}]{each.suffix}", row_label(part, each, place + 1)
            yield f"{part.name}[{place}]", f"{part.declared.one} {place + 1}"
        yield part.name, part.parameter.label


def _is_used(parts: Sequence[BoundField | BoundRows], state: FormState) -> bool:
    return any(
        bool(state.rows[part.name]) if isinstance(part, BoundRows) else state.fields[part.name] != part.initial
        for part in parts
    )


def _rows(
    part: BoundRows, shown: FormState, typed: FormState, faults: Faults, *, marks_changes: bool, is_first: bool
) -> RowsInput:
    before = {row.origin: row for row in shown.rows[part.name]} if marks_changes else {}
    rows = typed.rows[part.name]
    made = tuple(
        _row(part, place, row, before.get(row.origin), faults, is_first=is_first and place == len(rows) - 1)
        for place, row in enumerate(rows)
    )
    declared = part.declared
    return RowsInput(
        id=id_of(part.name),
        name=part.name,
        label=part.parameter.label,
        one=declared.one,
        help=declared.help or part.parameter.help,
        more_label=declared.more_label,
        is_conditions=declared.is_conditions,
        rows=made,
        faults=tuple(faults.get(part.name, ())),
    )


def _row(
    part: BoundRows, place: int, row: RowState, before: RowState | None, faults: Faults, *, is_first: bool
) -> RowInputs:
    name = f"{part.name}[{place}]"
    made = tuple(
        _input(
            each,
            f"{name}{each.suffix}",
            row.values[each.name],
            faults,
            None if before is None else before.values[each.name],
            is_first=is_first and number == 0,
        )
        for number, each in enumerate(part.fields)
    )
    set_ = [not each.is_same(row.values[each.name], each.initial) for each in part.fields]
    always = [
        number < len(part.declared.fields) or (part.declared.is_conditions and (is_set or bool(made[number].faults)))
        for number, is_set in enumerate(set_)
    ]
    return RowInputs(
        id=id_of(name),
        title=f"{part.declared.one} {place + 1}",
        place=place,
        inputs=tuple(compress(made, always)),
        more=tuple(each for each, is_shown in zip(made, always, strict=True) if not is_shown),
        hidden=((f"{name}[{ORIGIN}]", row.origin), *((f"{name}{suffix}", value) for suffix, value in row.carried)),
        faults=tuple(faults.get(name, ())),
        set_count=sum(is_set and not is_shown for is_set, is_shown in zip(set_, always, strict=True)),
    )


def _input(
    field: BoundField, name: str, value: Value, faults: Faults, was: Value | None, *, is_first: bool = False
) -> FormInput:
    first, *rest = _SENTENCE.split(str(field.help), maxsplit=1)
    values = value if isinstance(value, tuple) else (value,)
    joint = "\n" if field.widget == "lines" else ", "
    text = joint.join(values)
    is_secret = field.widget == "password"
    return FormInput(
        id=id_of(name),
        name=name,
        label=field.label,
        help=first,
        more_help="".join(rest),
        unit=field.unit,
        widget=field.widget,
        value="" if is_secret else text,
        values=values,
        choices=_with_present(field, values),
        example=field.parameter.example,
        is_required=field.is_required,
        is_wide=field.declared.wide or field.widget in ("long", "lines", "checks"),
        is_first=is_first,
        faults=tuple(faults.get(name, ())),
        was="" if was is None or field.is_same(was, value) else field.words_of(was),
    )


def _with_present(field: BoundField, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the choices, and present values that are not among them."""
    if field.widget not in ("select", "checks"):
        return ()
    known = {value for value, _ in field.choices}
    given = tuple((value, value) for value in values if value and value not in known)
    empty = (
        (("", ""),) if field.widget == "select" and "" not in known and ("" in values or not field.is_required) else ()
    )
    return (*empty, *field.choices, *given)
