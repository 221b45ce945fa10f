"""The pages of the texts of mails (docs/spec/mails.md#own-texts)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.pages import PageReader, Visitor, staff_visitor
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.mails.kinds import NoticeKind

LIST = "/console/settings/mails"
ONE = f"{LIST}/offers.connected"
TYPED = {"subject": "Fresh: {offers}", "body": "Hi {name},\r\n\r\n{offers}", "button": "Take it"}


def sent(visitor: Visitor, path: str, do: str, **fields: str) -> Any:
    """Send the form of a page with a button."""
    shown = visitor.read(path).fields
    return visitor.post(path, form_shown=shown["form_shown"], form_by=shown["form_by"], form_do=do, **fields)


def test_list_leads_to_every_kind_and_each_has_a_preview(api: Api) -> None:
    visitor = staff_visitor(api)
    assert LIST in visitor.read("/console/settings").links
    links = {each for each in visitor.read(LIST).links if each.startswith(f"{LIST}/")}
    assert links == {f"{LIST}/{kind}" for kind in NoticeKind} and len(links) >= 50
    for path in links:
        page = visitor.get(path)
        assert page.status_code == 200
        assert "frame-src 'self'" in page.headers["content-security-policy"]
        [frame] = [given for tag, given in PageReader(page.text).elements if tag == "iframe"]
        assert frame["src"] == f"{path}/preview?language=en"


def test_preview_runs_nothing_and_only_its_own_page_frames_it(api: Api) -> None:
    visitor = staff_visitor(api)
    page = visitor.get(f"{ONE}/preview?language=ru")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'; ") and "frame-ancestors 'self'" in policy
    assert "script-src" not in policy and '<html lang="ru">' in page.text and "Winter boots" in page.text
    assert "frame-ancestors 'none'" in visitor.get(ONE).headers["content-security-policy"]
    assert "frame-src" not in visitor.get(LIST).headers["content-security-policy"]


def test_text_is_previewed_saved_and_set_back_in_its_language(api: Api) -> None:
    visitor = staff_visitor(api)
    path = f"{ONE}?language=es"
    tried = visitor.post(f"{ONE}/preview?language=es", **TYPED)
    assert "Fresh: #7 Winter boots" in tried.text and ">Take it</a>" in tried.text
    assert api.admin.get("/3.1/admin/mail-texts/offers.connected")["mail"]["own"] == []
    saved = sent(visitor, path, "save", **TYPED)
    assert (saved.status_code, saved.headers["location"]) == (303, path)
    page = visitor.read(path)
    assert "Your own text in Español." in page.text and "Back to the default text" in page.text
    assert "The default text in English." in visitor.read(ONE).text
    assert "Español" in visitor.read(LIST).text
    assert "Fresh: #7 Winter boots" in visitor.get(f"{ONE}/preview?language=es").text
    back = visitor.post(f"{ONE}/default?language=es")
    assert (back.status_code, back.headers["location"]) == (303, path)
    assert "The default text in Español." in visitor.read(path).text


def test_fault_is_shown_at_its_field_and_in_the_preview(api: Api) -> None:
    visitor = staff_visitor(api)
    sentence = "This mail has no value {offer}. Did you mean {offers}?"
    for fields in (TYPED | {"body": "{offer}"}, TYPED | {"subject": "{offer}"}):
        answer = sent(visitor, ONE, "save", **fields)
        assert answer.status_code == 400 and sentence in PageReader(answer.text).text
        tried = visitor.post(f"{ONE}/preview?language=en", **fields)
        assert tried.status_code == 400 and sentence in tried.text
    empty = visitor.post(f"{ONE}/preview?language=en", **TYPED | {"body": ""})
    assert empty.status_code == 400


def test_fault_in_the_preview_is_text(api: Api) -> None:
    answer = staff_visitor(api).post(f"{ONE}/preview?language=en", **TYPED | {"body": "{<script>}"})
    assert answer.status_code == 400 and "<script>" not in answer.text and "&lt;script&gt;" in answer.text


def test_test_mail_keeps_what_was_typed(api: Api) -> None:
    visitor = staff_visitor(api)
    answer = sent(visitor, ONE, "try", **TYPED)
    page = PageReader(answer.text)
    assert answer.status_code == 200
    assert f"No mail server is set: the mail to {visitor.login} is written to a file." in page.text
    assert page.fields["subject"] == TYPED["subject"]
    assert api.admin.get("/3.1/admin/mail-texts/offers.connected")["mail"]["own"] == []


@pytest.mark.parametrize("role", [Role.SECTION_NEWS, Role.SECTION_DASHBOARD])
def test_pages_of_texts_are_for_staff_who_may_change_settings(api: Api, role: Role) -> None:
    visitor = staff_visitor(api, role)
    for path in (LIST, ONE, f"{ONE}/preview"):
        assert visitor.get(path).status_code == 403
    assert visitor.post(f"{ONE}/default").status_code == 403
