"""Use cases of custom fields and affiliates' answers (docs/api/custom-fields.md)."""

from collections.abc import Mapping
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.domain.platform.custom_fields import CustomField, CustomFieldType
from trackyard.store.engine.database import Connection
from trackyard.store.platform import custom_fields


def list_custom_fields(deps: Deps) -> list[CustomField]:
    """Return all, oldest first."""
    with deps.database.read() as conn:
        return custom_fields.list_custom_fields(conn)


def get_custom_field(deps: Deps, field_id: int) -> CustomField:
    """Return the custom field of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return _found(conn, field_id)


def add_custom_field(
    deps: Deps, name: str, field_type: CustomFieldType, values: list[str], *, required: bool
) -> CustomField:
    """Create a custom field; a select has values. Raises BadInput, Conflict for a taken name."""
    now = deps.clock.now_ms()
    new = CustomField(
        name=name,
        required=required,
        field_type=field_type,
        field_values=_values_of(field_type, values),
        created_at=now,
        updated_at=now,
    )
    with deps.database.write() as conn:
        field_id = custom_fields.add_custom_field(conn, new)
        if field_id is None:
            raise _taken()
        return _found(conn, field_id)


def edit_custom_field(deps: Deps, field_id: int, given: Mapping[str, Any]) -> CustomField:
    """Change the given columns; answers stay. Raises NotFound, BadInput, Conflict."""
    with deps.database.write() as conn:
        before = _found(conn, field_id, lock=True)
        if "name" in given:
            named = custom_fields.find_by_name(conn, given["name"])
            if named is not None and named.id != field_id:
                raise _taken()
        values = dict(given)
        if {"field_type", "field_values"} & values.keys():
            submitted = list(values.get("field_values", before.field_values or []))
            values["field_values"] = _values_of(values.get("field_type", before.field_type), submitted)
        custom_fields.edit_custom_field(conn, field_id, values | {"updated_at": deps.clock.now_ms()})
        return _found(conn, field_id)


def remove_custom_field(deps: Deps, field_id: int) -> CustomField:
    """Remove a custom field and return it. Raises NotFound."""
    with deps.database.write() as conn:
        before = _found(conn, field_id, lock=True)
        custom_fields.remove_custom_field(conn, field_id)
        return before


def checked_answers(
    conn: Connection, submitted: Mapping[str, str], before: Mapping[str, str], *, complete: bool
) -> dict[str, str]:
    """Return the answers of an affiliate, by the field's id as text.

    submitted: by id or name; an empty value removes an answer.
    before: the earlier answers.
    complete: whether all required answers must be given.
    Raises BadInput by wire name.
    """
    known = custom_fields.list_custom_fields(conn)
    by_key = {field.name: field for field in known} | {str(field.id): field for field in known}
    faults: dict[str, list[str]] = {}
    answers = dict(before)
    for key, value in submitted.items():
        field = by_key.get(key)
        if field is None:
            faults[f"custom_fields[{key}]"] = ["A custom field of this name or id does not exist."]
        elif value and field.field_values is not None and value not in field.field_values:
            faults[f"custom_fields[{key}]"] = [f"This value must be one of: {', '.join(field.field_values)}."]
        else:
            answers[str(field.id)] = value.strip()
    answers = {key: value for key, value in answers.items() if value}
    for field in known if complete else ():
        if field.required and str(field.id) not in answers:
            faults.setdefault(f"custom_fields[{field.id}]", [f"This value is required: {field.name}."])
    if faults:
        raise BadInput(faults)
    return answers


def _values_of(field_type: CustomFieldType, values: list[str]) -> list[str] | None:
    if field_type is not CustomFieldType.SELECT:
        return None
    chosen = list(dict.fromkeys(value.strip() for value in values if value.strip()))
    if not chosen:
        raise BadInput({"field_values": ["A select needs values to choose from."]})
    return chosen


def _found(conn: Connection, field_id: int, *, lock: bool = False) -> CustomField:
    return required(custom_fields.find_custom_field(conn, field_id, lock=lock))


def _taken() -> Conflict:
    return Conflict({"name": ["A custom field of this name exists."]})
