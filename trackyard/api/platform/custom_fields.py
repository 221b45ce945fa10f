"""Custom signup fields (docs/api/custom-fields.md)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.platform import custom_fields
from trackyard.api.lookups import by_number
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.custom_fields import CustomFieldType
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_WRITERS = for_staff(Permission.SETTINGS_WRITE)
_find = by_number(custom_fields.get_custom_field)

TypeName = Annotated[CustomFieldType, s.Choice(CustomFieldType)]


class EditCustomField(Params):
    """Changes of a custom field."""

    edits = True

    name: s.Name | None = None
    required: s.Flag = False
    field_type: TypeName = CustomFieldType.TEXT
    field_values: Seq[s.Text] = ()


class AddCustomField(EditCustomField):
    """A question to affiliates. field_values: the choices of a select."""

    edits = False

    name: s.Name


class CustomSignupFieldView(View):
    """A custom field (docs/api/custom-fields.md). field_values: null but of a select."""

    id: int
    name: str
    required: bool
    field_type: str
    field_values: list[str] | None


class CustomFieldsAnswer(Answer):
    """Every custom field."""

    fields: list[CustomSignupFieldView]


class CustomFieldAnswer(Answer):
    """One custom field."""

    field: CustomSignupFieldView


@routes.get("/admin/custom_fields", for_staff(Permission.AFFILIATES_READ), id="admin.custom_fields.list")
def list_all(request: ApiRequest[Deps], _params: NoParams) -> CustomFieldsAnswer:
    """List the custom fields of affiliates, oldest first."""
    return CustomFieldsAnswer(
        fields=[view_of(CustomSignupFieldView, row) for row in custom_fields.list_custom_fields(request.deps)]
    )


@routes.post("/admin/custom_fields", _WRITERS, id="admin.custom_field.add")
def add(request: ApiRequest[Deps], params: AddCustomField) -> CustomFieldAnswer:
    """Add a custom field. Affiliates that sign up from now on are asked for it."""
    values = list(params.field_values)
    made = custom_fields.add_custom_field(
        request.deps, params.name, params.field_type, values, required=params.required
    )
    return CustomFieldAnswer(field=view_of(CustomSignupFieldView, made))


@routes.post("/admin/custom_fields/{id}", _WRITERS, id="admin.custom_field.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditCustomField) -> CustomFieldAnswer:
    """Change a custom field. Affiliates' answers stay as they are."""
    given = {name: getattr(params, name) for name in params.model_fields_set if getattr(params, name) is not None}
    changed = custom_fields.edit_custom_field(request.deps, request.subject.id, given)
    return CustomFieldAnswer(field=view_of(CustomSignupFieldView, changed))


@routes.post("/admin/custom_fields/{id}/remove", _WRITERS, id="admin.custom_field.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> CustomFieldAnswer:
    """Remove a custom field. Answers with the removed record."""
    removed = custom_fields.remove_custom_field(request.deps, request.subject.id)
    return CustomFieldAnswer(field=view_of(CustomSignupFieldView, removed))
