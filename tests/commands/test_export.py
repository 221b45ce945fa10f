"""`trackyard export` against a fake API."""

import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.commands.test_progress import FakeTerminal
from trackyard.commands.export import ExportFailed, ExportRequest, export
from trackyard.commands.local_api import ApiClient, ApiError
from trackyard.runtime.settings import CannotStart

ROWS = b"id,text\r\n1,a\r\n" + b"2,b\r\n" * 200_000


@dataclass
class FakeApiAnswer:
    """The answer of the API; an incomplete body breaks off."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = ROWS
    whole: bool = True
    asked: list[str] = field(default_factory=list)
    client: ApiClient = field(default_factory=lambda: ApiClient("", ""))


@pytest.fixture
def fake_api() -> Iterator[FakeApiAnswer]:
    """An API for the command."""
    answer = FakeApiAnswer()

    class ExportApiHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer.asked.append(self.path)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for start in range(0, len(answer.body), 50_000):
                piece = answer.body[start : start + 50_000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if answer.whole:
                self.wfile.write(b"0\r\n\r\n")
            self.close_connection = True

        def log_message(self, *_arguments: Any) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), ExportApiHandler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    answer.client = ApiClient(f"http://127.0.0.1:{server.server_port}", "k")
    yield answer
    server.shutdown()
    thread.join()
    server.server_close()


def wanted(output: Path | str, **more: Any) -> ExportRequest:
    given: dict[str, Any] = {"what": "clicks", "since": "2026-01-01", "until": "2026-01-02", "form": "csv"}
    return ExportRequest(**given | {"output": str(output)} | more)


def test_export_file_is_replaced_only_when_complete(fake_api: FakeApiAnswer, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("old")
    out = io.StringIO()
    export(fake_api.client, wanted(file), out)
    assert file.read_bytes() == ROWS
    assert list(tmp_path.iterdir()) == [file]
    assert out.getvalue().startswith("clicks: ")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_export_broken_off_leaves_no_file(fake_api: FakeApiAnswer, tmp_path: Path, form: str) -> None:
    fake_api.whole = False
    file = tmp_path / "rows"
    file.write_text("old")
    with pytest.raises(ExportFailed, match="broke off"):
        export(fake_api.client, wanted(file, form=form), io.StringIO())
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("stop", ["", "."])
def test_export_rejected_by_api_shows_error(fake_api: FakeApiAnswer, tmp_path: Path, stop: str) -> None:
    fake_api.status, fake_api.body = (
        503,
        b'{"message": "6 exports are running%s", "code": "exports_busy"}' % stop.encode(),
    )
    with pytest.raises(ApiError, match=r"the API answers 503: 6 exports are running\.$"):
        export(fake_api.client, wanted(tmp_path / "rows"), io.StringIO())
    assert list(tmp_path.iterdir()) == []


def test_export_with_unknown_filter_is_an_error(fake_api: FakeApiAnswer, tmp_path: Path) -> None:
    fake_api.headers["X-Ignored-Parameters"] = "filter[offers],filter%5Bx%20y]"
    with pytest.raises(ApiError, match=r".*there is no filter\[offers\], filter\[x y\]"):
        export(fake_api.client, wanted(tmp_path / "rows"), io.StringIO())
    assert list(tmp_path.iterdir()) == []


def test_export_to_unwritable_file_is_an_error(fake_api: FakeApiAnswer, tmp_path: Path) -> None:
    with pytest.raises(ExportFailed, match=r"nowhere/rows cannot be written: No such file or directory\."):
        export(fake_api.client, wanted(tmp_path / "nowhere" / "rows"), io.StringIO())


def test_export_without_running_server_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="start the server first"):
        export(ApiClient("http://127.0.0.1:9", "k"), wanted(tmp_path / "rows"), io.StringIO())


@pytest.mark.parametrize(("form", "shown"), [("csv", "100%"), ("parquet", "1.0 MB")])
def test_export_progress_is_shown_on_terminal(fake_api: FakeApiAnswer, tmp_path: Path, form: str, shown: str) -> None:
    fake_api.headers["X-Total-Count"] = "200001"
    out = FakeTerminal()
    export(fake_api.client, wanted(tmp_path / "rows", form=form), out)
    assert shown in out.getvalue()


@pytest.mark.parametrize(
    ("form", "count", "said"),
    [("csv", "200001", "200,001 rows written"), ("parquet", "1", "1 row written"), ("csv", "0", "0 rows written")],
)
def test_export_says_how_many_rows_were_written(
    fake_api: FakeApiAnswer, tmp_path: Path, form: str, count: str, said: str
) -> None:
    fake_api.headers["X-Total-Count"] = count
    out = io.StringIO()
    export(fake_api.client, wanted(tmp_path / "rows", form=form), out)
    assert out.getvalue().splitlines()[-1] == said


@pytest.mark.parametrize(
    ("more", "path", "params"),
    [
        (
            {"filters": (("offer", "1"), ("offer", "2"), ("country", "DE")), "timezone": "Asia/Kathmandu"},
            "/3.1/stats/clicks",
            {
                "date_from": ["2026-01-01"], "date_to": ["2026-01-02"], "offer[]": ["1", "2"], "country": ["DE"],
                "timezone": ["Asia/Kathmandu"], "format": ["csv"],
            },
        ),
        (
            {"what": "custom", "slices": ("day", "offer"), "filters": (("nonzero", "1"),), "form": "parquet"},
            "/3.1/stats/custom",
            {
                "filter[date_from]": ["2026-01-01"], "filter[date_to]": ["2026-01-02"], "filter[nonzero]": ["1"],
                "slice[]": ["day", "offer"], "format": ["parquet"],
            },
        ),
    ],
)  # fmt: skip
def test_export_request_has_path_and_parameters(
    fake_api: FakeApiAnswer, tmp_path: Path, more: dict[str, Any], path: str, params: dict[str, list[str]]
) -> None:
    export(fake_api.client, wanted(tmp_path / "rows", **more), io.StringIO())
    [asked] = fake_api.asked
    assert urlsplit(asked).path == path
    assert parse_qs(urlsplit(asked).query) == params


def test_export_writes_to_standard_output(fake_api: FakeApiAnswer, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    export(fake_api.client, wanted("-"), io.StringIO())
    assert capfdbinary.readouterr().out == ROWS


def test_export_of_parquet_to_terminal_is_rejected(fake_api: FakeApiAnswer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", FakeTerminal())
    with pytest.raises(ExportFailed, match="--output"):
        export(fake_api.client, wanted("-", form="parquet"), io.StringIO())
    assert fake_api.asked == []


def trackyard(*arguments: str, then: Callable[[subprocess.Popen[bytes]], None]) -> tuple[int, bytes]:
    """Run the command; return its exit status and standard error."""
    program = subprocess.Popen(
        [sys.executable, "-m", "trackyard", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with program:
        then(program)
        _, said = program.communicate(timeout=60)
    return program.returncode, said


def test_command_with_closed_output_has_no_traceback() -> None:
    def leave(program: subprocess.Popen[bytes]) -> None:
        assert program.stdout is not None
        program.stdout.close()
        program.stdout = None

    assert trackyard("settings", then=leave) == (141, b"")


DAYS = ("--from", "2026-01-01", "--to", "2026-01-01")


@pytest.mark.parametrize("wrong", [(), ("offers", *DAYS), ("clicks", *DAYS, "--filter", "x"), ("clicks", *DAYS[:2])])
def test_export_command_with_wrong_arguments_exits_with_2(wrong: tuple[str, ...]) -> None:
    status, said = trackyard("export", *wrong, then=lambda _: None)
    assert status == 2
    assert b"Traceback" not in said


def test_command_failure_is_one_sentence_and_an_exit_code(tmp_path: Path) -> None:
    asked = ("export", "clicks", *DAYS, "--output", str(tmp_path / "rows"))
    config = tmp_path / "trackyard.toml"
    config.write_text(f'data_dir = "{tmp_path / "none"}"\n')
    status, said = trackyard(*asked, "--config", str(config), then=lambda _: None)
    assert (status, said.count(b"\n"), said.startswith(b"trackyard: there is no installation")) == (3, 1, True)
