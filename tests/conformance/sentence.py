"""Sentences of the specification as rows: calls over HTTP, and what their answers hold.

A `SpecSentence` is a text and steps. A step is a call of a `Caller`, or a check of the answer before it. Names in angle
brackets (`<shoes>`) are replaced with values of the world or of an earlier step of the same row.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.conformance.predicates import Predicate
from tests.support.processes.program import HttpAnswer, RunningProgram, poll_until, request

Names = dict[str, Any]
PATIENCE_SECONDS = 20.0
_NAME = re.compile(r"<([a-z_0-9]+)>")


# Calls


@dataclass(frozen=True)
class SpecRequest:
    """One request.

    caller: the name of the caller; its API key is sent; "" = no key · tracking: to the tracking listener ·
    patient: repeated until its checks hold · saved: names given to values of its answer, by their path.
    """

    caller: str
    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    tracking: bool = False
    patient: bool = False
    saved: Mapping[str, str] = field(default_factory=dict)

    def eventually(self) -> "SpecRequest":
        """The same call, repeated until its checks hold: for what is done after the answer of an earlier call."""
        return replace(self, patient=True)

    def saving(self, **paths: str) -> "SpecRequest":
        """The same call; values of its answer get names for later steps."""
        return replace(self, saved=paths)

    def adding(self, params: Mapping[str, Any]) -> "SpecRequest":
        """The same call with more parameters."""
        return replace(self, params={**self.params, **params})

    def with_headers(self, headers: Mapping[str, str]) -> "SpecRequest":
        """The same call with more headers."""
        return replace(self, headers={**self.headers, **headers})

    def send(self, program: RunningProgram, names: Names) -> HttpAnswer:
        """Send it."""
        headers = {name: str(filled(value, names)) for name, value in self.headers.items()}
        if self.caller:
            headers.setdefault("API-Key", str(names[f"{self.caller}_key"]))
        pairs = urlencode(filled(self.params, names), doseq=True)
        path, body = str(filled(self.path, names)), self.body
        if self.method == "GET" or body is not None:
            path += ("&" if "?" in path else "?") + pairs if pairs else ""
        else:
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
            body = pairs.encode()
        port = program.tracking_port if self.tracking else program.api_port
        return request(port, self.method, path, body=body, headers=headers)

    def __str__(self) -> str:
        return f"{self.caller or 'nobody'}: {self.method} {self.path} {dict(self.params)}"


@dataclass(frozen=True)
class Caller:
    """One who calls the API with a key of the world. `name` is "" for a caller without a key."""

    name: str

    def get(self, path: str, params: Mapping[str, Any] | None = None) -> SpecRequest:
        """GET with a query."""
        return SpecRequest(self.name, "GET", path, params or {})

    def post(self, path: str, params: Mapping[str, Any] | None = None) -> SpecRequest:
        """POST with a form."""
        return SpecRequest(self.name, "POST", path, params or {})

    def delete(self, path: str, params: Mapping[str, Any] | None = None) -> SpecRequest:
        """DELETE with a form."""
        return SpecRequest(self.name, "DELETE", path, params or {})

    def send_json(self, method: str, path: str, value: Any) -> SpecRequest:
        """A JSON body."""
        return SpecRequest(
            self.name, method, path, headers={"Content-Type": "application/json"}, body=json.dumps(value).encode()
        )


def visit(
    path: str, params: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, *, method: str = "GET"
) -> SpecRequest:
    """A request to the tracking listener."""
    return SpecRequest("", method, path, params or {}, headers or {}, tracking=True)


def filled(value: Any, names: Names) -> Any:
    """Return a value with its names replaced; a name alone becomes its value."""
    if isinstance(value, str):
        alone = _NAME.fullmatch(value)
        if alone:
            return names[alone[1]]
        return _NAME.sub(lambda found: str(names[found[1]]), value)
    if isinstance(value, Mapping):
        return {filled(name, names): filled(inner, names) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [filled(inner, names) for inner in value]
    return value


# Values of an answer

MISSING = object()


def found(value: Any, path: str) -> Any:
    """Return the value at a path, or MISSING.

    Paths: `offer.title` · `offers[].id`, a list of each item's · `pixel{}.id`, a list of each value's · `stats[0]` ·
    `offers[id=7].title`, of the first item with that id. Lists have MISSING in the place of a missing value.
    """
    return _found(value, [part for part in re.split(r"\.|(?=[\[{])", path) if part])


def _found(value: Any, parts: list[str]) -> Any:
    if not parts:
        return value
    part, rest = parts[0], parts[1:]
    if part in ("[]", "{}"):
        inner = value.values() if part == "{}" and isinstance(value, dict) else value
        if inner is MISSING or inner is None:
            return MISSING
        assert isinstance(inner, Iterable) and not isinstance(inner, str), f"{part} of {value!r}"
        several = [_found(item, rest) for item in inner]
        return [x for one in several for x in one] if any(p in ("[]", "{}") for p in rest) else several
    if part.startswith("["):
        if not isinstance(value, list):
            return MISSING
        name, equals, wanted = part[1:-1].partition("=")
        if equals:
            chosen = [item for item in value if str(item.get(name)) == wanted]
            return _found(chosen[0], rest) if chosen else MISSING
        return _found(value[int(name)], rest) if int(name) < len(value) else MISSING
    if not isinstance(value, dict) or part not in value:
        return MISSING
    return _found(value[part], rest)


# Checks


@dataclass(frozen=True)
class AnswerCheck:
    """What an answer holds. `status`: the HTTP status that the answer must have."""

    text: str
    run: Callable[[HttpAnswer, Names], None]
    status: int = 200


def _at(text: str, path: str, judge: Callable[[Any, Names], bool]) -> AnswerCheck:
    def run(answer: HttpAnswer, names: Names) -> None:
        value = found(answer.json, str(filled(path, names)))
        assert judge(value, names), f"{path} {text}; it is {'missing' if value is MISSING else repr(value)[:1500]}"

    return AnswerCheck(f"{path} {text}", run)


def is_(path: str, predicate: Predicate) -> AnswerCheck:
    """The value is there and satisfies a predicate."""
    name = getattr(predicate, "__name__", "?")
    return _at(f"is {name}", path, lambda value, _: value is not MISSING and predicate(value))


def every(path: str, predicate: Predicate) -> AnswerCheck:
    """There is at least one value, and each satisfies a predicate."""
    name = getattr(predicate, "__name__", "?")
    return _at(
        f"is {name} in each",
        path,
        lambda values, _: (
            bool(values) and values is not MISSING and all(v is not MISSING and predicate(v) for v in values)
        ),
    )


def equal(path: str, wanted: Any) -> AnswerCheck:
    """The value is this one."""
    return _at(f"is {wanted!r}", path, lambda value, names: value == filled(wanted, names))


def all_equal(path: str, wanted: Any) -> AnswerCheck:
    """There is at least one value, and each is this one."""
    return _at(
        f"is {wanted!r} in each",
        path,
        lambda values, names: values not in (MISSING, []) and all(value == filled(wanted, names) for value in values),
    )


def shows(path: str, *wanted: Any) -> AnswerCheck:
    """These are among the values."""
    return _at(
        f"has {wanted!r}",
        path,
        lambda values, names: values is not MISSING and all(filled(one, names) in values for one in wanted),
    )


def hides(path: str, *unwanted: Any) -> AnswerCheck:
    """None of these is among the values."""
    return _at(
        f"has none of {unwanted!r}",
        path,
        lambda values, names: values is MISSING or not any(filled(one, names) in values for one in unwanted),
    )


def exactly(path: str, *wanted: Any) -> AnswerCheck:
    """The values are these, in this order."""
    return _at(f"is exactly {wanted!r}", path, lambda values, names: values == [filled(one, names) for one in wanted])


def only(path: str, *wanted: Any) -> AnswerCheck:
    """The values are these, in any order, each at least once and nothing else."""
    return _at(
        f"has only {wanted!r}",
        path,
        lambda values, names: (
            values is not MISSING and {*map(str, values)} == {str(filled(one, names)) for one in wanted}
        ),
    )


def before(path: str, first: Any, second: Any) -> AnswerCheck:
    """Both are among the values, the first before the second."""

    def ordered(values: Any, names: Names) -> bool:
        return bool(values.index(filled(first, names)) < values.index(filled(second, names)))

    return _at(f"has {first!r} before {second!r}", path, ordered)


def empty(path: str) -> AnswerCheck:
    """The list or map is there and has nothing in it."""
    return _at("is empty", path, lambda value, _: value is not MISSING and len(value) == 0)


def absent(path: str) -> AnswerCheck:
    """There is no such value."""
    return _at(
        "is absent",
        path,
        lambda value, _: value is MISSING or (isinstance(value, list) and set(map(id, value)) <= {id(MISSING)}),
    )


def present(*paths: str) -> AnswerCheck:
    """There are such values."""

    def run(answer: HttpAnswer, names: Names) -> None:
        for path in paths:
            value = found(answer.json, str(filled(path, names)))
            assert value is not MISSING and not (isinstance(value, list) and MISSING in value), f"{path} is missing"

    return AnswerCheck(f"has {', '.join(paths)}", run)


def refused(status: int, *fields: str, text: str = "") -> AnswerCheck:
    """Expect a refusal with a status, names of parameters, and a text in its message."""

    def run(answer: HttpAnswer, names: Names) -> None:
        body = answer.json
        assert body["status"] == 2 and body["error"] == body["message"], body
        assert str(filled(text, names)) in body["error"], body
        for name in fields:
            assert name in body["fields"], body

    return AnswerCheck(f"is refused with {status}", run, status)


def answers(status: int) -> AnswerCheck:
    """The answer has this status."""
    return AnswerCheck(f"answers {status}", lambda _, __: None, status)


def holds(predicate: Callable[[Any], bool], status: int = 200) -> AnswerCheck:
    """The whole body satisfies a predicate."""

    def run(answer: HttpAnswer, _: Names) -> None:
        assert predicate(answer.json), repr(answer.json)[:1500]

    return AnswerCheck("holds", run, status)


def header(name: str, text: str, status: int = 200) -> AnswerCheck:
    """A header of the answer is there and has this text in it."""

    def run(answer: HttpAnswer, names: Names) -> None:
        assert name.lower() in answer.headers and str(filled(text, names)) in answer.headers[name.lower()], (
            answer.headers
        )

    return AnswerCheck(f"{name} has {text}", run, status)


def body_has(text: str, status: int = 200) -> AnswerCheck:
    """The body has this text in it."""

    def run(answer: HttpAnswer, names: Names) -> None:
        assert str(filled(text, names)) in answer.body.decode(), answer.body[:1500]

    return AnswerCheck(f"the body has {text}", run, status)


def body_lacks(text: str) -> AnswerCheck:
    """The body does not have this text in it."""

    def run(answer: HttpAnswer, names: Names) -> None:
        assert str(filled(text, names)) not in answer.body.decode(), answer.body[:1500]

    return AnswerCheck(f"the body lacks {text}", run)


# Rows

Step = SpecRequest | AnswerCheck


@dataclass(frozen=True)
class SpecSentence:
    """A sentence of the specification, or a part of one, and the steps that show it."""

    text: str
    steps: tuple[Step, ...]
    after: tuple[SpecRequest, ...] = ()
    """Calls that restore what the steps changed. They are made when a step fails, too."""

    @property
    def reads(self) -> bool:
        """Whether the row is one call that reads, so that rows with the same call can share its answer."""
        call, *checks = self.steps
        alone = isinstance(call, SpecRequest) and not any(isinstance(step, SpecRequest) for step in checks)
        own = call.tracking or call.patient or call.saved or self.after
        return alone and call.method == "GET" and not own

    def hold(self, program: RunningProgram, names: Names, read: dict[str, HttpAnswer] | None = None) -> None:
        """Run the steps. Raises AssertionError with the call and its answer.

        read: answers that reading rows share."""
        try:
            self._hold(program, names, read if self.reads else None)
        finally:
            for call in self.after:
                call.send(program, names)

    def _hold(self, program: RunningProgram, names: Names, read: dict[str, HttpAnswer] | None) -> None:
        rest = list(self.steps)
        while rest:
            call = rest.pop(0)
            assert isinstance(call, SpecRequest), "a row begins with a call"
            checks: list[AnswerCheck] = []
            while rest and isinstance(rest[0], AnswerCheck):
                checks.append(rest.pop(0))  # type: ignore[arg-type]
            _run(call, checks, program, names, read)


def _run(
    call: SpecRequest,
    checks: list[AnswerCheck],
    program: RunningProgram,
    names: Names,
    read: dict[str, HttpAnswer] | None,
) -> None:
    wanted = next((check.status for check in checks if check.status != 200), None if call.tracking else 200)

    def attempt() -> None:
        shared = {} if read is None else read
        answer = shared.get(repr(call)) or call.send(program, names)
        shared[repr(call)] = answer
        try:
            assert wanted is None or answer.status == wanted, f"HTTP {answer.status}, expected {wanted}"
            for check in checks:
                check.run(answer, names)
            for name, path in call.saved.items():
                value = found(answer.json, str(filled(path, names)))
                assert value is not MISSING, f"{path} is missing"
                names[name] = value
        except (AssertionError, KeyError, ValueError) as fault:
            shown = answer.body[:3000].decode(errors="replace")
            raise AssertionError(f"{call}\n{type(fault).__name__}: {fault}\nHTTP {answer.status}: {shown}") from None

    if not call.patient:
        attempt()
        return
    faults: list[AssertionError] = []

    def holds_now() -> bool:
        faults.clear()
        try:
            attempt()
        except AssertionError as fault:
            faults.append(fault)
        return not faults

    try:
        poll_until(holds_now, seconds=PATIENCE_SECONDS, what="the expected answer")
    except AssertionError:
        raise (faults[0] if faults else AssertionError("no answer")) from None


def sentence(text: str, *steps: Step, after: tuple[SpecRequest, ...] = ()) -> SpecSentence:
    """A row. `after`: calls that restore what it changed for others."""
    return SpecSentence(text, steps, after)


def typed(
    record: str, call: SpecRequest, at: str, fields: Mapping[str, Predicate], *, form: str = ""
) -> list[SpecSentence]:
    """Return a row for each field of a record: it is present and has its type.

    at: the path of the record; with [] or {}, of each record of a list.
    form: an addition to the text, such as "by id".
    """
    judge = every if "[]" in at or "{}" in at else is_
    before = f"{at}." if at else ""
    return [
        SpecSentence(
            f"{record}{f' ({form})' if form else ''}: {name} is {predicate.__name__}",
            (call, judge(f"{before}{name}", predicate)),
        )
        for name, predicate in fields.items()
    ]


def narrowed(
    text: str,
    call: SpecRequest,
    path: str,
    *,
    by: Mapping[str, Any],
    shown: Iterable[Any],
    hidden: Iterable[Any],
    none: Mapping[str, Any] | None = None,
) -> list[SpecSentence]:
    """Return the rows of a filter.

    by: parameters that show some records and hide others; without them all are shown.
    none: parameters that match no record.
    """
    shown, hidden = tuple(shown), tuple(hidden)
    rows = [
        SpecSentence(
            f"{text} shows what matches and hides the rest",
            (call.adding(by), shows(path, *shown), hides(path, *hidden)),
        ),
    ]
    if hidden:
        rows.append(SpecSentence(f"without {text} both are shown", (call, shows(path, *shown, *hidden))))
    if none is not None:
        rows.append(
            SpecSentence(
                f"{text} that matches nothing shows none of them", (call.adding(none), hides(path, *shown, *hidden))
            )
        )
    return rows


Table = list[SpecSentence]


def table(*rows: SpecSentence | list[SpecSentence]) -> Table:
    """The rows of a section. Texts must differ."""
    flat = [row for each in rows for row in (each if isinstance(each, list) else [each])]
    texts = [row.text for row in flat]
    twice = {text for text in texts if texts.count(text) > 1}
    assert not twice, f"texts of several rows: {twice}"
    return flat


def each_row(rows: Table) -> pytest.MarkDecorator:
    """Parametrise a test over rows."""
    return pytest.mark.parametrize("row", rows, ids=[row.text for row in rows])
