"""Answers to custom fields in forms and pages of people (docs/spec/people.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trackyard.api.platform import custom_fields
from trackyard.console.forms import FormField, FormGroup, FormPlan
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import Choices
from trackyard.wire.endpoint import A


def with_custom_fields(request: PageRequest, plan: FormPlan[A], title: str) -> FormPlan[A]:
    """Return a form with a group of the custom fields of the network, if it has any. title: of the group."""
    asked = tuple(FormField(f"custom_fields[{each.id}]", each.name, help="") for each in _custom_fields(request))
    return replace(plan, groups=(*plan.groups, FormGroup(title, asked))) if asked else plan


def custom_choices(request: PageRequest) -> dict[str, Choices]:
    """Return the values of custom fields with a list to choose from, by the name of their parameter."""
    return {
        f"custom_fields[{each.id}]": (("", ""), *((value, value) for value in each.field_values))
        for each in _custom_fields(request)
        if each.field_values
    }


def custom_answers(request: PageRequest, answers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the names and answers of answered custom fields. answers: the answers by field number."""
    named = [(each.name, answers.get(str(each.id), "")) for each in _custom_fields(request)] if answers else []
    return [(name, answer) for name, answer in named if answer]


def _custom_fields(request: PageRequest) -> Sequence[custom_fields.CustomSignupFieldView]:
    """Return the custom fields of the network; none where the person may not list them."""
    if not request.calls.may(custom_fields.list_all):
        return ()
    return request.calls.ask(custom_fields.list_all).fields
