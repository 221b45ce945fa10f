"""The values of the fields of a form: as the thing has them, and as a person typed them."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from trackyard.console.forms.bound import BoundField, BoundPart, BoundRows, Value, plain_text

Pair = tuple[str, str]
MOST_ROWS: Final = 200
"""Rows that a form reads."""
ORIGIN: Final = "form_row"
"""The field of a row that says which row of the thing it was."""


@dataclass(frozen=True, slots=True)
class RowState:
    """A record of a list. origin: its place in the list of the thing, "" = new.

    values: the values by field name. carried: the parameters without a field, as sent: `("[os][0]", "iOS")`.
    """

    origin: str
    values: Mapping[str, Value]
    carried: tuple[Pair, ...] = ()

    def is_empty(self, rows: BoundRows) -> bool:
        """Return whether this is a new row without typed values."""
        return not self.origin and all(each.is_same(self.values[each.name], each.initial) for each in rows.fields)


@dataclass(frozen=True, slots=True)
class FormState:
    """The values of all fields, and the records of all lists, by name."""

    fields: Mapping[str, Value]
    rows: Mapping[str, tuple[RowState, ...]]

    def with_rows(self, name: str, rows: Iterable[RowState]) -> "FormState":
        """Return it with other records of a list."""
        return replace(self, rows={**self.rows, name: tuple(rows)})

    def with_part(self, part: BoundPart, other: "FormState") -> "FormState":
        """Return it with a field or a list of another state."""
        if isinstance(part, BoundRows):
            return self.with_rows(part.name, other.rows[part.name])
        return replace(self, fields={**self.fields, part.name: other.fields[part.name]})

    def dump(self) -> str:
        """Return it as text, for a hidden field."""
        rows = {name: [(row.origin, row.values, row.carried) for row in each] for name, each in self.rows.items()}
        return json.dumps([self.fields, rows], ensure_ascii=False, separators=(",", ":"))


def shown_state(parts: Sequence[BoundPart], values: Mapping[str, object] | None) -> FormState:
    """Return the state of a thing; None = a new one."""
    fields, rows = {}, {}
    for part in parts:
        if isinstance(part, BoundField):
            fields[part.name] = part.initial if values is None else part.value_in(values)
        else:
            found = (values or {}).get(part.name)
            records = found if isinstance(found, list | tuple) else ()
            rows[part.name] = tuple(_shown_row(part, str(place), each) for place, each in enumerate(records))
    return FormState(fields, rows)


def new_row(rows: BoundRows) -> RowState:
    """Return a new record.

    Parameters without a field are sent empty, so that the record before in its place does not give it its own.
    """
    carried = tuple(
        (f"[{each.name}]", "0" if each.kind == "flag" else plain_text(each.default) if not each.many else "")
        for each in rows.unshown
        if each.kind not in ("rows", "file")
    )
    return RowState("", {each.name: each.initial for each in rows.fields}, carried)


def typed_state(parts: Sequence[BoundPart], pairs: Sequence[Pair]) -> FormState:
    """Return the typed values."""
    fields = {part.name: part.typed_in(pairs, part.name) for part in parts if isinstance(part, BoundField)}
    rows = {part.name: tuple(_typed_rows(part, pairs)) for part in parts if isinstance(part, BoundRows)}
    return FormState(fields, rows)


def settled_state(parts: Sequence[BoundPart], shown: FormState, typed: FormState) -> FormState:
    """Return the typed values, with the shown value wherever both mean the same."""
    fields, rows = dict(typed.fields), dict(typed.rows)
    for part in parts:
        if isinstance(part, BoundField):
            fields[part.name] = _settled([part], shown.fields, typed.fields)[part.name]
            continue
        before = {row.origin: row for row in shown.rows[part.name]}
        rows[part.name] = tuple(
            replace(row, values=_settled(part.fields, before[row.origin].values, row.values))
            if row.origin in before
            else replace(row, origin="")
            for row in typed.rows[part.name]
        )
    return FormState(fields, rows)


def _settled(fields: Iterable[BoundField], shown: Mapping[str, Value], typed: Mapping[str, Value]) -> dict[str, Value]:
    values = ((each.name, shown[each.name], typed[each.name], each) for each in fields)
    return {name: before if field.is_same(before, now) else now for name, before, now, field in values}


def loaded_state(parts: Sequence[BoundPart], text: str, otherwise: FormState) -> FormState:
    """Return the state of a hidden field; `otherwise` where it holds none of this form."""
    try:
        fields, rows = json.loads(text)
        read = FormState(
            {name: _loaded(value) for name, value in fields.items()},
            {
                name: tuple(
                    RowState(
                        _origin(origin),
                        {each: _loaded(value) for each, value in values.items()},
                        tuple((suffix, value) for suffix, value in carried),
                    )
                    for origin, values, carried in each_row
                )
                for name, each_row in rows.items()
            },
        )
    except (ValueError, TypeError, AttributeError):
        return otherwise
    return read if _is_of_form(read, parts) else otherwise


def _is_of_form(state: FormState, parts: Sequence[BoundPart]) -> bool:
    """Return whether a state has every field of a form, each with a value of its kind."""
    lists = {part.name: part for part in parts if isinstance(part, BoundRows)}
    fields = [part for part in parts if isinstance(part, BoundField)]
    return (
        state.rows.keys() == lists.keys()
        and _fits(state.fields, fields)
        and all(_fits(row.values, lists[name].fields) for name, rows in state.rows.items() for row in rows)
    )


def _fits(values: Mapping[str, Value], fields: Sequence[BoundField]) -> bool:
    kinds = {each.name: tuple if each.is_list else str for each in fields}
    return values.keys() == kinds.keys() and all(isinstance(values[name], kind) for name, kind in kinds.items())


def _origin(text: str) -> str:
    """Return the place of a record as it was sent, "" for a new one."""
    return text if text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_ROWS)) + 1 else ""


def flat_pairs(name: str, value: object) -> Iterable[Pair]:
    """Yield a value of an answer as parameters."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from flat_pairs(f"{name}[{key}]", inner)
    elif isinstance(value, list | tuple) and value:
        for place, inner in enumerate(value):
            yield from flat_pairs(f"{name}[{place}]", inner)
    else:
        yield name, "" if value in ([], (), {}) else plain_text(value)


def _loaded(value: object) -> Value:
    return tuple(map(str, value)) if isinstance(value, list) else str(value)


def _shown_row(rows: BoundRows, origin: str, values: Mapping[str, object]) -> RowState:
    known = (each.name for each in rows.parameter.parts if each.name in values)
    flat = (pair for name in known for pair in flat_pairs(f"[{name}]", values[name]))
    return RowState(origin, {each.name: each.value_in(values) for each in rows.fields}, _carried(rows, flat))


def _carried(rows: BoundRows, pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Return the parameters of a record that have no field."""
    shown = tuple(each.suffix for each in rows.fields)
    known = tuple(f"[{each.name}]" for each in rows.parameter.parts)
    return tuple(pair for pair in pairs if pair[0].startswith(known) and not pair[0].startswith(shown))


def _typed_rows(rows: BoundRows, pairs: Sequence[Pair]) -> Iterable[RowState]:
    within = re.compile(re.escape(rows.name) + r"\[([0-9]{1,4})\](\[.+)\Z", re.DOTALL)
    found: dict[int, list[Pair]] = {}
    for name, value in pairs:
        if match := within.match(name):
            found.setdefault(int(match[1]), []).append((match[2], value))
    for number in sorted(found)[:MOST_ROWS]:
        row = found[number]
        yield RowState(
            _origin(next((value for suffix, value in row if suffix == f"[{ORIGIN}]"), "")),
            {each.name: each.typed_in(row, each.suffix) for each in rows.fields},
            _carried(rows, row),
        )
