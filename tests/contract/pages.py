"""docs/api: a page for each group of methods, with a call and its real answer.

`script/docs` writes the pages. Each example is a call on a fresh copy of the installation of test_every_endpoint.py.
Random ids are replaced by counted ones, so an answer is always the same.
"""

import json
import re
import shutil
import tempfile
from contextlib import ExitStack
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock
from urllib.parse import quote

from tests.contract import rights, test_every_endpoint
from tests.contract.requests import affiliates, offers, people
from tests.contract.test_every_endpoint import EndpointSetup, make_endpoint_setup
from tests.support.api import installed
from tests.support.stores.analytics import address
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.migrations import migrate
from trackyard.api.catalogue import CATALOGUE, TOPICS
from trackyard.api.documentation import EXAMPLES_FILE
from trackyard.api.texts import texts
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade
from trackyard.wire.endpoint import VERSIONS, Endpoint, Topic
from trackyard.wire.openapi.document import ERRORS, document
from trackyard.wire.openapi.records import FieldRow, answer_names, answer_records
from trackyard.wire.openapi.tables import document_path, operations, table_rows

DIRECTORY = Path(__file__).parents[2] / "docs" / "api"
SHOWN = 2
"""Items of a list that an example shows, followed by the number of the others."""
LONGEST = 400
"""Characters of a text that an example shows."""

_WRITTEN = (
    "Each page describes the methods of a group: what they do, who may call them, what they take, and a call with its "
    "real answer, in which long lists and texts are cut. ADDRESS is the API's URL, KEY an API key. The pages are "
    "written by `script/docs` from the declarations."
)

_ON_RECORDS = (
    "Every record that answers are made of, with the meaning of its fields. Amounts are numbers with up to 4 places; "
    "times are `YYYY-MM-DD HH:MM:SS`. The methods link to the records that they answer with."
)

_DOCUMENTS = (
    "Programs read the OpenAPI document of both versions at `/openapi.json` of the API's URL, and the document of "
    "one version, with less than two thirds of its size and shorter operation ids, at "
    "`/openapi.json?version=3.1` or a URL of its own:"
)

Pages = dict[str, str]
"""File name to text."""


@lru_cache(maxsize=1)
def whole_document() -> dict[str, Any]:
    """Return the document, which is made by the first test that reads it."""
    return document(CATALOGUE, version="1", topics=TOPICS, texts=texts())


class SequentialSecrets:
    """Counted digits instead of random ones."""

    def __init__(self) -> None:
        self.number = 0

    def token_hex(self, size: int) -> str:
        """Return counted digits, see secrets.token_hex."""
        self.number += 1
        return f"{self.number:0{size * 2}x}"[-size * 2 :]

    def token_bytes(self, size: int) -> bytes:
        """Return counted digits as bytes, see secrets.token_bytes."""
        return bytes.fromhex(self.token_hex(size))

    def choice(self, letters: str) -> str:
        """Return a counted item, see secrets.choice."""
        self.number += 1
        return letters[self.number % len(letters)]


class Examples:
    """The installation, reset before each call."""

    def __init__(self, stack: ExitStack) -> None:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self._counted = SequentialSecrets()
        for module in ("base.ids", "base.secrets", "wire.http.origins"):
            stack.enter_context(mock.patch(f"trackyard.{module}.secrets", self._counted))
        stack.enter_context(mock.patch("trackyard.store.platform.file_storage.secrets", SequentialSecrets()))
        for requests in (affiliates, offers, people, test_every_endpoint):  # other tests of the process have counted
            stack.enter_context(mock.patch.object(requests, "_numbers", count(1)))
        self._file, self._saved = directory / "pages.db", directory / "saved.db"
        self._database = Database(f"sqlite:///{self._file}")
        stack.callback(self._database.close)
        upgrade(self._database)
        analytics = Analytics.open(address(), database="pages")
        stack.callback(analytics.close)
        migrate(analytics)
        self._world: EndpointSetup = make_endpoint_setup(installed(self._database, analytics))
        for make in self._world.subjects.values():
            make()  # so that lists have something to show
        for make_own in self._world.own_subjects.values():
            make_own(self._world.api.admin)
        self._database.close()
        shutil.copy(self._file, self._saved)
        self._begun = self._counted.number

    def example(self, endpoint: Endpoint[Any]) -> "ExampleCall":
        """Return a call, and its answer."""
        self._database.close()
        for rest in self._file.parent.glob("pages.db-*"):
            rest.unlink()
        shutil.copy(self._saved, self._file)
        self._counted.number = self._begun
        client = self._world.caller(endpoint)
        path = self._world.path(endpoint, endpoint.versions[-1], client=client)
        sent = {name: _sent(value) for name, value in self._world.good.get(endpoint.id, {}).items()}
        if endpoint.id in self._world.own_params:
            sent |= self._world.own_params[endpoint.id](client)
        place = "data" if endpoint.method == "POST" else "params"
        answer = client.call(endpoint.method, path, **{place: sent})
        assert answer.status_code == 200, (endpoint.id, answer.text)
        return ExampleCall(endpoint, path, sent, answer.json())


class ExampleCall(NamedTuple):
    """A call that was made, and its whole answer."""

    endpoint: Endpoint[Any]
    path: str
    sent: dict[str, Any]
    answer: Any

    def pairs(self) -> list[tuple[str, str]]:
        """Return what was sent, a pair for each value of a list."""
        return [
            (name, str(one))
            for name, value in self.sent.items()
            for one in (value if isinstance(value, list | tuple) else [value])
        ]

    def stored(self) -> dict[str, Any]:
        """Return it in the form of trackyard/api/examples.json."""
        return {
            "method": self.endpoint.method,
            "path": self.path,
            "public": self.endpoint.is_public,
            "sent": self.pairs(),
            "answer": _cut(self.answer),
        }


def render_pages() -> Pages:
    """Return every page as it must be, and the file of examples."""
    said = {operation["x-method-id"]: operation for _, _, operation in operations(whole_document())}
    pages = {"README.md": _contents(), "rights.md": rights.page(), "records.md": _records()}
    stored: dict[str, Any] = {}
    with ExitStack() as stack:
        stack.enter_context(mock.patch("trackyard.actions.people.sign_up.sign_ups.SIGN_UPS_PER_NETWORK", 10**6))
        examples = Examples(stack)
        for topic in _by_name():
            parts = [f"# {topic.title}\n"]
            calls = [examples.example(endpoint) for endpoint in topic.endpoints]
            parts += [_section(call, said) for call in calls]
            stored |= {call.endpoint.id: call.stored() for call in calls}
            pages[f"{topic.name}.md"] = "\n".join(parts)
    lines = (f"{json.dumps(name)}: {json.dumps(stored[name], ensure_ascii=False)}" for name in sorted(stored))
    return pages | {EXAMPLES_FILE.name: "{\n" + ",\n".join(lines) + "\n}\n"}


def path_of(name: str) -> Path:
    """Return the place of a page, or of the file of examples."""
    return EXAMPLES_FILE if name == EXAMPLES_FILE.name else DIRECTORY / name


def _by_name() -> list[Topic]:
    return sorted(TOPICS, key=lambda topic: topic.name)


def _contents() -> str:
    lines = [
        "# The API",
        "",
        whole_document()["info"]["description"],
        "",
        _WRITTEN,
        "",
        f"{_DOCUMENTS} {', '.join(f'`{document_path(prefix)}`' for prefix in VERSIONS)}.",
        "",
        "[Rights](rights.md) lists the permissions of staff and the features of affiliates with the methods that ask "
        "for them, and the ones that no method needs. [Records](records.md) lists the fields of answers.",
        "",
    ]
    for topic in _by_name():
        lines += [f"## [{topic.title}]({topic.name}.md)", ""]
        lines += [f"- `{each.method} {each.path}` {_summary(each)}" for each in topic.endpoints]
        lines.append("")
    lines += ["## Errors", "", "| status | when |", "|---|---|"]
    return "\n".join([*lines, *(f"| {code} | {text} |" for code, text in ERRORS.items()), ""])


def _summary(endpoint: Endpoint[Any]) -> str:
    return endpoint.text.partition("\n\n")[0].replace("\n", " ").rstrip(".")


def _section(call: ExampleCall, said: dict[str, Any]) -> str:
    endpoint, operation = call.endpoint, said[call.endpoint.id]
    prefixes = " and ".join(f"/{version}" for version in endpoint.versions)
    who = operation["description"].rpartition("\n\n")[2]
    lines = [f"## {endpoint.method} {endpoint.path}", "", endpoint.text, "", f"Answers under {prefixes}. {who}", ""]
    rows = list(table_rows(whole_document(), operation))
    if rows:
        lines += ["| parameter | type | meaning |", "|---|---|---|", *map(_table_row, rows), ""]
    links = " or ".join(f"[{name}](records.md#{name.lower()})" for name in answer_names(operation))
    lines += [f"Answer: {links}.", ""] if links else []
    shown = json.dumps(_short(call.answer), indent=2, ensure_ascii=False)
    return "\n".join([*lines, "```sh", _command(call), "```", "", "```json", shown, "```", ""])


def _records() -> str:
    """Return the page of the records of answers."""
    lines = ["# Records of answers", "", _ON_RECORDS, ""]
    for record in answer_records(whole_document()):
        lines += [f"## {record.name}", "", "| field | type | meaning |", "|---|---|---|"]
        lines += [*map(_table_row, record.fields), ""]
    return "\n".join(lines)


def _table_row(row: FieldRow) -> str:
    kind = re.sub(r"\[(\w+)\]", lambda found: f"[{found[1]}](records.md#{found[1].lower()})", _cell(row.kind))
    return f"| `{row.name}` | {kind} | {_cell(row.meaning)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _sent(value: Any) -> Any:
    """Return the sent parameters, always the same."""
    if isinstance(value, list):
        return [_sent(item) for item in value]
    if callable(value):
        return value()
    return value.replace("{n}", "1") if isinstance(value, str) else value


def _command(call: ExampleCall) -> str:
    endpoint, path, pairs = call.endpoint, call.path, call.pairs()
    key = "" if endpoint.is_public else " -H 'API-Key: KEY'"
    if endpoint.method == "POST":
        fields = "".join(f" \\\n  -d '{name}={quote(value, safe='/:@., {}')}'" for name, value in pairs)
        return f"curl -g{key} -X POST 'ADDRESS{path}'{fields}"
    query = "&".join(f"{name}={quote(value, safe='/:@.,')}" for name, value in pairs)
    method = "" if endpoint.method == "GET" else f" -X {endpoint.method}"
    return f"curl -g{key}{method} 'ADDRESS{path}{'?' if query else ''}{query}'"


def _short(value: Any) -> Any:
    """Return an answer with its long lists, maps and texts cut."""
    if isinstance(value, list):
        kept = [_short(item) for item in value[:SHOWN]]
        return [*kept, f"… {len(value) - SHOWN} more"] if len(value) > SHOWN else kept
    if isinstance(value, dict):
        return {name: _short(inner) for name, inner in value.items()}
    return value[:LONGEST] + "…" if isinstance(value, str) and len(value) > LONGEST else value


def _cut(value: Any) -> Any:
    """Return an answer as `_short`, without the numbers of what was cut: an answer of the declared form."""
    if isinstance(value, list):
        return [_cut(item) for item in value[:SHOWN]]
    if isinstance(value, dict):
        return {name: _cut(inner) for name, inner in value.items()}
    return _short(value)


def main() -> None:
    """Write the pages, and remove those of former groups."""
    pages = render_pages()
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for stale in DIRECTORY.glob("*.md"):
        if stale.name not in pages:
            stale.unlink()
    for name, text in pages.items():
        path_of(name).write_text(text)


if __name__ == "__main__":
    main()
