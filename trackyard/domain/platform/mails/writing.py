"""Mails written from a notice and its values (docs/spec/platform.md#mail)."""

from collections.abc import Iterator, Mapping
from string import Formatter

from trackyard.domain.platform.mails.values import plain_value

Part = tuple[str, str | None]
"""A literal text, and the name of the value after it; None without one."""


def parts_of(template: str) -> list[Part]:
    """Return the parts of a template. Raises ValueError for a lone brace."""
    # str() translates a marked text
    return [(literal, name) for literal, name, _, _ in Formatter().parse(str(template))]


def names_in(template: str) -> set[str]:
    """Return the names of the values of a template. Raises ValueError for a lone brace."""
    return {name for _, name in parts_of(template) if name is not None}


def write_subject(template: str, values: Mapping[str, object]) -> str:
    """Return a subject."""
    return "".join(literal + ("" if name is None else str(values[name])) for literal, name in parts_of(template))


def write_plain(template: str, button: str, values: Mapping[str, object]) -> str:
    """Return a body as plain text. button: the label of `{link}`, which ends a body that does not have it."""
    paragraphs = ["\n".join(_plain_line(line, values) for line in lines) for lines in each_paragraph(template, values)]
    if button and "link" not in names_in(template):
        paragraphs.append(f"{button}:\n{values['link']}")
    return "\n\n".join(paragraphs) + "\n"


def _plain_line(line: list[Part], values: Mapping[str, object]) -> str:
    return "".join(literal + ("" if name is None else plain_value(values[name])) for literal, name in line)


def each_paragraph(template: str, values: Mapping[str, object]) -> Iterator[list[list[Part]]]:
    """Yield the lines of each paragraph. A line is left out when it has values, and all are empty."""
    # str() translates a marked text
    for paragraph in str(template).strip("\n").split("\n\n"):
        lines = [parts_of(line) for line in paragraph.split("\n")]
        if kept := [line for line in lines if _has_content(line, values)]:
            yield kept


def _has_content(line: list[Part], values: Mapping[str, object]) -> bool:
    named = [name for _, name in line if name is not None]
    return not named or any(str(values[name]) for name in named)
