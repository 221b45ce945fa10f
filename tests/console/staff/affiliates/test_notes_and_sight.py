"""Notes of staff, and who can see an affiliate."""

from concurrent.futures import ThreadPoolExecutor

from tests.support.api import Api
from tests.support.pages import PageReader, staff_visitor
from tests.support.people_pages import HOSTILE, desk_of
from trackyard.domain.people.roles import Role


def test_note_is_added_on_top_with_its_author_and_time(api: Api) -> None:
    pid, _ = api.add_affiliate(notes="Pays late.")
    advertiser = api.add_advertiser(note="Pays late.")
    visitor = staff_visitor(api)
    for path in (f"/console/affiliates/{pid}", f"/console/advertisers/{advertiser}"):
        answer = visitor.post(f"{path}/note", note=f" {HOSTILE} ")
        assert (answer.status_code, answer.headers["location"]) == (303, f"{path}#notes")
        text = visitor.read(path).text
        assert " UTC · " in text.partition("of staff alone")[2]
        assert "<script>alert" not in visitor.get(path).text
        visitor.post(f"{path}/note", note="  ")
    records = (
        api.admin.get(f"/3.1/admin/partner/{pid}")["partner"]["notes"],
        api.admin.get(f"/3.1/admin/advertiser/{advertiser}")["advertiser"]["note"],
    )
    for record in records:
        head, body, *rest = record.split("\n")
        assert head.startswith("2023-11-14 ")
        assert (body, rest) == (HOSTILE, ["", "Pays late."])


def test_notes_that_two_people_write_at_once_all_stay(api: Api) -> None:
    pid, _ = api.add_affiliate()
    advertiser = api.add_advertiser()
    people = [staff_visitor(api), staff_visitor(api)]

    def write(person: int) -> None:
        for number in range(5):
            for path in (f"/console/affiliates/{pid}", f"/console/advertisers/{advertiser}"):
                assert people[person].post(f"{path}/note", note=f"note {person}.{number}").status_code == 303

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(write, range(2)))
    written = {f"note {person}.{number}" for person in range(2) for number in range(5)}
    for record in (
        api.admin.get(f"/3.1/admin/partner/{pid}")["partner"]["notes"],
        api.admin.get(f"/3.1/admin/advertiser/{advertiser}")["advertiser"]["note"],
    ):
        assert {line for line in record.split("\n") if line.startswith("note ")} == written


def test_note_that_makes_the_notes_too_long_is_refused_and_kept(api: Api) -> None:
    pid, _ = api.add_affiliate(notes="x" * 19_990)
    answer = staff_visitor(api).post(f"/console/affiliates/{pid}/note", note="One more")
    assert answer.status_code == 400
    assert "One more</textarea>" in answer.text
    assert 'role="alert"' in answer.text
    page = PageReader(answer.text)
    assert f"/console/affiliates/{pid}?show=payout" in page.links
    assert not [link for link in page.links if link.startswith(f"/console/affiliates/{pid}/note")]


def test_activity_of_a_person_lists_its_last_changes_to_who_may_see_the_log(api: Api) -> None:
    manager = desk_of(api, Role.MANAGER_AFFILIATE)
    pid, _ = api.add_affiliate(manager_id=manager.manager)
    advertiser, visitor = api.add_advertiser(), staff_visitor(api)
    for what, path in (("affiliate", f"affiliates/{pid}"), ("advertiser", f"advertisers/{advertiser}")):
        visitor.post(f"/console/{path}/note", note="Pays late.")
        page = visitor.read(f"/console/{path}")
        assert "changed: note" in page.text.partition("Activity ")[2], what
        assert any(link.startswith("/console/audit-log?request=") for link in page.links), what
    assert "Activity" not in manager.visitor.read(f"/console/affiliates/{pid}").text


def test_affiliate_page_says_who_can_see_it(api: Api) -> None:
    desk = desk_of(api, Role.MANAGER_AFFILIATE)
    desk_of(api, Role.MANAGER_AFFILIATE)
    section = desk_of(api, Role.SECTION_PARTNER)
    managed, _ = api.add_affiliate(manager_id=desk.manager)
    alone, _ = api.add_affiliate()
    visitor = staff_visitor(api)
    page = visitor.read(f"/console/affiliates/{managed}")
    seen_by = page.text.partition("Who can see this affiliate ")[2]
    assert "Everything: edits staff users" in seen_by
    linked = page.links[page.links.index(f"/console/staff/{desk.manager}") :]
    assert linked.index(f"/console/staff/{section.manager}") == 1
    assert "no affiliate manager sees it" in visitor.read(f"/console/affiliates/{alone}").text
    text = desk.visitor.read(f"/console/affiliates/{managed}").text.partition("Who can see this affiliate ")[2]
    assert "with this role, because of managing it." in text
    assert "Everyone with this role." in text
