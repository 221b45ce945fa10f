"""The filters of a list, declared by the parameters that give their kinds, bounds and rights."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.methods import Method
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AnyObjects
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.offers_shown.words import joined
from trackyard.wire.local_calls import LocalCalls
from trackyard.wire.parameters import MethodParameter, ParameterKind

LONGEST: Final = 255
"""Characters of a value that people type."""
_NAMED: Final = 10
"""The most titles of one filter that a page looks up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterBy:
    """A filter of a list.

    name: in the address. parameter: the method's, "" = the same name.
    label: "" = the label of its objects, or of the parameter.
    words: its values and their titles, in the order of the select. sent: the method's values where they differ.
    objects: people choose one of these by name. choices: returns the values and titles of other selects.
    said: returns a typed value in words, from the whole address.
    usual: values that are sent where the address has none. is_more: whether it is below "More filters".
    """

    name: str
    parameter: str = ""
    label: str = ""
    words: Mapping[str, str] | None = None
    sent: Mapping[str, str] = field(default_factory=dict)
    objects: AnyObjects | None = None
    choices: Callable[[PageRequest], Choices] | None = None
    usual: tuple[str, ...] = ()
    said: Callable[[str, PageAddress], str] | None = None
    is_more: bool = False


@dataclass(frozen=True, slots=True)
class FilterWords:
    """A filter that is set. text: its values in words. without: the address without it."""

    label: str
    text: str
    without: PageAddress


@dataclass(frozen=True, slots=True)
class BoundFilter:
    """A filter of a request.

    choices: () = people type the value. values: in the address, as far as the method takes them.
    faults: sentences about the others. named: titles of values that are not among the choices.
    """

    declared: FilterBy
    label: str
    kind: ParameterKind
    parameter: str
    choices: Choices
    values: tuple[str, ...]
    faults: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return its parameter in the address."""
        return self.declared.name

    @property
    def is_more(self) -> bool:
        """Return whether it is below "More filters"."""
        return self.declared.is_more

    @property
    def is_object(self) -> bool:
        """Return whether people may type the number or the name of an object."""
        return self.declared.objects is not None

    @property
    def pairs(self) -> list[Pair]:
        """Return the parameters of the method."""
        sent = self.declared.sent
        return [(self.parameter, sent.get(each, each)) for each in self.values or self.declared.usual]

    def chip(self, address: PageAddress) -> FilterWords:
        """Return the filter in words."""
        known = dict(self.choices)
        said = self.declared.said or (lambda value, _address: value)
        texts = [known.get(each) or self.named.get(each) or said(each, address) for each in self.values]
        return FilterWords(self.label, joined(texts, "or"), address.without(self.name))


def bind_filters(request: PageRequest, method: Method, declared: Iterable[FilterBy]) -> tuple[BoundFilter, ...]:
    """Return the filters that the person may set, with the values of the address."""
    return tuple(_bound(request, method, each) for each in declared if _may_set(request.calls, method, each))


def find_names(calls: LocalCalls[Deps], filters: Iterable[BoundFilter]) -> dict[str, dict[str, str]]:
    """Return the titles of objects in the address that no select has, by filter and value."""
    found: dict[str, dict[str, str]] = {}
    for each in filters:
        missing = [value for value in each.values if value not in dict(each.choices)][:_NAMED]
        if each.declared.objects is not None and missing:
            found[each.name] = each.declared.objects.names(calls, missing)
    return found


def _may_set(calls: LocalCalls[Deps], method: Method, declared: FilterBy) -> bool:
    try:
        calls.parameter(method, _name(declared))
    except KeyError:
        return False
    return declared.objects is None or bool(declared.objects.choices) or calls.may(declared.objects.method)


def _bound(request: PageRequest, method: Method, declared: FilterBy) -> BoundFilter:
    calls = request.calls
    parameter = calls.parameter(method, _name(declared))
    sent = f"{parameter.name}[]" if parameter.many else parameter.name
    choices = _choices(request, declared, parameter)
    label = str(declared.label or (declared.objects.label if declared.objects else gettext(parameter.label)))
    given = [value for value in dict.fromkeys(each.strip() for each in request.address.all(declared.name)) if value]
    values, faults = list[str](), list[str]()
    for value in given:
        found = _matches(calls, method, declared, parameter, sent, choices, value)
        if len(found) == 1:
            values.append(found[0][0])
        else:
            faults.append(_fault(label, value, found))
    kept = values if parameter.many else values[:1]
    return BoundFilter(
        declared, label, parameter.kind, sent, choices, tuple(dict.fromkeys(kept)), tuple(dict.fromkeys(faults))
    )


def _name(declared: FilterBy) -> str:
    return declared.parameter or declared.name


def _choices(request: PageRequest, declared: FilterBy, parameter: MethodParameter) -> Choices:
    if declared.words is not None:
        return tuple((value, str(word)) for value, word in declared.words.items())
    if declared.objects is not None:
        return declared.objects.choices(request.calls)
    if declared.choices is not None:
        return declared.choices(request)
    return tuple((value, value) for value in parameter.choices)


def _matches(
    calls: LocalCalls[Deps], method: Method, declared: FilterBy, parameter: MethodParameter, sent: str,
    choices: Choices, value: str,
) -> Choices:  # fmt: skip
    """Return the value that the method takes, several for an ambiguous name, () for a wrong value."""
    known = dict(choices) or declared.sent
    if value in known:
        return ((value, value),)
    if (not known or declared.objects is not None) and len(value) <= LONGEST:
        is_id = declared.objects is None or declared.objects.takes(calls, value)
        if is_id and _is_taken(calls, method, parameter, sent, value):
            return ((value, value),)
        return declared.objects.find(calls, value) if declared.objects is not None else ()
    return ()


def _is_taken(calls: LocalCalls[Deps], method: Method, parameter: MethodParameter, sent: str, value: str) -> bool:
    try:
        calls.check(method, [(sent, value)])
    except BadInput as refusal:
        return not any(name.partition("[")[0] == parameter.name for name in refusal.fields or {})
    return True


def _fault(label: str, value: str, found: Choices) -> str:
    if not found:
        return gettext("A value of %(label)s does not exist: it is left out.", label=label)
    names = ", ".join(f"{name} (#{key})" for key, name in found)
    return gettext("Several objects match %(label)s %(value)s: %(names)s.", label=label, value=value, names=names)
