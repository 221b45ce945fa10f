"""What parameters and answer fields mean, found by the class that holds them.

Texts are data of the program's subjects: each subject has a table, and all share one more. A table has sections. A
section with a lower-case name holds texts by field name: `fields` for both parameters and answers, `parameters`,
`answers` and `path`. A section that lists classes, `"CapItem CapView"`, holds the texts of only these classes and their
subclasses. The name of a field may be a pattern: `sub[1-8]`. A text that only one declaration needs may be the
`description` of its `msgspec.Meta` or `pydantic.Field` instead; it takes precedence over the tables, and so do the
text and the label of a `Described`.

Forms need more: `labels` for fields that need a label other than their name, `units`, and `groups` for the fields of
long forms.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from inspect import get_annotations
from typing import Any, Final, get_type_hints

from msgspec import Meta

from trackyard.wire.request.params import Described, Params, fields_of

Tables = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Subject ("" is shared) to section to name to text."""

SHARED: Final = ""
_PATTERN: Final = frozenset("[?*")
FORM_SECTIONS: Final = {"labels": "x-label", "units": "x-unit", "groups": "x-group"}
"""Section to its key in OpenAPI documents."""
_WORDS: Final = {
    "cpi": "CPI", "id": "ID", "ids": "IDs", "ip": "IP", "isp": "ISP", "kpi": "KPI", "os": "OS", "ua": "user agent",
    "clickid": "click ID", "subid": "sub",
    "uniq": "unique", "url": "URL", "urls": "URLs", "vat": "VAT", "zip": "ZIP", "proxy": "proxies",
}  # fmt: skip
"""Words of names as labels write them."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a text: the subject of its table, the section, the name or pattern."""

    subject: str
    section: str
    name: str


class Texts:
    """The texts of a program."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._sections: dict[tuple[str, str], list[str]] = {}
        for subject, sections in tables.items():
            for section in sorted(sections, key=lambda each: len(each.split())):  # the section of one class comes first
                for name in section.split():
                    self._sections.setdefault((subject, name), []).append(section)
        self._places: dict[tuple[type[Any], str], Place | None] = {}
        self._declared: dict[type[Any], Mapping[str, str]] = {}

    def text_of(self, model: type[Any], name: str) -> str:
        """Return the meaning of a parameter of a model, or of a field of a view; "" when there is none."""
        if model not in self._declared:
            self._declared[model] = _declared_texts(model)
        return self._declared[model].get(name) or self.text_at(self.place_of(model, name))

    def place_of(self, model: type[Any], name: str) -> Place | None:
        """Return the table and name under which the text of a parameter or field is found."""
        key = (model, name)
        if key not in self._places:
            self._places[key] = self._found(model, name)
        return self._places[key]

    def path_text(self, handler: Callable[..., Any], name: str) -> str:
        """Return the meaning of a variable in the path of a method."""
        return self.text_at(self.path_place(handler, name))

    def text_at(self, place: Place | None) -> str:
        """Return the text at a place."""
        return "" if place is None else self._tables[place.subject][place.section][place.name]

    def path_place(self, handler: Callable[..., Any], name: str) -> Place | None:
        """Return the place of a variable's text: in the section of the handler's file, else of its subject."""
        subject, file = self._subject(handler.__module__), handler.__module__.rpartition(".")[2]
        looked = ((subject, f"path_{file}"), (subject, "path"))
        return next((found for each in looked if (found := self._at(*each, name))), None)

    def form_keys(self, model: type[Params], name: str) -> dict[str, str]:
        """Return the keys that forms show in addition to the meaning of a parameter.

        They are x-label, and x-unit and x-group where these are declared.
        """
        subjects = dict.fromkeys([*(self._subject(each.__module__) for each in _declaring(model, name)), SHARED])
        found = {"x-label": label_of(name)}
        for section, key in FORM_SECTIONS.items():
            place = next((at for subject in subjects if (at := self._at(subject, section, name))), None)
            found |= {key: self.text_at(place)} if place is not None else {}
        described = _described(model).get(name)
        return found | ({"x-label": described.label} if described and described.label else {})

    def each_place(self) -> Iterator[Place]:
        """Yield the place of every text."""
        for subject, sections in self._tables.items():
            for section in sections.keys() - FORM_SECTIONS.keys():
                yield from (Place(subject, section, name) for name in sections[section])

    def each_form_place(self) -> Iterator[Place]:
        """Yield the place of every label, unit and group."""
        for subject, sections in self._tables.items():
            for section in sections.keys() & FORM_SECTIONS.keys():
                yield from (Place(subject, section, name) for name in sections[section])

    def _found(self, model: type[Any], name: str) -> Place | None:
        kind = "parameters" if issubclass(model, Params) else "answers"
        classes = [(self._subject(each.__module__), each.__name__) for each in model.__mro__]
        subjects = dict.fromkeys([*(self._subject(each.__module__) for each in _declaring(model, name)), SHARED])
        looked = [*classes, *((subject, section) for subject in subjects for section in (kind, "fields"))]
        return next((found for subject, section in looked if (found := self._at(subject, section, name))), None)

    def _subject(self, module: str) -> str:
        """Return the subject of a module, a folder of a layer: `offers` of `program.layer.offers.file`."""
        parts = module.split(".")
        return parts[2] if len(parts) > 3 and parts[2] in self._tables else SHARED

    def _at(self, subject: str, section: str, name: str) -> Place | None:
        """Return the place of a name in the sections of a class or a kind; its own name comes before patterns."""
        named = self._sections.get((subject, section), ())
        places = [Place(subject, each, key) for each in named for key in self._tables[subject][each]]
        own = next((place for place in places if place.name == name), None)
        patterns = (place for place in places if _PATTERN.intersection(place.name))
        return own or next((place for place in patterns if fnmatchcase(name, place.name)), None)


def _declared_texts(model: type[Any]) -> Mapping[str, str]:
    """Return the texts that the declarations of fields have, by wire name."""
    described = {name: each.text for name, each in _described(model).items() if each.text}
    if issubclass(model, Params):
        own = {field.name: model.model_fields[field.attribute].description for field in fields_of(model)}
        return described | {name: text for name, text in own.items() if text}
    marked = ((name, each) for name, each in _marks_of(model) if isinstance(each, Meta))
    return described | {name: each.description for name, each in marked if each.description}


def _described(model: type[Any]) -> Mapping[str, Described]:
    """Return the `Described` of the parameters or fields that have one, by wire name."""
    return {name: each for name, each in _marks_of(model) if isinstance(each, Described)}


def _marks_of(model: type[Any]) -> Iterator[tuple[str, Any]]:
    """Yield what annotates the types of parameters or of fields of a view, each with its wire name."""
    if issubclass(model, Params):
        yield from ((field.name, mark) for field in fields_of(model) for mark in field.markers)
        return
    hints = get_type_hints(model, include_extras=True)
    for name, field in zip(model.__struct_encode_fields__, model.__struct_fields__, strict=True):
        yield from ((name, mark) for mark in getattr(hints[field], "__metadata__", ()))


def _declaring(model: type[Any], name: str) -> list[type[Any]]:
    """Return the classes that declare the field of a wire name, from the model to its bases."""
    if issubclass(model, Params):
        attributes = {field.name: field.attribute for field in fields_of(model)}
    else:
        attributes = dict(zip(model.__struct_encode_fields__, model.__struct_fields__, strict=True))
    return [each for each in model.__mro__ if attributes.get(name) in get_annotations(each)]


def label_of(name: str) -> str:
    """Return a name in words: `Minimal click session` of minimal_click_session, `Sub 1` of sub1."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", "_", name.removeprefix("is_"))
    words = [_WORDS.get(word.lower(), word.lower()) for word in apart.split("_") if word]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


NO_TEXTS: Final = Texts({})
