"""The modules of the house as text, tree and prose, each read once for all rules about them."""

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path
from typing import Final

_MAYBE_COMMENT: Final = re.compile(r"(?:^|\s)#", re.MULTILINE)


@cache
def text_of(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text()


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return all nodes of the syntax tree of a module."""
    return list(ast.walk(tree_of(path)))


@cache
def prose_of(path: Path) -> list[tuple[int, str]]:
    """Return the docstrings, those of attributes too, and comments of a module with their lines."""
    texts = [
        (node.lineno, node.value.value)
        for node in nodes_of(path)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    text = text_of(path)
    if _MAYBE_COMMENT.search(text) is None:
        return texts
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [*texts, *((token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT)]
