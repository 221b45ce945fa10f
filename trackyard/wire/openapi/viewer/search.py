"""What the search of /docs looks through, for one version of the API.

The index is one JSON value that browsers load once. Texts and records are listed once, and named by their number.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from trackyard.wire.openapi.document import Schema
from trackyard.wire.openapi.fields import FieldNode, answer_tree, answer_views, each_node, parameter_tree
from trackyard.wire.openapi.guides import Guide, GuideSection

Index = dict[str, Any]


class _Texts:
    """Numbers of texts."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def search_index(document: Schema, guides: Iterable[Guide]) -> Index:
    """Return the index of a document of one version.

    topics: titles. methods: id, method, path, summary, number of the topic, description, parameters, answer fields;
    each field is its path and the number of its text. guides: address, title, title of the guide, text.
    """
    texts = _Texts()
    topics = {tag["name"]: number for number, tag in enumerate(document["tags"])}
    methods = [
        [
            operation["x-method-id"],
            method.upper(),
            path,
            operation["summary"],
            topics[operation["tags"][0]],
            operation["description"],
            _fields(parameter_tree(document, operation), texts),
            _fields(_answers(document, operation), texts),
        ]
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]
    return {
        "topics": [tag["description"] for tag in document["tags"]],
        "methods": sorted(methods, key=lambda each: each[4]),
        "guides": [entry for guide in guides for entry in _guide(guide)],
        "texts": list(texts.numbers),
    }


def _answers(document: Schema, operation: Schema) -> list[FieldNode]:
    """Return the fields of the answer with the most of them, the answer for staff."""
    return answer_tree(document, answer_views(document, operation)[0])


def _fields(nodes: list[FieldNode], texts: _Texts) -> list[Any]:
    found: list[Any] = []
    for node in each_node(nodes):
        shown = " ".join([node.meaning, *(f"`{value}`" for value in node.allowed)])
        found += [node.path, texts.number(shown)]
    return found


def _guide(guide: Guide) -> Iterator[list[str]]:
    yield [guide.name, guide.title, "", guide.intro]
    for section in guide.sections:
        yield [f"{guide.name}#{guide.anchor_of(section)}", section.title, guide.title, _below_heading(section)]


def _below_heading(section: GuideSection) -> str:
    """Return the text of a section in one line, without marks of tables."""
    text = section.markdown.partition("\n\n")[2]
    return " ".join(re.sub(r"\|(---\|)+|[|`]", " ", text).split())
