"""The texts of a page, in the language of the page and the zone of the person."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, Final

import msgspec
import pytest

from trackyard.base.texts.catalogues import Catalogue
from trackyard.base.texts.languages import ENGLISH, Language, language
from trackyard.console import app
from trackyard.wire.local_calls import LocalCalls

_ATTRIBUTES: Final = frozenset(("title", "aria-label", "placeholder", "alt", "label"))
_CODE: Final = frozenset(("code", "pre", "script", "style", "textarea"))
_VOID: Final = frozenset(("br", "col", "hr", "img", "input", "link", "meta", "wbr"))
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}")
_BRACKETED: Final = re.compile("⟦[^⟦⟧]*⟧")


class ShownTexts(HTMLParser):
    """What people read or hear, without code, help of the API and what names its own language."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._left_out: list[str] = []
        """The open elements from the one on that is left out."""
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the attributes that people see."""
        given = dict(attrs)
        is_left_out = (
            tag in _CODE or ("lang" in given and tag != "html") or "help" in (given.get("class") or "").split()
        )
        if tag not in _VOID and (self._left_out or is_left_out):
            self._left_out.append(tag)
        if not self._left_out:
            self.found += [value for name, value in attrs if name in _ATTRIBUTES and value]

    def handle_endtag(self, tag: str) -> None:
        """End an element that is left out."""
        if tag in self._left_out:
            del self._left_out[len(self._left_out) - 1 - self._left_out[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        if data.strip() and not self._left_out:
            self.found.append(" ".join(data.split()))


class _Bracketed(Catalogue):
    """A language of which each text is the English one in brackets."""

    def one(self, text: str) -> str:
        return f"⟦{text}⟧"

    def counted(self, one: str, many: str, number: int) -> str:
        return self.one(one if number == 1 else many)


class ForeignPerson:
    """Pages in a language that brackets each translation, for a person in another zone than the platform.

    data: what texts may have outside of brackets.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, data: re.Pattern[str]) -> None:
        self._data, self._times = data, set[str]()
        form = language(ENGLISH).form
        monkeypatch.setattr(app, "language", lambda code: Language(code, form, _Bracketed()))
        ask = LocalCalls.ask

        def recorded(calls: LocalCalls[Any], *args: Any, **values: Any) -> Any:
            answer = ask(calls, *args, **values)
            self._times.update(text[:16] for text in _leaves(msgspec.to_builtins(answer)) if _TIME.match(text))
            return answer

        monkeypatch.setattr(LocalCalls, "ask", recorded)

    def faults(self, address: str, content: str) -> Iterator[str]:
        """Yield the texts of a page without translation, and its times in the zone of the platform."""
        for text in ShownTexts(content).found:
            left = text
            while (shorter := _BRACKETED.sub("", left)) != left:
                left = shorter
            if re.search("[A-Za-z]{2}", self._data.sub("", left)):
                yield f"{address} has the untranslated {text}"
            yield from (f"{address} has the time {time}" for time in _TIME.findall(text) if time in self._times)


def _leaves(found: Any) -> Iterator[str]:
    """Yield the texts of an answer."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from _leaves(each)
