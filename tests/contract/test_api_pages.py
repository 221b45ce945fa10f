"""docs/api agrees with the declarations, and its examples are real."""

import json

from tests.contract.pages import DIRECTORY, path_of, render_pages, whole_document
from trackyard.api.catalogue import CATALOGUE
from trackyard.wire.openapi.tables import operations


def test_api_pages_are_up_to_date() -> None:
    kept = {path.name: path.read_text() for path in DIRECTORY.glob("*.md")}
    pages = render_pages()
    kept |= {name: path_of(name).read_text() for name in pages if path_of(name).exists()}
    stale = sorted(name for name in pages.keys() | kept.keys() if pages.get(name) != kept.get(name))
    assert not stale, f"script/docs writes {stale} again"


def test_api_summary_is_one_sentence_and_keeps_full_text() -> None:
    texts = {endpoint.id: endpoint.text.split() for endpoint in CATALOGUE}
    for _, _, operation in operations(whole_document()):
        summary, words = operation["summary"], texts[operation["x-method-id"]]
        assert "\n" not in summary and not summary.endswith("."), summary
        described_words = f"{summary}. {operation['description']}".split()
        assert described_words[: len(words)] == words, summary


def test_no_example_sends_what_its_method_does_not_have() -> None:
    answers = json.loads((DIRECTORY.parents[1] / "trackyard" / "api" / "examples.json").read_text())
    assert len(answers) >= 300
    warned = {name for name, each in answers.items() if "is not a parameter" in json.dumps(each["answer"])}
    assert not warned
