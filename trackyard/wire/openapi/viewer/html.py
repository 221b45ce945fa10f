"""Parts of the pages at /docs as HTML."""

import json
import re
from html import escape
from typing import Any, Final

from trackyard.wire.openapi.fields import FieldNode, alike

_CODE: Final = re.compile(r"`([^`]+)`")


def prose(text: str) -> str:
    """Return text as HTML, with the parts in backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def paragraphs(text: str) -> str:
    """Return a text with paragraphs as HTML."""
    return "".join(f"<p>{prose(part)}</p>" for part in text.split("\n\n") if part)


def method_mark(method: str) -> str:
    """Return the coloured name of an HTTP method."""
    return f'<span class="method {method.lower()}">{method.upper()}</span>'


def code_block(text: str, language: str = "") -> str:
    """Return code that can be copied. The page shows the address of the API instead of ADDRESS."""
    shown = escape(text).replace("ADDRESS", '<span class="origin">ADDRESS</span>')
    return f'<pre data-language="{escape(language)}"><code>{shown}</code></pre>'


def json_block(value: Any) -> str:
    """Return a value as JSON that can be copied."""
    return f"<pre><code>{escape(json.dumps(value, indent=2, ensure_ascii=False))}</code></pre>"


def field_list(nodes: list[FieldNode] | tuple[FieldNode, ...], kind: str) -> str:
    """Return fields with their parts, which open level by level. kind: p for parameters, a for answers."""
    return f'<ul class="fields">{"".join(_field(group, kind) for group in alike(nodes))}</ul>'


def field_anchor(kind: str, path: str) -> str:
    """Return the id of a field in the page of its method."""
    return f"{kind}-{path}"


def _field(group: list[FieldNode], kind: str) -> str:
    first, last = group[0], group[-1]
    more = "" if len(group) == 1 else f'<span class="name">… {_name(last)}</span>'
    anchors = "".join(f'<a id="{escape(field_anchor(kind, each.path))}"></a>' for each in group[1:])
    needed = '<span class="needed">required</span>' if first.needed else ""
    head = f'<span class="name">{_name(first)}</span>{more}<span class="kind">{escape(first.kind)}{needed}</span>'
    text = f'<div class="meaning">{anchors}{prose(first.meaning)}{_facts(first)}</div>'
    place = escape(field_anchor(kind, first.path))
    if not first.parts:
        return f'<li id="{place}" data-name="{escape(first.path)}"><div class="head">{head}</div>{text}</li>'
    inner = field_list(sorted(first.parts, key=lambda part: not part.needed), kind)
    return (
        f'<li id="{place}" data-name="{escape(first.path)}" class="group"><div class="head">{head}</div>{text}'
        f"<details><summary>{len(list(alike(first.parts)))} fields in {_name(first)}</summary>{inner}</details></li>"
    )


def _name(node: FieldNode) -> str:
    above, own = escape(node.above), escape(node.path.removeprefix(node.above))
    return f"<code>{f'<i>{above}</i>' if above else ''}{own}</code>"


def _facts(node: FieldNode) -> str:
    allowed = " ".join(f"<code>{escape(value)}</code>" for value in node.allowed)
    parts = [f"one of {allowed}"] if len(node.allowed) > 1 else [f"always {allowed}"] if allowed else []
    parts += [prose(fact) for fact in node.facts]
    return f'<p class="facts">{" · ".join(parts)}</p>' if parts else ""
