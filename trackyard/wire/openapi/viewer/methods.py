"""The page of a method: parameters, answer, errors, examples and a form to try it."""

import re
from html import escape
from typing import Final

from trackyard.wire.openapi.document import Schema
from trackyard.wire.openapi.errors import ERRORS
from trackyard.wire.openapi.examples import Call, Example, languages
from trackyard.wire.openapi.fields import FieldNode, answer_tree, answer_views, each_node, parameter_tree
from trackyard.wire.openapi.viewer.html import code_block, field_list, json_block, method_mark, paragraphs, prose

_TAKES_AWAY: Final = re.compile(
    r"\b(delete|remove|erase|erasures?|disable|block|password|sendpass|renew|rotate|reset|rebuild|cancel|decline|pay)"
)
_LONG: Final = 900
"""Characters of a description that is shown as a whole."""
_PARAGRAPH: Final = "\n\n"
_VIEWS: Final = ("Answer to staff", "Answer to affiliates")


def is_destructive(method: str, name: str) -> bool:
    """Return whether a try of a method needs a confirmation first. name: its id."""
    return method != "GET" and (method == "DELETE" or bool(_TAKES_AWAY.search(name.replace("_", "-"))))


def method_page(document: Schema, path: str, method: str, call: Call, example: Example | None) -> str:
    """Return the main part of the page of a method. method: in lower case."""
    operation = document["paths"][path][method]
    fields = parameter_tree(document, operation)
    summary = prose(operation["summary"])
    return (
        f'<article class="reference"><header><p class="address">{method_mark(method)} '
        f"<code>{_broken(path)}</code></p><h1>{summary}</h1>{_description(operation['description'])}</header>"
        f'<div class="columns"><div class="fields-column">{_parameters(fields)}{_answers(document, operation)}'
        f'{_errors()}</div><div class="code-column">{_code(call)}{_trial(method, path, operation, call, fields)}'
        f"{_example(example)}</div></div></article>"
    )


def _description(text: str) -> str:
    """Return the description of a method. What is long is closed, so that parameters are near."""
    first, *others = text.split("\n\n")
    if len(text) <= _LONG or len(others) < 2:
        return paragraphs(text)
    *middle, callers = others
    more = f"<details><summary>More about this method</summary>{paragraphs(_PARAGRAPH.join(middle))}</details>"
    return f"{paragraphs(first)}{paragraphs(callers)}{more}"


def _broken(path: str) -> str:
    """Return a path that breaks after slashes alone."""
    return escape(path).replace("/", "/<wbr>")


def _parameters(fields: list[FieldNode]) -> str:
    groups = any(node.parts for node in fields)
    button = '<button type="button" class="small" data-open-all>Open all</button>' if groups else ""
    listed = field_list(fields, "p") if fields else "<p>None.</p>"
    return f'<section id="parameters"><h2>Parameters {button}</h2>{listed}</section>'


def _answers(document: Schema, operation: Schema) -> str:
    views = answer_views(document, operation)
    titles = _VIEWS if len(views) > 1 else ("Answer",)
    parts = []
    for title, view in zip(titles, views, strict=False):
        fields = answer_tree(document, view)
        button = '<button type="button" class="small" data-open-all>Open all</button>'
        listed = field_list(fields, "a" if view is views[0] else "b")
        parts.append(f"<section><h2>{title} {button}</h2>{listed}</section>")
    return "".join(parts)


def _errors() -> str:
    rows = "".join(f"<li><code>{code}</code> {prose(text)}</li>" for code, text in ERRORS.items())
    return f"<section><details><summary>Errors</summary><ul>{rows}</ul></details></section>"


def _code(call: Call) -> str:
    shown = languages(call)
    tabs = "".join(
        f'<button type="button" role="tab" data-language="{name}" aria-selected="{str(not number).lower()}">'
        f"{name}</button>"
        for number, name in enumerate(shown)
    )
    blocks = "".join(code_block(text, name) for name, text in shown.items())
    return f'<section class="code"><h2>Example</h2><div role="tablist" class="tabs">{tabs}</div>{blocks}</section>'


def _example(example: Example | None) -> str:
    if example is None:
        return ""
    return (
        "<section><h2>Answer of the example</h2>"
        f'<p class="faint">From a test; long lists and texts are cut.</p>{json_block(example.answer)}</section>'
    )


def _trial(method: str, path: str, operation: Schema, call: Call, fields: list[FieldNode]) -> str:
    variables = re.findall(r"\{(\w+)\}", path)
    found = re.fullmatch(re.sub(r"\\{\w+\\}", "([^/]+)", re.escape(path)), call.path)
    values = found.groups() if found else [""] * len(variables)
    rows = "".join(_row(name, value, "path") for name, value in zip(variables, values, strict=True))
    rows += "".join(_row(name, value, "sent") for name, value in call.pairs)
    files = ",".join(node.path for node in fields if node.is_file)
    names = "".join(
        f'<option value="{escape(node.path)}">{escape(", ".join(node.allowed))}</option>'
        for node in each_node(fields)
        if not node.parts and node.path not in variables
    )
    key = "" if call.public else '<label>API key <input class="key" type="password" autocomplete="off"></label>'
    asks = str(is_destructive(method.upper(), operation["x-method-id"])).lower()
    return (
        f'<section class="trial"><h2>Try it</h2><form data-method="{method.upper()}" data-path="{escape(path)}" '
        f'data-asks="{asks}" data-files="{escape(files)}">{key}<div class="rows">{rows}</div>'
        f'<datalist id="names">{names}</datalist><p class="buttons">'
        '<button type="button" data-add>Add a parameter</button>'
        '<button type="submit" class="main">Send</button></p></form><output></output></section>'
    )


def _row(name: str, value: str, kind: str) -> str:
    fixed = " readonly" if kind == "path" else ""
    remove = "" if fixed else '<button type="button" data-remove aria-label="Remove">×</button>'
    return (
        f'<div class="row" data-kind="{kind}"><input class="name" list="names" aria-label="Name" '
        f'value="{escape(name)}"{fixed}><input class="value" aria-label="Value of {escape(name)}" '
        f'value="{escape(value)}">{remove}</div>'
    )
