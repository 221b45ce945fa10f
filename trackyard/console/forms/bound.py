"""A field of a form together with the parameter of the API that it fills."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.base.texts.marks import gettext
from trackyard.console.forms.declared import PLATFORM_CURRENCY, FormField, FormPlan, FormRows, Widget
from trackyard.console.frame.shown import shorten, zone_name
from trackyard.wire.endpoint import A
from trackyard.wire.local_calls import LocalCalls
from trackyard.wire.parameters import MethodParameter

Value = str | tuple[str, ...]
"""The value of a field: a text, or the texts of a list."""
FieldChoices = Mapping[str, Sequence[tuple[str, str]]]
"""Values and their words by the name of a field. A field of rows is named `payments[goal]`."""
NOTHING: Final = "\N{EM DASH}"
_LONGEST: Final = 100
_LISTS: Final = ("checks", "words", "lines")
_WIDGETS: Final[Mapping[str, Widget]] = {"flag": "switch", "choice": "select"}


@dataclass(frozen=True, slots=True)
class BoundField:
    """A field that can be shown. name: within its row, or of the whole form. zone: of moments with a zone."""

    name: str
    label: str
    help: str
    unit: str
    widget: Widget
    choices: tuple[tuple[str, str], ...]
    initial: Value
    declared: FormField
    parameter: MethodParameter
    zone: ZoneInfo | None = None

    @property
    def suffix(self) -> str:
        """Return the end of its name in a row: `[country][allow]` of `country[allow]`."""
        return row_suffix(self.name)

    @property
    def is_list(self) -> bool:
        """Return whether its value is a tuple."""
        return self.widget in _LISTS

    @property
    def is_required(self) -> bool:
        """Return whether it must be filled."""
        return self.declared.required or (self.parameter.required and not self.declared.optional)

    def value_in(self, values: Mapping[str, object]) -> Value:
        """Return its value in the answer of a method."""
        found: object = values
        for key in (self.declared.read or self.name).replace("]", "").split("["):
            found = found.get(key) if isinstance(found, Mapping) else None
        return self.value_of(found)

    def value_of(self, found: object) -> Value:
        """Return a value of an answer in the form of the field."""
        if self.declared.codec is not None:
            return tuple(self.declared.codec.lines(found))
        if self.widget == "switch":  # what was never set is off
            return "1" if plain_text(found) in ("1", "true") else "0"
        if self.zone is not None:
            return _local_text(plain_text(found), self.zone)
        return _value(found, is_list=self.is_list)

    def typed_in(self, pairs: Sequence[tuple[str, str]], name: str) -> Value:
        """Return the typed value. name: the field's name in the form."""
        texts = [text.replace("\r\n", "\n") for key, text in pairs if key == name]
        if self.widget == "switch":
            return "1" if "1" in texts else "0"
        if self.widget == "checks":
            return tuple(text for text in texts if text)
        text = texts[0] if texts else ""
        if self.is_list:
            parts = text.split("\n") if self.widget == "lines" else text.replace("\n", ",").split(",")
            return tuple(part.strip() for part in parts if part.strip())
        if self.widget == "moment":
            text = text.replace("T", " ")
            return f"{text}:00" if len(text) == len("2026-11-21 10:00") else text
        return text

    def is_same(self, one: Value, other: Value) -> bool:
        """Return whether two values mean the same to the API."""
        if self.widget in ("number", "amount") and isinstance(one, str) and isinstance(other, str):
            try:
                return Decimal(one) == Decimal(other)
            except InvalidOperation:
                return one.strip() == other.strip()
        if self.widget == "checks":
            return set(one) == set(other)
        if self.widget == "words":  # a value with a comma comes back as two
            return ", ".join(one) == ", ".join(other)
        return one == other

    def words_of(self, value: Value) -> str:
        """Return a value in words."""
        if self.widget == "switch":
            return gettext("Yes") if value == "1" else gettext("No")
        if self.widget == "password":
            return "••••" if value else NOTHING
        named = dict(self.choices)
        texts = value if isinstance(value, tuple) else (value,)
        shown = shorten(", ".join(str(named.get(text, text)) for text in texts), _LONGEST)
        return f"{shown} {self.unit}".strip() if shown else NOTHING

    def pairs(self, name: str, value: Value) -> Iterator[tuple[str, str]]:
        """Yield the value as parameters of the API. An empty list is an empty value."""
        if self.declared.optional and not value:
            return
        if isinstance(value, str):
            yield name, value if self.zone is None else _zoned_text(value, self.zone)
        elif self.declared.codec is not None:
            yield from self.declared.codec.pairs(name, value)
        elif self.parameter.comma or not value:
            yield name, ",".join(value)
        else:
            yield from ((f"{name}[]", each) for each in value)


@dataclass(frozen=True, slots=True)
class BoundRows:
    """A list of records that can be shown. unshown: parameters of a record that no field is a part of."""

    name: str
    declared: FormRows
    parameter: MethodParameter
    fields: tuple[BoundField, ...]
    unshown: tuple[MethodParameter, ...]


BoundPart = BoundField | BoundRows


def bind(
    plan: FormPlan[A], calls: LocalCalls[Deps], choices: FieldChoices, currency: str, zone: ZoneInfo
) -> list[list[BoundPart]]:
    """Return the parts of each group with their parameters. zone: of the person."""
    return [[_bound(plan, part, calls, choices, currency, zone) for part in group.parts] for group in plan.groups]


def _bound(
    plan: FormPlan[A],
    part: FormField | FormRows,
    calls: LocalCalls[Deps],
    choices: FieldChoices,
    currency: str,
    zone: ZoneInfo,
) -> BoundPart:
    parameter = calls.parameter(plan.method, part.name)
    if isinstance(part, FormField):
        return _field(part, parameter, choices.get(part.name, ()), currency, zone)
    fields = []
    for each in (*part.fields, *part.more):
        name = f"{part.name}[0]{row_suffix(each.name)}"
        given = choices.get(f"{part.name}{row_suffix(each.name)}", ())
        fields.append(_field(each, calls.parameter(plan.method, name), given, currency, zone))
    named = {each.name.partition("[")[0] for each in fields}
    unshown = tuple(each for each in parameter.parts if each.name not in named)
    return BoundRows(part.name, part, parameter, tuple(fields), unshown)


def row_suffix(name: str) -> str:
    """Return the end of the name of a field of a row: `[country][allow]` of `country[allow]`."""
    first, bracket, rest = name.partition("[")
    return f"[{first}]{bracket}{rest}"


def _field(
    declared: FormField, parameter: MethodParameter, given: Sequence[tuple[str, str]], currency: str, zone: ZoneInfo
) -> BoundField:
    words = declared.words
    named = tuple(given) or tuple((value, words.get(value) or _in_words(value)) for value in parameter.choices)
    widget = declared.widget or ("lines" if declared.codec else _widget(parameter, is_chosen=bool(named)))
    unit = zone_name(zone) if declared.zoned else declared.unit or parameter.unit
    given_first = currency if declared.initial == PLATFORM_CURRENCY else declared.initial
    first: object = () if declared.codec else given_first or parameter.default
    initial = _value(first, is_list=widget in _LISTS)
    return BoundField(
        name=declared.name,
        label=declared.label or parameter.label,
        help=parameter.help if declared.help is None else declared.help,
        unit=currency if unit == PLATFORM_CURRENCY else unit,
        widget=widget,
        choices=named,
        initial="0" if widget == "switch" and not initial else initial,
        declared=declared,
        parameter=parameter,
        zone=zone if declared.zoned else None,
    )


def _local_text(text: str, zone: ZoneInfo) -> str:
    """Return a moment with its zone as people write it in theirs. Other texts stay."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S}" if moment.tzinfo is not None else text


def _zoned_text(text: str, zone: ZoneInfo) -> str:
    """Return a moment that a person wrote, with the zone. Other texts stay, and the API refuses them."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone).isoformat() if text else text
    except ValueError:
        return text


def _widget(parameter: MethodParameter, *, is_chosen: bool) -> Widget:
    if parameter.many:
        return "checks" if is_chosen else "words"
    if is_chosen:
        return "select"
    kind = parameter.kind
    if kind in ("rows", "file"):
        raise ValueError(f"{parameter.name} is not a single value")
    return _WIDGETS.get(kind) or kind  # type: ignore[return-value]


def _in_words(value: str) -> str:
    """Return a value of the API as the text of a choice."""
    text = value.replace("_", " ").replace("-", " ")
    return f"{text[:1].upper()}{text[1:]}" if text == text.lower() else value


def _value(found: object, *, is_list: bool) -> Value:
    if not is_list:
        return plain_text(",".join(map(plain_text, found)) if isinstance(found, list | tuple) else found)
    if isinstance(found, str):
        return tuple(part.strip() for part in found.split(",") if part.strip())
    return tuple(map(plain_text, found)) if isinstance(found, Iterable) else ()


def plain_text(value: object) -> str:
    """Return a value of an answer as text: flags are 1 and 0."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    return format(value, "f") if isinstance(value, Decimal) else str(value).replace("\r\n", "\n")
