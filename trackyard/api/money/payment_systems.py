"""Payment systems (docs/api/payment-systems.md)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.money import payment_systems
from trackyard.actions.money.payment_systems import SystemFieldInput
from trackyard.api.lookups import by_number
from trackyard.domain.money.payment_systems import PaymentSystem
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_WRITERS = for_staff(Permission.PAYMENTS_WRITE)
_find = by_number(payment_systems.get_payment_system)


class FieldItem(Params):
    """A question to affiliates, such as an account number. id: of an existing field."""

    lang_label: s.Name
    id: s.Id | None = None
    required: s.Flag = False


class EditPaymentSystem(Params):
    """Changes of a payment system.

    Fields are sent all: one with its id stays the same field, one without id is new.
    """

    edits = True

    lang_label: s.Name | None = None
    currency: Annotated[s.Currency | None, Clearable()] = None
    fields: Seq[FieldItem] = ()


class AddPaymentSystem(EditPaymentSystem):
    """A new payment system. currency: the only one it pays; without it any."""

    edits = False

    lang_label: s.Name
    currency: s.Currency | None = None


class PaymentFieldView(View):
    """A field of a payment system."""

    id: int
    lang_label: str
    required: bool


class PaymentSystemView(View):
    """A payment system. currency: null when it pays any."""

    id: int
    lang_label: str
    currency: str | None
    fields: list[PaymentFieldView]


class PaymentSystemsAnswer(Answer):
    """Every payment system."""

    payment_systems: list[PaymentSystemView]


class PaymentSystemAnswer(Answer):
    """One payment system."""

    payment_system: PaymentSystemView


@routes.get("/admin/payment_systems", for_staff(Permission.PAYMENT_SYSTEMS_READ), id="admin.payment_systems.list")
def list_all(request: ApiRequest[Deps], _params: NoParams) -> PaymentSystemsAnswer:
    """List the payment systems, oldest first."""
    return PaymentSystemsAnswer(
        payment_systems=[system_view(row) for row in payment_systems.list_payment_systems(request.deps)]
    )


@routes.post("/admin/payment_systems", _WRITERS, id="admin.payment_system.add")
def add(request: ApiRequest[Deps], params: AddPaymentSystem) -> PaymentSystemAnswer:
    """Add a payment system."""
    made = payment_systems.add_payment_system(request.deps, params.lang_label, params.currency, _written(params.fields))
    return PaymentSystemAnswer(payment_system=system_view(made))


@routes.post("/admin/payment_systems/{id}", _WRITERS, id="admin.payment_system.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditPaymentSystem) -> PaymentSystemAnswer:
    """Change a payment system. Affiliates' answers to its other fields stay."""
    given = {name: getattr(params, name) for name in params.model_fields_set}
    if given.get("lang_label", "") is None:
        del given["lang_label"]
    if "fields" in given:
        given["fields"] = _written(params.fields)
    changed = payment_systems.edit_payment_system(request.deps, request.subject.id, given)
    return PaymentSystemAnswer(payment_system=system_view(changed))


@routes.post("/admin/payment_systems/{id}/remove", _WRITERS, id="admin.payment_system.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> PaymentSystemAnswer:
    """Remove a payment system that no affiliate uses. Answers with the removed record."""
    return PaymentSystemAnswer(
        payment_system=system_view(payment_systems.remove_payment_system(request.deps, request.subject.id))
    )


def system_view(system: PaymentSystem) -> PaymentSystemView:
    """Return the view of a payment system."""
    fields = [PaymentFieldView(**field) for field in system.fields]
    return view_of(PaymentSystemView, system, fields=fields)


def _written(fields: tuple[FieldItem, ...]) -> list[SystemFieldInput]:
    return [SystemFieldInput(item.id, item.lang_label, item.required) for item in fields]
