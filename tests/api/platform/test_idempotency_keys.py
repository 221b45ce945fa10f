"""Idempotency-Key: a repeated write happens once and gets its first answer.

See docs/spec/api-conventions.md#idempotency.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import delete, event, func, select, update

from tests.support.api import Api, installed
from tests.support.pictures import png
from trackyard.actions.platform.idempotency import REPLAY_WINDOW_MS, IdempotentRequest, run_once
from trackyard.actions.platform.installation import reencrypt_secrets
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.errors import Conflict
from trackyard.base.secrets import SecretCipher
from trackyard.domain.people.roles import Role
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.store.engine.database import Database
from trackyard.store.tables import advertiser, api_key, first_answer
from trackyard.wire.http.idempotency import idempotent_request_of

SHOP = {"title": "Shop"}
ADD = "/3.1/admin/advertiser"


@pytest.fixture
def any_api(database: Database, analytics: Analytics) -> Api:
    """A fresh installation on each SQL engine."""
    return installed(database, analytics)


def send(api: Api, key: str, path: str = ADD, method: str = "POST", **request: Any) -> Any:
    """A write with an Idempotency-Key."""
    request = request or {"data": SHOP}
    return api.admin.call(method, path, headers={"Idempotency-Key": key}, **request)


def advertisers(api: Api) -> int:
    with api.deps.database.read() as conn:
        return int(conn.execute(select(func.count()).select_from(advertiser)).scalar_one())


def test_idempotency_key_replay_returns_first_answer(any_api: Api) -> None:
    first, again = (send(any_api, "k-1", data=SHOP | {"typo": "1"}) for _ in range(2))
    assert first.status_code == again.status_code == 200
    assert first.content == again.content
    assert first.headers["x-ignored-parameters"] == again.headers["x-ignored-parameters"] == "typo"
    assert (first.headers.get("idempotency-replayed"), again.headers["idempotency-replayed"]) == (None, "true")
    assert advertisers(any_api) == 1
    assert send(any_api, "k-2").json() != first.json()
    assert any_api.admin.call("POST", ADD, data=SHOP).json() != first.json()
    assert advertisers(any_api) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"data": {"title": "Other"}},
        {"data": SHOP, "params": {"note": "x"}},
        {"data": SHOP, "path": "/3.0/admin/advertiser"},
        {"data": SHOP, "path": "/3.1/admin/offer"},
    ],
)
def test_idempotency_key_with_different_request_is_409(api: Api, other: dict[str, Any]) -> None:
    assert send(api, "k").status_code == 200
    refused = send(api, "k", **other)
    assert (refused.status_code, list(refused.json()["fields"])) == (409, ["Idempotency-Key"])
    assert advertisers(api) == 1


@pytest.mark.parametrize(
    "same",
    [
        {"data": {"title": "Shop", "note": "n"}},
        {"data": {"note": "n", "title": "Shop"}},
        {"files": [("title", (None, "Shop")), ("note", (None, "n"))]},
        {"json": {"title": "Shop", "note": "n"}},
        {"data": {"title": "Shop"}, "params": {"note": "n"}},
    ],
)
def test_idempotency_key_compares_parameters_not_bytes(api: Api, same: dict[str, Any]) -> None:
    first = send(api, "k", data={"title": "Shop", "note": "n"})
    assert send(api, "k", **same).content == first.content
    assert advertisers(api) == 1


def test_idempotency_key_compares_files(api: Api) -> None:
    offer = api.add_offer()

    def upload(content: bytes) -> Any:
        files = [("creativeFiles[]", ("a.png", content, "image/png"))]
        return send(api, "k", f"/3.0/admin/offer/{offer}", files=files)

    first = upload(png(1, 2))
    assert upload(png(1, 2)).content == first.content
    assert upload(png(2, 1)).status_code == 409
    shown = api.admin.get(f"/3.0/offer/{offer}")["offer"]
    assert len(shown["creatives"]) == 1


def test_idempotency_key_is_scoped_to_caller(api: Api) -> None:
    first = send(api, "k")
    _, other = api.add_staff(Role.ADMIN)
    answer = other.call("POST", ADD, data=SHOP, headers={"Idempotency-Key": "k"})
    assert answer.status_code == 200
    assert answer.json() != first.json()


def test_idempotency_key_expires_after_a_day(any_api: Api) -> None:
    first = send(any_api, "k")
    any_api.clock.advance(REPLAY_WINDOW_MS - 1)
    assert send(any_api, "k").content == first.content
    any_api.clock.advance(1)
    second = send(any_api, "k", data={"title": "Other"})
    assert second.json()["advertiser"]["title"] == "Other"
    assert send(any_api, "k", data={"title": "Other"}).content == second.content
    assert advertisers(any_api) == 2


def test_idempotency_key_does_not_store_rejections(any_api: Api) -> None:
    assert send(any_api, "k", data={"title": ""}).status_code == 400
    assert send(any_api, "k").status_code == 200
    body = {"email": "a@affiliate.example", "password": "long-enough"}
    any_api.add_affiliate(**body)
    assert send(any_api, "k-2", "/3.0/admin/partner", data=body).status_code == 409
    renamed = body | {"email": "b@affiliate.example"}
    made = send(any_api, "k-2", "/3.0/admin/partner", data=renamed)
    assert made.status_code == 200
    assert send(any_api, "k-2", "/3.0/admin/partner", data=renamed).content == made.content


def test_idempotency_key_replays_removal_answer(api: Api) -> None:
    source = api.admin.post("/3.0/admin/offer/source", **{"title_lang[en]": "S"})["source"]["id"]
    path = f"/3.0/admin/offer/source/{source}"
    first = send(api, "k", path, "DELETE", params={})
    assert first.status_code == 200
    assert send(api, "k", path, "DELETE", params={}).content == first.content
    assert send(api, "k-2", path, "DELETE", params={}).status_code == 404


def test_idempotency_key_in_parallel_requests_writes_once(any_api: Api) -> None:
    start = threading.Barrier(6)

    def attempt(number: int) -> Any:
        start.wait(10)
        return send(any_api, "k", data=SHOP if number < 5 else {"title": "Other"})

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(attempt, range(6)))
    assert advertisers(any_api) == 1
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses in ([200] * 5 + [409], [200] + [409] * 5)
    assert len({answer.content for answer in answers if answer.status_code == 200}) == 1


def test_idempotency_key_answer_that_cannot_be_stored_rolls_back_write(any_api: Api) -> None:
    engine = any_api.deps.database._engine

    def fail(_conn: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("UPDATE first_answer"):
            raise OSError("the disk is gone")

    event.listen(engine, "before_cursor_execute", fail)
    assert send(any_api, "k").status_code == 500
    event.remove(engine, "before_cursor_execute", fail)
    assert advertisers(any_api) == 0
    assert send(any_api, "k").status_code == 200
    assert advertisers(any_api) == 1


def test_idempotency_key_replay_adds_no_audit_record(api: Api) -> None:
    made = send(api, "k").json()["advertiser"]["id"]
    send(api, "k")
    found = api.admin.get("/3.1/admin/audit", key=made)["audit"]
    assert [record["what"] for record in found] == ["advertiser"]


def test_idempotency_key_answers_are_encrypted_at_rest(api: Api) -> None:
    body = {"email": "a@affiliate.example", "password": "long-enough"}
    key = send(api, "k", "/3.0/admin/partner", data=body).json()["partner"]["api_key"]
    with api.deps.database.read() as conn:
        rows = conn.execute(select(first_answer)).all()
    assert len(rows) == 1
    assert key not in str(rows)


def test_idempotency_key_request_with_password_is_stored_as_no_plain_digest(api: Api) -> None:
    seen: list[str] = []

    def noted(owner: str, key: str, *request: Any) -> IdempotentRequest:
        made = idempotent_request_of(owner, key, *request)
        seen.append(made.digest)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trackyard.wire.http.handler_run.idempotent_request_of", noted)
        send(api, "k", "/3.0/admin/partner", data={"email": "a@affiliate.example", "password": "sesame"})
    with api.deps.database.read() as conn:
        [row] = conn.execute(select(first_answer)).all()
    assert len(seen) == 1 and seen[0] not in str(row), "a guess at the password cannot be checked without the key"
    assert seen[0] in api.deps.cipher.decrypt(row.sealed)


def test_idempotency_key_of_before_the_encrypted_digest_is_still_replayed(any_api: Api) -> None:
    first = send(any_api, "k")
    cipher = any_api.deps.cipher
    with any_api.deps.database.write() as conn:
        digest, _, answer = cipher.decrypt(conn.execute(select(first_answer.c.sealed)).scalar_one()).partition("\n")
        conn.execute(update(first_answer).values(asked=digest, sealed=cipher.encrypt(answer)))
    assert send(any_api, "k").content == first.content
    assert send(any_api, "k", data={"title": "Other"}).status_code == 409
    assert advertisers(any_api) == 1


def test_idempotency_key_is_replayed_after_rotation_of_the_secret_key(any_api: Api) -> None:
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    deps, asked = replace(any_api.deps, cipher=SecretCipher(old)), IdempotentRequest("owner", "k", "d" * 64)
    assert run_once(deps, asked, lambda: "first") == ("first", False)
    with deps.database.write() as conn:
        conn.execute(delete(api_key))  # of another secret key
    assert reencrypt_secrets(deps.database, SecretCipher(new, old)) == 1
    rotated = replace(deps, cipher=SecretCipher(new))
    assert run_once(rotated, asked, lambda: "second") == ("first", True)
    with pytest.raises(Conflict):
        run_once(rotated, replace(asked, digest="e" * 64), lambda: "second")


@pytest.mark.parametrize("key", ["", " ", "a\tb", "x" * 256])
def test_idempotency_key_of_invalid_form_is_rejected(api: Api, key: str) -> None:
    refused = send(api, key)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["Idempotency-Key"])
    assert advertisers(api) == 0
    assert send(api, "x" * 255).status_code == 200


def test_idempotency_key_is_ignored_by_reads_and_sign_ins(api: Api) -> None:
    named = {"email": "mia@staff.example", "password": "sesame", "first_name": "Mia", "last_name": "Moe"}
    api.admin.post("/3.0/admin/user", **named)
    sessions = [send(api, "k", "/3.1/auth", data={"login": named["email"], "password": "sesame"}) for _ in range(2)]
    assert len({session.json()["api_key"] for session in sessions}) == 2
    before = send(api, "k", "/3.1/admin/advertisers", "GET", params={}).json()
    api.add_advertiser()
    assert send(api, "k", "/3.1/admin/advertisers", "GET", params={}).json() != before


def test_idempotency_key_old_answers_are_removed(api: Api) -> None:
    schedule = JobScheduler(api.deps.database, api.deps.zone, api.clock)
    send(api, "k-1")
    api.clock.advance(REPLAY_WINDOW_MS // 2)
    send(api, "k-2")
    assert schedule.forget_answers() == 0
    api.clock.advance(REPLAY_WINDOW_MS // 2)
    assert schedule.forget_answers() == 1
    assert schedule.forget_answers() == 0
    assert send(api, "k-2").headers["idempotency-replayed"] == "true"


def test_idempotency_key_does_not_bypass_sign_up_limit(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trackyard.actions.people.sign_up.sign_ups.SIGN_UPS_PER_NETWORK", 3)
    taken = {"email": "a@affiliate.example", "password": "long enough for all"}
    api.add_affiliate(**taken)
    stranger = api.admin.with_key(None)

    def sign_up(key: str) -> int:
        sent = stranger.call("POST", "/3.1/partner", data=taken, headers={"Idempotency-Key": key})
        return int(sent.status_code)

    assert [sign_up(f"k-{number}") for number in range(3)] == [200] * 3
    assert sign_up("another") == 429
