"""What a form changes, in words and as parameters of the API."""

from collections.abc import Iterator
from dataclasses import dataclass

from trackyard.base.texts.marks import gettext
from trackyard.console.forms.bound import NOTHING, BoundField, BoundPart, BoundRows
from trackyard.console.forms.state import FormState, Pair, RowState
from trackyard.console.frame.shown import shorten


@dataclass(frozen=True, slots=True)
class FormChange:
    """A change in words. part: the name of its field or list. before, after: the old and the new value."""

    part: str
    label: str
    before: str
    after: str


def is_changed(part: BoundPart, before: FormState, after: FormState) -> bool:
    """Return whether a field or a list was changed."""
    if isinstance(part, BoundField):
        return not part.is_same(before.fields[part.name], after.fields[part.name])
    old, new = before.rows[part.name], after.rows[part.name]
    return len(old) != len(new) or any(
        one.origin != other.origin or _differs(part, one, other) for one, other in zip(old, new, strict=True)
    )


def changes_of(part: BoundPart, before: FormState, after: FormState) -> Iterator[FormChange]:
    """Yield what changes in a field, or in each record of a list."""
    if isinstance(part, BoundRows):
        yield from _row_changes(part, before.rows[part.name], after.rows[part.name])
    elif is_changed(part, before, after):
        old, new = before.fields[part.name], after.fields[part.name]
        yield FormChange(part.name, part.label, part.words_of(old), part.words_of(new))


def pairs_of(part: BoundPart, state: FormState, *, skips_empty: bool) -> Iterator[Pair]:
    """Yield a field or a list as parameters. skips_empty: leaves out empty fields."""
    if isinstance(part, BoundField):
        value = state.fields[part.name]
        if value or part.parameter.may_be_empty or not (skips_empty or part.widget == "password"):
            yield from part.pairs(part.name, value)
        return
    rows = state.rows[part.name]
    if not rows and not skips_empty:
        yield part.name, ""
    for place, row in enumerate(rows):
        name = f"{part.name}[{place}]"
        for each in part.fields:
            yield from each.pairs(f"{name}{each.suffix}", row.values[each.name])
        yield from ((f"{name}{suffix}", value) for suffix, value in row.carried)


def _differs(rows: BoundRows, one: RowState, other: RowState) -> bool:
    return any(not each.is_same(one.values[each.name], other.values[each.name]) for each in rows.fields)


def _row_changes(part: BoundRows, old: tuple[RowState, ...], new: tuple[RowState, ...]) -> Iterator[FormChange]:
    before = {row.origin: row for row in old}
    one = part.declared.one
    for number, row in enumerate(new, 1):
        stored = before.pop(row.origin, None)
        if stored is None:
            yield FormChange(part.name, f"{one} {number}", NOTHING, _summary(part, row))
            continue
        for each in part.fields:
            was, now = stored.values[each.name], row.values[each.name]
            if not each.is_same(was, now):
                yield FormChange(part.name, row_label(part, each, number), each.words_of(was), each.words_of(now))
    for origin, row in before.items():
        yield FormChange(part.name, f"{one} {int(origin) + 1}", _summary(part, row), NOTHING)
    kept = [row.origin for row in new if row.origin]
    if kept != sorted(kept, key=int):
        yield FormChange(part.name, part.parameter.label, NOTHING, gettext("in another order"))


def row_label(part: BoundRows, field: BoundField, number: int) -> str:
    """Return a field's label with its row, such as "Countries of payment 2"."""
    return gettext("%(label)s of %(row)s %(number)s", label=field.label, row=part.declared.one.lower(), number=number)


def _summary(part: BoundRows, row: RowState) -> str:
    """Return the values of a record in words."""
    said = [each.words_of(row.values[each.name]) for each in part.fields if row.values[each.name] not in ("", (), "0")]
    return shorten(", ".join(said)) or NOTHING
