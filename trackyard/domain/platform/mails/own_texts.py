"""Texts of mails that staff write instead of the default ones (docs/spec/mails.md#own-texts).

A text has values in braces, as a default one. What a value contains is never read as a text with values.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from string import Formatter
from typing import Final

from trackyard.base.texts.marks import gettext
from trackyard.domain.platform.mails.kinds import Notice
from trackyard.domain.platform.mails.writing import names_in, parts_of

SUBJECT_MAX: Final = 200
BODY_MAX: Final = 10_000
BUTTON_MAX: Final = 60

IN_EVERY_MAIL: Final = ("name", "network")
"""The values of every kind: the name of the person, and of the network."""
_BODY_ONLY: Final = frozenset({"link", "password", "url"})
"""Values that are kept out of subjects, which the log of mails and locked screens show."""
_CONTROLS: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters other than line feeds, and marks that turn the direction of a text."""


@dataclass(frozen=True, slots=True)
class MailText:
    """The text of a kind of mail in one language. button: "" = the default one."""

    subject: str
    body: str
    button: str = ""


def values_of(notice: Notice) -> tuple[str, ...]:
    """Return the names of the values that texts of a kind may have, the common ones first."""
    named = names_in(notice.subject) | names_in(notice.body) | ({"link"} if notice.button else set())
    return (*IN_EVERY_MAIL, *sorted(named - set(IN_EVERY_MAIL)))


def default_text(notice: Notice) -> MailText:
    """Return the default text in the language that is spoken."""
    return MailText(str(notice.subject), str(notice.body).strip("\n"), str(notice.button))


def settled(text: MailText) -> MailText:
    """Return a text as it is stored: one empty line between paragraphs, no blanks at the ends."""
    lines = "\n".join(line.rstrip() for line in re.sub(r"\r\n?", "\n", text.body).split("\n"))
    body = re.sub(r"\n{3,}", "\n\n", lines).strip("\n")
    return MailText(text.subject.strip(), body, text.button.strip())


def with_own_text(notice: Notice, own: MailText | None, named: Iterable[str]) -> Notice:
    """Return a notice with its own text.

    named: the values that the mail has. A text with others, which an earlier version wrote, is left out.
    """
    if own is None or not names_in(own.subject) | names_in(own.body) <= set(named):
        return notice
    return replace(notice, subject=own.subject, body=own.body, button=own.button or notice.button)


def faults_of(notice: Notice, text: MailText) -> dict[str, list[str]]:
    """Return the faults of a settled text, by field; empty when it can be sent."""
    known = values_of(notice)
    subject = _faults(text.subject, known)
    if "\n" in text.subject or _CONTROLS.search(text.subject):
        subject.append(gettext("A subject is one line, without control characters."))
    named = _names(text.subject)
    subject += [
        gettext("{%(name)s} cannot be in a subject: subjects are shown on locked screens and in lists.", name=each)
        for each in sorted(named & _BODY_ONLY & set(known))
    ]
    body = _faults(text.body, known)
    if _CONTROLS.search(text.body):
        body.append(gettext("This text has control characters."))
    body += [sentence for each in sorted(notice.needed) if (sentence := _fault_of_needed(each, text.body))]
    button = []
    if "\n" in text.button or _CONTROLS.search(text.button):
        button.append(gettext("A button has one line, without control characters."))
    if text.button and not notice.button:
        button.append(gettext("This mail has no button."))
    found: Mapping[str, list[str]] = {"subject": subject, "body": body, "button": button}
    return {field: sentences for field, sentences in found.items() if sentences}


def _faults(template: str, known: tuple[str, ...]) -> list[str]:
    """Return the faults of the values in a template."""
    found = dict[str, None]()
    for line in template.split("\n"):
        try:
            parts = list(Formatter().parse(line))
        except ValueError:
            found[gettext("A single brace is part of no value. Write {{ or }} for a brace.")] = None
            continue
        for _, name, form, conversion in parts:
            if name is None or (name in known and not form and not conversion):
                continue
            if name in known:
                found[gettext("{%(name)s} is written without a format.", name=name)] = None
            else:
                found[_unknown(name, known)] = None
    return list(found)


def _unknown(name: str, known: tuple[str, ...]) -> str:
    name = name.strip()[:40]
    meant = get_close_matches(name.lower(), known, n=1)
    if meant:
        return gettext("This mail has no value {%(name)s}. Did you mean {%(meant)s}?", name=name, meant=meant[0])
    every = ", ".join(f"{{{each}}}" for each in known)
    return gettext("This mail has no value {%(name)s}. Its values are: %(every)s.", name=name, every=every)


def _names(template: str) -> set[str]:
    """Return the names of the values of a template, empty for one with a fault."""
    try:
        return names_in(template)
    except ValueError:
        return set()


def _fault_of_needed(name: str, body: str) -> str:
    """Return the fault of a needed value, "" without one.

    It must be alone in its paragraph, so that no URL of another host can take it along.
    """
    if name not in _names(body):
        return gettext("This mail needs {%(name)s}: without it the person cannot go on.", name=name)
    for paragraph in body.split("\n\n"):
        try:
            parts = parts_of(paragraph)
        except ValueError:
            return ""
        if any(each == name for _, each in parts) and parts != [("", name)]:
            return gettext("{%(name)s} must be a paragraph of its own, without other words.", name=name)
    return ""
