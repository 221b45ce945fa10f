"""English texts of pages that no mark has, found in the code and in templates."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from tests.support.shown_texts import ShownTexts
from tests.texts.catalogues import ROOT, TEMPLATES
from trackyard.console.frame.templates import environment

CONSOLE: Final = ROOT / "trackyard" / "console"
_MARKS: Final = frozenset(("gettext", "lazy_gettext", "ngettext"))
_FOR_PROGRAMS: Final = frozenset(
    (
        "ValueError",
        "KeyError",
        "compile",
        "get",
        "error",
        "warning",
        "exception",
        "info",
        "log",
        "PackageLoader",
        "element",
        "mark",
        "_clause",
        "LoggedFailures",
    )
)
"""Functions that take words of programs; `_clause` finds the translation of its own."""
_TEXT: Final = re.compile(r"[A-Za-z]{2,}[,.:;]? +[A-Za-z]{2,}|^[A-Z][a-z]{2,}[.…:]?$|[a-z]{3,}[.?] *$")
_CODE_TEXT: Final = re.compile(r"[<{]|^curl |^Mozilla/")
_NO_TEXTS: Final = frozenset(
    (
        *("activate offer", "admin.offer.estimate.", "not.", "on moderation", "platform currency"),
        *("form of", "kept form", "look as", "sign-in step", "form token", "public, max-age=31536000, immutable"),
        "report mails",
        *("Slack", "Telegram", "Parquet", "Kochava", "Sparkline", "xMidYMid meet"),
    )
)
"""Words of programs: values of the API, purposes of seals, headers, names of formats, of SVG and of Python."""
_NAMES: Final = re.compile(
    r'· Trackyard(alone)?|¤alone|[^<>]*="[^<>]*>?|\bEsc\b|\bGET\b|\bms\b|offer,pid,action_id,sum,status'
)


def unmarked_in_code() -> Iterator[str]:
    """Yield the place and the text of strings of the console that look like unmarked texts."""
    for path in sorted(CONSOLE.rglob("*.py")):
        tree = ast.parse(path.read_text())
        skipped = {id(part) for node in ast.walk(tree) for root in _skipped(node) for part in ast.walk(root)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in skipped and _is_text(node.value):
                yield f"{path.relative_to(CONSOLE)}: {node.value}"


def _is_text(value: object) -> bool:
    if not isinstance(value, str) or value in _NO_TEXTS:
        return False
    return bool(_TEXT.search(value)) and not _CODE_TEXT.search(value)


def _skipped(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that hold no texts of pages, or marked ones."""
    match node:
        case ast.Module(body=[ast.Expr() as first, *_]):
            yield first
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in _MARKS:
            yield from args[: 2 if name == "ngettext" else 1]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _FOR_PROGRAMS:
            yield node
        case ast.Dict(keys=keys):
            yield from (key for key in keys if key is not None)
        case ast.Compare() | ast.MatchValue() | ast.arg():
            yield node
        case ast.Subscript(slice=place):
            yield place
        case ast.AnnAssign(annotation=annotation):
            yield annotation
        case ast.FunctionDef(returns=ast.expr() as returns):
            yield returns
        case ast.Expr(value=ast.Constant()):
            yield node


def unmarked_in_templates() -> Iterator[str]:
    """Yield the template and the text of templates that are not marked."""
    for path in sorted(TEMPLATES.rglob("*.html")):
        tokens = environment().lex(path.read_text())
        content = "".join({"data": value, "variable_end": "¤"}.get(kind, "") for _, kind, value in tokens)
        yield from (f"{path.relative_to(TEMPLATES)}: {text}" for text in shown_texts(content))


def shown_texts(content: str) -> list[str]:
    """Return the texts of a template that have letters, without code."""
    found = (_NAMES.sub("", text) for text in ShownTexts(content).found)
    return [" ".join(text.split()) for text in found if re.search("[A-Za-z]{2}", text)]
