"""Applicants hear of a decision with the words that were typed (docs/spec/people.md#sign-ups)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.events import make_notices
from tests.support.pages import Visitor, console_app, staff_visitor
from tests.support.processes.mails import mails
from trackyard.domain.people.roles import Role

EMAIL = "apply@applicant.example"
WORDS = "Welcome. Start with {offer} & <Winter boots>."
CHOSEN = "twelve letters long"
LISTS = {"affiliate": "/console/affiliates", "advertiser": "/console/advertisers"}
PATHS = {"affiliate": "/3.1/admin/partner", "advertiser": "/3.1/admin/advertiser"}
HOMES = {"affiliate": "/portal/", "advertiser": "/advertiser/"}
every_kind = pytest.mark.parametrize("kind", LISTS)


def apply(api: Api, kind: str) -> tuple[str, Visitor]:
    """Sign up, with an answer to a question of the network; return the page for staff, and the applicant."""
    anyone = api.admin.with_key(None)
    if kind == "affiliate":
        number = api.admin.post("/3.1/admin/custom_fields", name="Where do you advertise?", required="0")["field"]["id"]
        sent = {"email": EMAIL, "password": CHOSEN, f"custom_fields[{number}]": "On Mastodon"}
        anyone.post("/3.1/partner", **sent)
        [signed_up] = api.admin.get("/3.1/admin/partners", search=EMAIL)["partners"]
        page = f"/console/affiliates/{signed_up['id']}"
    else:
        anyone.post("/3.1/advertiser/registration", email=EMAIL, password=CHOSEN, title="Lucky Basket")
        [found] = api.admin.get("/3.1/admin/advertisers", search=EMAIL)["advertisers"]
        page = f"/console/advertisers/{found['id']}"
    return page, Visitor(console_app(api))


def mailed(api: Api) -> list[Any]:
    make_notices(api.deps.database, api.clock.now_ms())
    return [each for each in mails(api) if each.recipient == EMAIL and each.subject.startswith("Your account is")]


def status(api: Api, kind: str, page: str) -> Any:
    answer = api.admin.get(f"{PATHS[kind]}/{page.rpartition('/')[2]}")
    return (answer.get("partner") or answer["advertiser"])["status"]


@every_kind
def test_applicant_is_approved_in_the_row_and_reads_the_words(api: Api, kind: str) -> None:
    page, applicant = apply(api, kind)
    visitor, listed = staff_visitor(api), f"{LISTS[kind]}?status=on+moderation"
    assert "1 waits for approval." in visitor.read(LISTS[kind]).text
    row = visitor.read(listed)
    assert "Approve" in row.text and "Reject" in row.text and row.fields["message"] == ""
    done = visitor.post(f"{page}/status", status="active", message=WORDS, back=listed)
    assert done.headers["location"] == listed
    [mail] = mailed(api)
    assert mail.subject == "Your account is approved" and WORDS in mail.body
    assert applicant.sign_in(EMAIL, CHOSEN).headers["location"] == HOMES[kind]
    bell = applicant.read(f"{HOMES[kind]}notices").text
    assert "Your account is approved" in bell and WORDS in bell
    assert "waits for approval" not in visitor.read(LISTS[kind]).text


@every_kind
def test_applicant_is_rejected_with_words(api: Api, kind: str) -> None:
    page, applicant = apply(api, kind)
    staff_visitor(api).post(f"{page}/status", status="not active", message=WORDS)
    [mail] = mailed(api)
    assert mail.subject == "Your account is not active" and WORDS in mail.body
    refused = applicant.sign_in(EMAIL, CHOSEN)
    assert refused.status_code == 401
    assert kind == "advertiser" or "Start with" in refused.text


@every_kind
def test_page_of_an_applicant_has_the_decision_on_top_and_then_in_its_activity(api: Api, kind: str) -> None:
    page, _ = apply(api, kind)
    visitor = staff_visitor(api)
    before = visitor.read(page).text
    top = before.index("Waits for approval")
    assert top < before.index("Activity")
    if kind == "affiliate":
        assert top < before.index("Where do you advertise?") < before.index("On Mastodon") < before.index("Activity")
        assert before.count("On Mastodon") == 1
    visitor.post(f"{page}/status", status="not active", message="No traffic yet")
    rejected = visitor.read(page).text
    assert "Waits for approval" not in rejected
    assert "On moderation → Not active" in rejected[rejected.index("Activity") :]
    assert "(No traffic yet)" in rejected[rejected.index("Activity") :]
    visitor.post(f"{page}/status", status="active", message="Welcome back")
    assert "Not active → Active" in (text := visitor.read(page).text) and "(Welcome back)" in text


@every_kind
def test_words_without_a_decision_are_refused(api: Api, kind: str) -> None:
    page, _ = apply(api, kind)
    path = f"{PATHS[kind]}/{page.rpartition('/')[2]}"
    for sent in ({"message": WORDS}, {"message": WORDS, "status": "on moderation"}):
        assert api.admin.refusal("POST", path, data=sent) == (400, ["message"])
    assert (status(api, kind, page), mailed(api)) == ("on moderation", [])
    visitor = staff_visitor(api)
    visitor.post(f"{page}/status", status="active")
    again = visitor.post(f"{page}/status", status="active", message=WORDS)  # another person was faster
    assert again.status_code == 400 and len(mailed(api)) == 1


@every_kind
def test_staff_without_the_right_see_no_form_and_decide_nothing(api: Api, kind: str) -> None:
    page, _ = apply(api, kind)
    role = Role.MANAGER_SALES if kind == "affiliate" else Role.MANAGER_AFFILIATE
    visitor = staff_visitor(api, role)
    assert visitor.post(f"{page}/status", status="active", message=WORDS).status_code in (403, 404)
    assert status(api, kind, page) == "on moderation"


def test_notice_of_a_decision_has_the_words_apart_from_its_line(api: Api) -> None:
    page, _ = apply(api, "affiliate")
    number = page.rpartition("/")[2]
    key: ApiClient = api.admin.with_key(api.admin.get(f"/3.1/admin/partner/{number}")["partner"]["api_key"])
    api.admin.post(f"/3.1/admin/partner/{number}", status="active", message=WORDS)
    make_notices(api.deps.database, api.clock.now_ms())
    [notice] = key.get("/3.1/notices")["notices"]
    assert (notice["text"], notice["words"]) == ("Your account is approved", WORDS)
