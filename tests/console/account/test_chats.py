"""The page where staff users set Slack and Telegram (docs/spec/events.md#chats)."""

from tests.support.api import Api
from tests.support.pages import staff_visitor

PATH = "/console/notices/chats"
TOKEN = "123456789:" + "A" * 35


def test_chat_is_set_tried_and_removed_on_its_page(api: Api) -> None:
    page = staff_visitor(api)
    assert "hooks.slack.com" in page.get(PATH).text
    page.post(PATH, do="set", channel="telegram", token=TOKEN, chat="-1001234567890")
    shown = page.get(PATH).text
    assert "Messages go to -1001234567890." in shown
    assert TOKEN not in shown
    choices = page.get("/console/notices/choices").text
    assert 'name="telegram-question.opened"' in choices
    assert 'name="slack-question.opened"' not in choices
    page.post(PATH, do="remove", channel="telegram")
    assert "Messages go to" not in page.get(PATH).text


def test_page_says_what_is_wrong_at_the_field(api: Api) -> None:
    page = staff_visitor(api)
    refused = page.post(PATH, do="set", channel="telegram", token="1", chat="-100")
    assert refused.status_code == 400
    assert "This is not a token of a bot" in refused.text
    refused = page.post(PATH, do="set", channel="slack", url="http://127.0.0.1/")
    assert "may not be called" in refused.text


def test_test_message_that_is_not_taken_says_why(api: Api) -> None:
    page = staff_visitor(api)
    page.post(PATH, do="set", channel="slack", url="http://name.invalid/hook")
    tried = page.post(PATH, do="test", channel="slack")
    assert "The chat did not take it:" in tried.text
    assert "No message was taken since" in page.get(PATH).text


def test_choices_of_channels_that_are_not_shown_stay(api: Api) -> None:
    page = staff_visitor(api)
    page.post(PATH, do="set", channel="telegram", token=TOKEN, chat="-100")
    page.post("/console/notices/choices", **{"shown-telegram": "1"})
    text = page.get("/console/notices/choices").text
    states = {name: f'name="{name}-question.opened" value="1"' in text for name in ("mail", "bell", "telegram")}
    assert all(states.values())
    boxes = {name: text.split(f'name="{name}-question.opened"')[1].partition(">")[0] for name in states}
    assert {name: " checked" in box for name, box in boxes.items()} == {"mail": True, "bell": True, "telegram": False}
