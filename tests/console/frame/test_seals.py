"""Texts that browsers hold: a text of another purpose is a clean refusal in each place."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.pages import PASSWORD, PageReader, Visitor, console_app, staff_visitor
from trackyard.console.account.sign_in import CODE_MS
from trackyard.console.seals import SealPurpose, SignaturePurpose, seal, sign
from trackyard.domain.people.callers import Account, AccountKind

FORM_PAGE = "/console/advertisers/new"
SEALED_PLACES = {
    "step": SealPurpose.SIGN_IN_STEP,
    "kept": SealPurpose.KEPT_FORM,
    "form_by": SealPurpose.FORM,
    "look": SealPurpose.LOOK,
    "form_token": SignaturePurpose.FORM_TOKEN,
    "message": SignaturePurpose.MESSAGE,
}
"""Where a browser sends such a text, and the purpose that is right there."""
STRANGE = ("stored", "session", "nothing", "text", "Umlaut", "base64")


@dataclass(frozen=True)
class SealedTexts:
    """A staff user who is signed in, and the texts of every purpose, made for this person."""

    api: Api
    staff: Visitor
    texts: dict[str, str]

    def stranger(self) -> Visitor:
        """Return a browser without a session."""
        return Visitor(console_app(self.api))


@pytest.fixture
def world(api: Api) -> SealedTexts:
    """The texts are those that the program makes, with what each needs to work."""
    staff, cipher = staff_visitor(api), api.deps.cipher
    pid, _ = api.add_affiliate()
    found = api.admin.get("/3.1/admin/users", limit=100)["users"]
    [own] = [each["id"] for each in found if each["email"] == staff.login]
    account, key = Account(AccountKind.STAFF, own).name, staff.client.cookies["trackyard"]
    staff.client.post(f"/console/affiliates/{pid}/look-as", data={"form_token": sign(key, SignaturePurpose.FORM_TOKEN)})
    look, soon = staff.client.cookies["trackyard-look"], api.clock.now_ms() + CODE_MS
    staff.client.cookies.delete("trackyard-look")
    texts = {
        SealPurpose.SIGN_IN_STEP: seal(cipher, SealPurpose.SIGN_IN_STEP, staff.login, PASSWORD, soon),
        SealPurpose.KEPT_FORM: seal(cipher, SealPurpose.KEPT_FORM, account, FORM_PAGE, [["title", "Kept"]], soon),
        SealPurpose.FORM: seal(cipher, SealPurpose.FORM, account, FORM_PAGE),
        SealPurpose.LOOK: look,
        SignaturePurpose.FORM_TOKEN: sign(key, SignaturePurpose.FORM_TOKEN),
        SignaturePurpose.MESSAGE: sign(key, SignaturePurpose.MESSAGE, "Zm9ybQ=="),
        "stored": cipher.encrypt("a stored secret"),
        "session": key,
        "nothing": "",
        "text": "x",
        "Umlaut": "Übung",
        "base64": "gAAAAAA=",
    }
    return SealedTexts(api, staff, texts)


def _is_step(world: SealedTexts, text: str) -> bool:
    answer = world.stranger().client.post("/sign-in", data={"step": text})
    assert answer.status_code in (303, 400), answer.text[:1000]
    return bool(answer.status_code == 303)


def _is_kept(world: SealedTexts, text: str) -> bool:
    answer = world.stranger().sign_in(world.staff.login, kept=text)
    assert answer.status_code in (200, 303), answer.text[:1000]
    return bool(answer.status_code == 200)


def _is_form_by(world: SealedTexts, text: str) -> bool:
    answer = world.stranger().client.post(FORM_PAGE, data={"form_by": text, "title": "Kept"})
    assert answer.status_code == 401, answer.text[:1000]
    return bool(PageReader(answer.text).fields.get("kept"))


def _is_look(world: SealedTexts, text: str) -> bool:
    answer = _with_cookie(world.staff, "trackyard-look", text, "/portal/")
    assert answer.status_code in (200, 403), answer.text[:1000]
    return bool(answer.status_code == 200)


def _is_form_token(world: SealedTexts, text: str) -> bool:
    answer = world.staff.client.post("/console/profile/preferences", data={"form_token": text})
    assert answer.status_code in (200, 303, 400, 403), answer.text[:1000]
    return bool(answer.status_code != 403)


def _is_message(world: SealedTexts, text: str) -> bool:
    """A message is a text and its signature. The text of a form's token was `form`, not Unicode."""
    answers = [
        _with_cookie(world.staff, "trackyard-message", value, "/console/profile")
        for value in (f"Zm9ybQ==.{text}", f"form.{text}", f".{text}", text)
    ]
    assert [answer.status_code for answer in answers] == [200] * 4
    return any("form" in _messages(answer.text) for answer in answers)


def _messages(content: str) -> list[str]:
    return [word for word in PageReader(content).words if word == "form"]


def _with_cookie(visitor: Visitor, name: str, value: str, path: str) -> Any:
    session = visitor.client.cookies["trackyard"]
    return Visitor.get(visitor, path, headers={"cookie": f"trackyard={session}; {name}={value}".encode()})


READERS: dict[str, Callable[[SealedTexts, str], bool]] = {
    "step": _is_step,
    "kept": _is_kept,
    "form_by": _is_form_by,
    "look": _is_look,
    "form_token": _is_form_token,
    "message": _is_message,
}


def test_every_purpose_has_a_place_and_every_place_a_reader() -> None:
    assert sorted(SEALED_PLACES.values()) == sorted([*SealPurpose, *SignaturePurpose])
    assert READERS.keys() == SEALED_PLACES.keys()


@pytest.mark.parametrize("place", READERS)
def test_text_of_another_purpose_is_a_clean_refusal_in_each_place(world: SealedTexts, place: str) -> None:
    taken = [purpose for purpose, text in world.texts.items() if READERS[place](world, text)]
    assert taken == [SEALED_PLACES[place]]
    assert len(world.texts) == len(SEALED_PLACES) + len(STRANGE) == 12
