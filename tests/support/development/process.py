"""One process of the server of `script/dev`, with the hooks of development.

Templates are read again when they were edited, and a page ends with a comment that has its SQL statements.
"""

import sys
import time
from collections.abc import AsyncIterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, cast

from sqlalchemy import Engine, event
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from trackyard.commands.main import main
from trackyard.console.app import Console
from trackyard.console.frame.templates import environment
from trackyard.wire.limits.strangers import Strangers

PYTHON: Final = Path(__file__).with_name("python")
"""The command that the supervisor starts its processes with."""

_statements: ContextVar[list[str] | None] = ContextVar("statements", default=None)
"""The statements of the page that this context answers."""
_begun: ContextVar[float] = ContextVar("begun", default=0.0)


def note_statements() -> None:
    """Note each statement of a page, with its time. Parameters are left out: they hold secrets."""
    event.listen(Engine, "before_cursor_execute", lambda *_: _begun.set(time.perf_counter()))
    event.listen(Engine, "after_cursor_execute", _note)


def _note(_connection: Any, _cursor: Any, statement: str, *_others: Any) -> None:
    found = _statements.get()
    if found is not None:
        found.append(f"{(time.perf_counter() - _begun.get()) * 1000:6.1f} ms  {' '.join(statement.split())}")


def comment_of(statements: list[str]) -> str:
    """Return statements as a comment of HTML, which none of them can end."""
    lines = "\n".join(statements).replace("--", "- -").replace(">", "&gt;")
    return f"\n<!-- {len(statements)} SQL statements\n{lines}\n-->\n"


def show_statements() -> None:
    """Let each page end with its statements."""
    answered = Console.respond

    async def respond(self: Console, request: Request, strangers: Strangers) -> Response:
        statements: list[str] = []
        token = _statements.set(statements)
        try:
            response = await answered(self, request, strangers)
        finally:
            _statements.reset(token)
        return _with_comment(response, statements)

    Console.respond = respond  # type: ignore[method-assign]


def _with_comment(response: Response, statements: list[str]) -> Response:
    if not response.headers.get("content-type", "").startswith("text/html"):
        return response
    if isinstance(response, StreamingResponse):
        parts = cast(AsyncIterator[str | bytes], response.body_iterator)
        response.body_iterator = _followed(parts, statements)
    else:
        response.body = bytes(response.body) + comment_of(statements).encode()
        response.headers["Content-Length"] = str(len(response.body))
    return response


async def _followed(parts: AsyncIterator[str | bytes], statements: list[str]) -> AsyncIterator[str | bytes]:
    """Yield the parts of a page, then its statements, of which late parts add some."""
    async for part in parts:
        yield part
    yield comment_of(statements).encode()


if __name__ == "__main__":
    _, module, *arguments = sys.argv
    if module != "-m" or arguments[:1] != ["trackyard"]:
        sys.exit("usage: python -m trackyard ARGUMENTS")
    environment().auto_reload = True
    note_statements()
    show_statements()
    sys.executable = str(PYTHON)
    main(arguments[1:])
