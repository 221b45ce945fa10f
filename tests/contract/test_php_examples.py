"""The examples in PHP at /docs are valid PHP and make the request of the example for curl.

PHP itself is not needed: a parser reads the examples, and what they use of the language is computed here.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
import tree_sitter_php
from tree_sitter import Language, Node, Parser

from trackyard.api.catalogue import CATALOGUE
from trackyard.api.documentation import examples
from trackyard.wire.endpoint import Topic
from trackyard.wire.openapi.examples import Call, languages, sample_call
from trackyard.wire.openapi.viewer.site import Documented

PHP: Final = Parser(Language(tree_sitter_php.language_php()))
HARD: Final = (
    Call("POST", "/3.1/admin/offer", (("title", "it's a \\'quote\\' \\\\ $here {$there}"), ("url", "https://a.example/?a=1&b={clickid}"))),
    Call("GET", "/3.1/stats/custom", (("slice[]", "day"), ("filter[offer][]", "5"), ("q", "a+b c&d=ä/€ %20 \"x\" \n"))),
    Call("DELETE", "/3.1/admin/thing/5", (("why", "<?php ?>"),)),
    Call("POST", "/3.1/auth", (("email", "me+you@example.com"), ("password", "")), public=True),
    Call("GET", "/3.1/offers", ()),
)  # fmt: skip
"""Calls with values that are hard to quote."""


@dataclass(frozen=True)
class Sent:
    """A request. pairs: of its query or form, decoded."""

    method: str
    address: str
    key: str
    query: tuple[tuple[str, str], ...]
    form: tuple[tuple[str, str], ...]


def request_of(method: str, url: str, key: str, form: str) -> Sent:
    parts = urlsplit(url)
    return Sent(method, parts.path, key, _pairs(parts.query), _pairs(form))


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text)))


def request_of_curl(text: str) -> Sent:
    """Return the request of a command for curl."""
    words = iter(shlex.split(text.replace("\\\n", " ")))
    method, url, key, form = "", "", "", list[str]()
    assert next(words) == "curl"
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            key = next(words).removeprefix("API-Key: ")
        elif word == "--data-urlencode":
            name, _, value = next(words).partition("=")
            form.append(f"{quote(name, safe='')}={quote(value, safe='')}")
        elif word != "-g":
            url = word
    return request_of(method or "GET", url, key, "&".join(form))


def request_of_php(text: str) -> Sent:
    """Return the request of a program in PHP.

    It fails for what is not PHP, and for an unknown function.
    """
    tree = PHP.parse(text.encode()).root_node
    assert not tree.has_error, text
    program = _Program()
    for statement in tree.named_children:
        if statement.type != "php_tag":
            assert statement.type == "expression_statement", statement.type
            program.value(statement.named_children[0])
    assert program.printed and program.request is not None
    return program.request


class _Program:
    """Computes the expressions of the examples, as PHP does."""

    def __init__(self) -> None:
        self._variables: dict[str, Any] = {}
        self.request: Sent | None = None
        self.printed = False

    def value(self, node: Node) -> Any:
        """Return the value of an expression."""
        parts = node.named_children
        match node.type:
            case "string":
                return "".join(_text(each)[1:] if each.type == "escape_sequence" else _text(each) for each in parts)
            case "binary_expression":
                assert [_text(each) for each in node.children if not each.is_named] == ["."]
                return self.value(parts[0]) + self.value(parts[1])
            case "array_creation_expression":
                return self._array(parts)
            case "assignment_expression":
                self._variables[_text(parts[0])] = self.value(parts[1])
                return None
            case "variable_name":
                return self._variables[_text(node)]
            case "boolean":
                return _text(node) == "true"
            case "function_call_expression":
                return self._call(
                    _text(parts[0]), [self.value(each.named_children[0]) for each in parts[1].named_children]
                )
        raise AssertionError(f"no {node.type} in examples")

    def _array(self, items: list[Node]) -> Any:
        values = [[self.value(part) for part in item.named_children] for item in items]
        return dict(values) if any(len(each) == 2 for each in values) else [each for [each] in values]

    def _call(self, name: str, given: list[Any]) -> Any:
        match name, given:
            case "implode", [str(), list()]:
                return given[0].join(given[1])
            case "rawurlencode", [str()]:
                return quote(given[0], safe="")
            case "stream_context_create", [dict()]:
                return given[0]["http"]
            case "file_get_contents", [str(url), False, dict(context)]:
                self.request = _request_of_context(url, context)
                return "{}"
            case "json_decode", ["{}", True]:
                return {}
            case "print_r", [{}]:
                self.printed = True
                return True
        raise AssertionError(f"{name}{given} is not known")


def _request_of_context(url: str, context: dict[str, Any]) -> Sent:
    headers = dict(each.split(": ", 1) for each in context.pop("header", []))
    form = context.pop("content", "")
    assert context.pop("ignore_errors") is True, "an answer with an error is shown too"
    method = context.pop("method")
    assert context == {}
    form_type = headers.pop("Content-Type", "")
    assert form_type == ("application/x-www-form-urlencoded" if form else "")
    key = headers.pop("API-Key", "")
    assert headers == {}
    return request_of(method, url, key, form)


def _text(node: Node) -> str:
    return (node.text or b"").decode()


@cache
def shown_calls() -> dict[str, Call]:
    """Return the call of each page at /docs by its version and method."""
    return dict(_calls())


def _calls() -> Iterator[tuple[str, Call]]:
    documented = Documented((Topic("all", "All", CATALOGUE),), version="7")
    for endpoint in CATALOGUE:
        document = documented.of_method(endpoint)
        for path, item in document["paths"].items():
            for method, operation in item.items():
                known = examples().get(endpoint.id)
                call = known.call.under(path.split("/")[1]) if known else sample_call(document, path, method, operation)
                yield f"{endpoint.id} {method} {path}", call


def test_php_example_of_every_method_makes_the_request_of_the_curl_example() -> None:
    calls = shown_calls()
    assert len(calls) >= len(CATALOGUE)
    for name, call in calls.items():
        shown = languages(call)
        assert (name, request_of_php(shown["PHP"])) == (name, request_of_curl(shown["curl"]))


@pytest.mark.parametrize("call", HARD, ids=lambda call: call.path)
def test_php_example_sends_every_character_as_it_is(call: Call) -> None:
    shown = languages(call)
    sent = request_of_php(shown["PHP"])
    assert sent == request_of_curl(shown["curl"])
    assert (sent.query, sent.form) == (((), call.pairs) if call.method == "POST" else (call.pairs, ()))
    assert (sent.method, sent.key) == (call.method, "" if call.public else "KEY")


def test_php_example_with_a_missing_quote_is_found() -> None:
    text = languages(HARD[0])["PHP"]
    with pytest.raises(AssertionError):
        request_of_php(text.replace("\\'quote", "'quote", 1))
