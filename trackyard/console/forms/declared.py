"""The declaration of a form: which parameters of a method it has, in which groups."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, Literal

from trackyard.actions.deps import Deps
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.forms.codecs import LineCodec
from trackyard.wire.endpoint import A, Endpoint

Widget = Literal[
    "text", "long", "number", "amount", "day", "moment", "email", "url", "password",
    "select", "checks", "switch", "words", "lines",
]  # fmt: skip
"""How a value is written. checks: several of the choices. words: a list, with commas. lines: a list, one a line."""
PLATFORM_CURRENCY: Final = "platform currency"
"""The unit of amounts in the currency of the platform, and the first value of a field with a currency."""


@dataclass(frozen=True, slots=True)
class FormField:
    """A parameter on a form.

    name: the name in the API, with its keys: `title`, `schedule[enabled]`, `kpi[en]`.
    label, help, unit, widget: replace the parameter's own. An empty help shows none.
    words: the names of the values of a choice.
    read: the field's name in the values of the page, where it differs.
    initial: the value in a new thing and in a new row.
    required: whether the form requires a value that the method does not.
    wide: whether the field takes the whole line.
    codec: writes a structured parameter as lines.
    zoned: whether the value is a time that the API reads with a zone; people write it in their own zone.
    optional: whether the record is left out while the field is empty, although the record requires the field.
    """

    name: str
    label: str = ""
    help: str | None = None
    unit: str = ""
    widget: Widget | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    read: str = ""
    initial: str = ""
    required: bool = False
    wide: bool = False
    codec: LineCodec | None = None
    zoned: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class FormRows:
    """A parameter that is a list of records, such as the payments of an offer.

    one: what one of them is called: "Payment".
    more: fields of a record that are folded away; more_label: below these words.
    help: "" = the parameter's.
    is_conditions: whether each field has a line of its own, and folded fields that are filled are shown.
    """

    name: str
    one: str
    fields: tuple[FormField, ...]
    more: tuple[FormField, ...] = ()
    help: str = ""
    more_label: str = lazy_gettext("More")
    is_conditions: bool = False


@dataclass(frozen=True, slots=True)
class FormGroup:
    """A card of a form. help: a sentence below its title. folded: closed while nothing of it is set."""

    title: str
    parts: tuple[FormField | FormRows, ...]
    help: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class FormPlan(Generic[A]):
    """A form: the method that it is sent to, and its groups.

    sends_all: whether every field is sent when a thing is changed, and not only what was changed: for methods that
    replace the thing.
    """

    method: Endpoint[Deps, A]
    groups: tuple[FormGroup, ...]
    sends_all: bool = False
