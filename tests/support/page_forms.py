"""A form of a page as a browser sends it."""

from html.parser import HTMLParser
from typing import Any, Final

from tests.support.pages import Visitor

_TEXTS: Final = ("checkbox", "radio", "submit")


class FormReader(HTMLParser):
    """The fields of the form of a page, in order, with their values.

    faults: sentences by the id of their paragraph.
    """

    def __init__(self, content: str) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []
        self.names: list[str] = []
        self.buttons: list[str] = []
        self.faults: dict[str, str] = {}
        self.described: dict[str, str] = {}
        self._select = self._area = self._fault = ""
        self._text = ""
        self._form = self._first = False
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a field."""
        given = {name: value or "" for name, value in attrs}
        name = given.get("name", "")
        if tag == "form":
            self._form = "novalidate" in given
        if given.get("id", "").endswith("-fault"):
            self._fault, self._text = given["id"], ""
        if not self._form:
            return
        if tag in ("input", "select", "textarea"):
            self.names.append(name)
            self.described[name] = given.get("aria-describedby", "")
        if tag == "button":
            self.buttons.append(given.get("value", ""))
        if tag == "option":
            self._option(given)
        elif tag == "input" and (given.get("type", "text") not in _TEXTS or "checked" in given):
            self.pairs.append((name, given.get("value", "")))
        elif tag == "select":
            self._select, self._first = name, True
        elif tag == "textarea":
            self._area, self._text = name, ""

    def _option(self, given: dict[str, str]) -> None:
        """Keep the chosen value of a select, which is its first one where none is marked."""
        if "selected" in given or self._first:
            self.pairs = [pair for pair in self.pairs if pair[0] != self._select]
            self.pairs.append((self._select, given.get("value", "")))
        self._first = False

    def handle_data(self, data: str) -> None:
        """Keep the text of a field or a fault."""
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        """End a field."""
        if tag == "textarea" and self._area:
            self.pairs.append((self._area, self._text))
            self._area = ""
        elif tag == "select":
            self._select = ""
        elif tag == "p" and self._fault:
            self.faults[self._fault] = self._text.strip()
            self._fault = ""
        elif tag == "form":
            self._form = False

    def value(self, name: str) -> str:
        """The value of a field."""
        return next(value for each, value in self.pairs if each == name)

    def typed(self, button: str = "save", **fields: Any) -> dict[str, list[str]]:
        """What a browser sends after fields were typed; None for a box that is not ticked."""
        data: dict[str, list[str]] = {}
        for name, value in self.pairs:
            data.setdefault(name, []).append(value)
        for name, value in fields.items():
            data[name] = [] if value is None else value if isinstance(value, list) else [value]
        return {**data, "form_do": [button]}


def send(visitor: Visitor, path: str, form: FormReader, button: str = "save", **fields: Any) -> Any:
    """Send a form after fields were typed, by one of its buttons."""
    return visitor.client.post(path, data=form.typed(button, **fields))


def read_form(visitor: Visitor, path: str) -> FormReader:
    """The form of a page."""
    answer = visitor.get(path)
    assert answer.status_code == 200, (answer.status_code, answer.text[:2000])
    return FormReader(answer.text)
