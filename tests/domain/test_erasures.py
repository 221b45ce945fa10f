"""What was erased, and that nothing of it is in a record that is kept."""

import msgspec
import pytest

from tests.support.events import new_click
from trackyard.domain.platform.erasures import NOTHING_ERASED, PERSONAL, Erased, Erasure, Subject, erased, find_fault
from trackyard.journal.erasing import cleaned
from trackyard.journal.records import Call, Click, Kind, decode_call, decode_click, encode

AT = 1_700_000_000_000
PERSON = {"ip": "203.0.113.9", "ua": "Mozilla/5.0 Someone", "referrer": "https://a.example/me", "user_id": "u-77"}
PERSON |= {"os_id": "os-1", "fbclid": "fb.1", "ios_idfa": "idfa-1", "android_id": "gaid-1"}


def of(*asked: tuple[Subject, str]) -> Erased:
    return Erased.of(Erasure(number, *each, AT) for number, each in enumerate(asked, start=1))


def click(**fields: object) -> Click:
    return new_click(7, **{"affiliate": 5, "time": AT - 1000} | PERSON | fields)


@pytest.mark.parametrize(
    ("asked", "fields", "is_erased"),
    [
        ((Subject.CLICK, f"{7:024x}"), {"id": f"{7:024x}"}, True),
        ((Subject.CLICK, f"{7:024x}"), {"id": f"{7:024x}", "time": AT + 1}, True),
        ((Subject.CLICK, f"{8:024x}"), {"id": f"{7:024x}"}, False),
        ((Subject.USER, "u-77"), {}, True),
        ((Subject.USER, "u-77"), {"time": AT}, True),
        ((Subject.USER, "u-77"), {"time": AT + 1}, False),
        ((Subject.USER, "u-7"), {}, False),
        ((Subject.AFFILIATE, "5"), {}, True),
        ((Subject.AFFILIATE, "5"), {"time": AT + 1}, False),
        ((Subject.AFFILIATE, "55"), {}, False),
    ],
)
def test_an_erasure_covers_what_it_names_until_its_moment(
    asked: tuple[Subject, str], fields: dict[str, object], is_erased: bool
) -> None:
    record = click(**fields)
    kept = erased(of(asked), record)
    if not is_erased:
        assert kept is record
        return
    assert all(getattr(kept, name) == "" for name in PERSONAL["click"])
    rest = [name for name in Click.__struct_fields__ if name not in PERSONAL["click"]]
    assert [getattr(kept, name) for name in rest] == [getattr(record, name) for name in rest]
    assert decode_click(cleaned(of(asked), Kind.CLICK, encode(record))) == kept


def test_nothing_erased_changes_nothing() -> None:
    payload = encode(click())
    assert erased(NOTHING_ERASED, (record := click())) is record
    assert cleaned(NOTHING_ERASED, Kind.CLICK, payload) is payload
    assert cleaned(of((Subject.CLICK, "0" * 24)), Kind.CLICK, payload) is payload
    assert cleaned(of((Subject.USER, "x")), Kind.CLICK, b"[not a click") == b"[not a click"


def test_an_empty_user_id_is_nobodys() -> None:
    what = Erased(users={"": AT}, newest=1)
    assert not what.has(click(user_id=""))
    assert not what.has_call(AT, {"user_id": ""})


@pytest.mark.parametrize(
    ("asked", "knows_click", "is_erased"),
    [
        ((Subject.CLICK, f"{7:024x}"), False, True),
        ((Subject.USER, "u-77"), False, True),
        ((Subject.USER, "u-78"), True, True),
        ((Subject.AFFILIATE, "5"), True, True),
        ((Subject.AFFILIATE, "5"), False, False),
        ((Subject.CLICK, f"{8:024x}"), True, False),
    ],
)
def test_a_call_goes_with_its_click(asked: tuple[Subject, str], knows_click: bool, is_erased: bool) -> None:
    params = {"clickid": f"{7:024x}", "ip": "203.0.113.9", "user_id": "u-77", "goal": "sale", "sum": "5"}
    call = Call(AT - 500, "f" * 24, "postback", "GET", "198.51.100.1", "shop", "ip=203.0.113.9", "body", params)
    clicks = {call.params["clickid"]: click(user_id="u-78")} if knows_click else {}
    kept = decode_call(cleaned(of(asked), Kind.CALL, encode(call), clicks))
    if not is_erased:
        assert kept == call
        return
    assert (kept.ip, kept.ua, kept.query, kept.body) == ("", "", "", "")
    assert kept.params == {"clickid": f"{7:024x}", "goal": "sale", "sum": "5"}
    assert (kept.time, kept.id, kept.source, kept.method) == (call.time, call.id, call.source, call.method)


def test_every_personal_column_of_a_record_is_one_of_its_texts() -> None:
    texts = {each.name for each in msgspec.structs.fields(Click) if each.type is str}
    assert set(PERSONAL["click"]) <= texts


@pytest.mark.parametrize(
    ("subject", "value", "is_right"),
    [
        (Subject.CLICK, "a" * 24, True), (Subject.CLICK, "A" * 24, False), (Subject.CLICK, "", False),
        (Subject.USER, "x", True), (Subject.USER, "x" * 256, False), (Subject.USER, "", False),
        (Subject.AFFILIATE, "12", True), (Subject.AFFILIATE, "²", False), (Subject.AFFILIATE, "-1", False),
    ],
)  # fmt: skip
def test_what_cannot_be_erased_is_said(subject: Subject, value: str, is_right: bool) -> None:
    assert (find_fault(subject, value) is None) == is_right
