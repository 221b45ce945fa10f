"""Use cases of payment systems, and affiliates' choices of them (docs/api/payment-systems.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.domain.money.payment_systems import PaymentSystem
from trackyard.store.engine.database import Connection
from trackyard.store.money import exchange_rates, payment_systems


@dataclass(frozen=True, slots=True)
class SystemFieldInput:
    """A field as staff write it. id: of an existing one; None is a new one."""

    id: int | None
    lang_label: str
    required: bool


def list_payment_systems(deps: Deps) -> list[PaymentSystem]:
    """Return all, oldest first."""
    with deps.database.read() as conn:
        return payment_systems.list_payment_systems(conn)


def get_payment_system(deps: Deps, system_id: int) -> PaymentSystem:
    """Return the payment system of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return _found(conn, system_id)


def add_payment_system(
    deps: Deps, lang_label: str, currency: str | None, fields: Sequence[SystemFieldInput]
) -> PaymentSystem:
    """Create a payment system. Raises BadInput for a currency without a rate and for wrong fields."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        _check_currency(deps, conn, currency)
        numbered, last = _numbered([], 0, fields)
        new = PaymentSystem(
            lang_label=lang_label, currency=currency, fields=numbered, last_field=last, created_at=now, updated_at=now
        )
        return _found(conn, payment_systems.add_payment_system(conn, new))


def edit_payment_system(deps: Deps, system_id: int, given: dict[str, Any]) -> PaymentSystem:
    """Change lang_label, currency or fields (all of them, SystemFieldInput each).

    Answers of affiliates stay. Raises NotFound, BadInput.
    """
    values = dict(given)
    with deps.database.write() as conn:
        before = _found(conn, system_id, lock=True)
        _check_currency(deps, conn, values.get("currency"))
        if "fields" in values:
            values["fields"], values["last_field"] = _numbered(before.fields, before.last_field, values["fields"])
        payment_systems.edit_payment_system(conn, system_id, values | {"updated_at": deps.clock.now_ms()})
        return _found(conn, system_id)


def remove_payment_system(deps: Deps, system_id: int) -> PaymentSystem:
    """Remove an unused payment system and return it. Raises NotFound, Conflict."""
    with deps.database.write() as conn:
        before = _found(conn, system_id, lock=True)
        if payment_systems.is_used(conn, system_id):
            raise Conflict({"id": ["Affiliates are paid by this payment system."]})
        payment_systems.remove_payment_system(conn, system_id)
        return before


def checked_payment_systems(deps: Deps, conn: Connection, chosen: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the choice of an affiliate with the currency of its system filled in.

    chosen: {system_id, currency, fields} each.
    Raises BadInput, by wire name, for a system or field that does not exist, a missing required field, or a
    currency that the system does not pay.
    """
    if not chosen:
        return []
    known = {system.id: system for system in payment_systems.list_payment_systems(conn, lock=True)}
    currencies = {deps.currency, *exchange_rates.current_rates(conn, deps.clock.now_ms())}
    faults: dict[str, list[str]] = {}
    checked = []
    for place, item in enumerate(chosen):
        name, system = f"payment_systems[{place}]", known.get(item["system_id"])
        if system is None:
            faults[f"{name}[system_id]"] = [f"A payment system {item['system_id']} does not exist."]
            continue
        currency = item["currency"].strip().upper() or system.currency or ""
        if system.currency not in (None, currency):
            faults[f"{name}[currency]"] = [f"This payment system pays {system.currency} alone."]
        elif currency and currency not in currencies:
            faults[f"{name}[currency]"] = [f"A currency {currency} does not exist."]
        questions = {str(field["id"]) for field in system.fields}
        answers = {key: text for key, text in item["fields"].items() if key in questions or text.strip()}
        faults |= _field_faults(f"{name}[fields]", system, answers)
        checked.append({"system_id": system.id, "currency": currency, "fields": answers})
    if faults:
        raise BadInput(faults)
    return checked


def _field_faults(name: str, system: PaymentSystem, answers: dict[str, str]) -> dict[str, list[str]]:
    fields = {str(field["id"]): field for field in system.fields}
    faults = {f"{name}[{key}]": ["This payment system has no such field."] for key in answers if key not in fields}
    for key, field in fields.items():
        if field["required"] and not answers.get(key, "").strip():
            faults[f"{name}[{key}]"] = [f"This value is required: {field['lang_label']}."]
    return faults


def _numbered(
    before: Sequence[dict[str, Any]], last: int, fields: Sequence[SystemFieldInput]
) -> tuple[list[dict[str, Any]], int]:
    """Return fields with numbers, and the highest number ever used: numbers are not reused."""
    known = {field["id"] for field in before}
    numbered, faults = [], {}
    for place, field in enumerate(fields):
        number = field.id
        if number is None:
            number = last = last + 1
        elif number in known:
            known.discard(number)
        else:
            faults[f"fields[{place}][id]"] = [f"A field {number} does not exist, or is named twice."]
        numbered.append({"id": number, "lang_label": field.lang_label, "required": field.required})
    if faults:
        raise BadInput(faults)
    return numbered, last


def _check_currency(deps: Deps, conn: Connection, currency: str | None) -> None:
    if currency in (None, deps.currency) or currency in exchange_rates.current_rates(conn, deps.clock.now_ms()):
        return
    raise BadInput({"currency": [f"A currency {currency} does not exist."]})


def _found(conn: Connection, system_id: int, *, lock: bool = False) -> PaymentSystem:
    return required(payment_systems.find_payment_system(conn, system_id, lock=lock))
