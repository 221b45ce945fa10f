"""The tracking reference has every declaration of the code, each with words of its own."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
from starlette.datastructures import Headers

from tests.arch.words import BANNED_WORD
from tests.contract.guides import DIRECTORY, render_guides
from tests.support.wording import adds_nothing
from trackyard.api.catalogue import CATALOGUE
from trackyard.api.tracking.reference import names_of, tracking_guides
from trackyard.commands.main import root as command_group
from trackyard.decision.target.deep_links import _PARAMETERS as DEEP_LINK_PARAMETERS
from trackyard.decision.target.templates import _PARAMETERS as MACRO_PARAMETERS
from trackyard.decision.target.url import _VISITOR_MACROS
from trackyard.domain.conversions.conversions import DeclineReason
from trackyard.domain.conversions.postbacks import PostbackError
from trackyard.domain.conversions.statuses import SENT_STATUSES, STATUS_NUMBERS, Status
from trackyard.domain.offers.choices import REDIRECT_MEANINGS, RedirectType
from trackyard.domain.statistics.click_columns import Source, columns_from
from trackyard.domain.tracking.macro_registry import MACROS, MacroPlace
from trackyard.domain.tracking.outbound_calls import DeliveryOutcome
from trackyard.domain.tracking.postback_params import CLICK_ID_ALIASES, PIXEL_PARAMETERS, POSTBACK_PARAMETERS
from trackyard.domain.tracking.reference.texts import reference_texts
from trackyard.domain.tracking.rejections import REJECTION_REASONS
from trackyard.edge.endpoints.impressions import _IMPRESSIONS_NOT_ALLOWED, _PARAMETER_NAMES
from trackyard.journal.records import ClickFlag
from trackyard.runtime.settings import SETTINGS
from trackyard.wire.openapi.viewer.site import Documented, docs_branch

PACKAGE: Final = Path(__file__).parents[3] / "trackyard"
CLICK_CODE: Final = (
    *(PACKAGE / "edge" / "endpoints" / f"{name}.py" for name in ("clicks", "hits", "impressions", "smartlinks")),
    PACKAGE / "edge" / "endpoints" / "server_to_server.py",
    *sorted((PACKAGE / "decision").rglob("*.py")),
)
_SERIES: Final = re.compile(r"\{([a-z_]+)(\d)\} to \{\1(\d)\}")


def described(subject: str) -> set[str]:
    """Return the names of parameters that the texts have."""
    return {name for written in reference_texts("parameters")[subject] for name in names_of(written)}


def read_parameters(path: Path) -> Iterator[str]:
    """Yield the names by which a module reads `params`: in brackets, by get and pop, and with `in`."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Subscript(value=held, slice=ast.Constant(value=str(name))) if is_params(held):
                yield name
            case ast.Call(
                func=ast.Attribute(value=held, attr="get" | "pop"), args=[ast.Constant(value=str(name)), *_]
            ) if is_params(held):
                yield name
            case ast.Compare(left=ast.Constant(value=str(name)), comparators=[held]) if is_params(held):
                yield name


def is_params(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id == "params") or (
        isinstance(node, ast.Attribute) and node.attr == "params"
    )


@cache
def markdown(guide: str, title: str) -> str:
    """Return a section of the reference."""
    found = next(each for each in tracking_guides() if each.name == guide)
    return next(section.markdown for section in found.sections if section.title == title)


def macros_in(text: str) -> set[str]:
    """Return the macros of a text; `{sub1} to {sub8}` are eight."""
    spread = _SERIES.sub(lambda m: " ".join(f"{{{m[1]}{n}}}" for n in range(int(m[2]), int(m[3]) + 1)), text)
    return set(re.findall(r"\{([a-z_0-9]+)\}", spread))


def default_of(setting: str) -> Any:
    declared = SETTINGS[setting]
    return declared.parse(declared.default)


def stem(page: Path) -> str:
    return page.stem


def each_text(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Yield the names and sentences of texts."""
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from each_text(inner, key)
        elif key in ("text", "advice"):
            yield name, inner


SENTENCES: Final = (
    *(
        pair
        for file in ("parameters", "results", "choices")
        for section in reference_texts(file).values()
        if isinstance(section, dict)
        for pair in each_text(section, "")
    ),
    *((macro.name, f"{macro.meaning}.") for macro in MACROS),
    *((kind.value, meaning) for kind, meaning in REDIRECT_MEANINGS.items()),
)


def test_reference_has_every_parameter_that_a_click_reads() -> None:
    read = {name for path in CLICK_CODE for name in read_parameters(path)}
    read |= {*columns_from(Source.PARAMETER), *DEEP_LINK_PARAMETERS, *MACRO_PARAMETERS, *_PARAMETER_NAMES}
    assert len(read) > 25
    assert described("click") | described("smartlink") | described("impression") == read
    assert described("smartlink") == {"id"} and described("impression") == set(_PARAMETER_NAMES)


def test_reference_has_every_parameter_of_postbacks_and_pixels() -> None:
    assert described("postback") == POSTBACK_PARAMETERS
    assert described("pixel") == {*PIXEL_PARAMETERS, "offer_id"}
    text = reference_texts("parameters")["postback"]["clickid"]["text"]
    assert all(f"`{alias}`" in text for alias in CLICK_ID_ALIASES)


def test_reference_has_every_result_in_the_order_of_the_checks() -> None:
    results = reference_texts("results")
    assert list(results["rejections"]) == [*REJECTION_REASONS, _IMPRESSIONS_NOT_ALLOWED.reason]
    assert list(results["faults"]) == [each.value for each in PostbackError]
    assert list(results["declines"]) == [each.value for each in DeclineReason]
    assert list(results["deliveries"]) == [each.value for each in DeliveryOutcome]


def test_reference_has_a_short_label_for_every_reason() -> None:
    labels = [text["label"] for text in reference_texts("results")["rejections"].values()]
    assert len(labels) == len(set(labels))
    assert all(1 <= len(label.split()) <= 4 for label in labels)


def test_reference_has_every_status_redirect_type_and_flag() -> None:
    choices = reference_texts("choices")
    assert list(choices["statuses"]) == [each.value for each in Status]
    assert list(REDIRECT_MEANINGS) == list(RedirectType)
    assert list(choices["flags"]) == [each.name for each in ClickFlag]


def test_reference_shows_numbers_and_sent_values_of_statuses() -> None:
    table = markdown("conversions", "Statuses")
    assert "| `declined` | 3 | 3 or 4 |" in table and "| `pending_cap` | 6 | cannot be sent |" in table
    for number, status in SENT_STATUSES.items():
        assert re.search(rf"\| `{status.value}` \| {STATUS_NUMBERS[status]} \|[^|]*{number}", table)


def test_reference_shows_every_macro_at_its_place() -> None:
    for place, guide, title in (
        (MacroPlace.OFFER_URL, "clicks", "Macros of offers"),
        (MacroPlace.POSTBACK, "affiliate-postbacks", "Macros of postbacks"),
    ):
        shown = re.findall(r"^\| `\{(\w+)\}` \|", markdown(guide, title), re.MULTILINE)
        assert shown == [macro.name for macro in MACROS if place in macro.places]
    visible = markdown("clicks", "Deep links").partition("only the macros")[2]
    assert macros_in(visible) == _VISITOR_MACROS


@pytest.mark.parametrize("subject", ["limits", "delays"])
def test_reference_limits_are_those_of_the_code(subject: str) -> None:
    compared = 0
    for each in reference_texts("limits")[subject]:
        if "from" not in each:
            continue
        place, _, name = each["from"].rpartition(".")
        value = default_of(name) if place.endswith(".Config") else getattr(import_module(place), name)
        assert value == (tuple(each["number"]) if isinstance(each["number"], list) else each["number"]), each
        compared += 1
    assert compared >= 3


def test_reference_texts_are_sentences_with_words_of_their_own() -> None:
    assert len(SENTENCES) > 200
    assert not [
        text for _, text in SENTENCES if not text.endswith((".", ":")) or (not text[0].isupper() and text[0] != "`")
    ]
    assert not [name for name, text in SENTENCES if adds_nothing(name, text)]
    assert not [text for _, text in SENTENCES if BANNED_WORD.search(text)]


def test_reference_is_in_docs_with_links_that_lead_somewhere() -> None:
    site = docs_branch(Documented((), version="1", guides=tracking_guides))
    paths = [f"/docs/3.1/guides/{guide.name}" for guide in tracking_guides()]
    pages = {path: bytes(site(path.removeprefix("/docs"), Headers()).body).decode() for path in paths}
    ids = {f"{path}#{name}" for path, page in pages.items() for name in re.findall(r' id="([^"]+)"', page)}
    links = {
        f"{place or path}#{name}"
        for path, page in pages.items()
        for place, name in re.findall(r'href="([^"#]*)#(guide-[^"]+)"', page)
    }
    assert links and links <= ids
    anchors = {guide.anchor_of(section) for guide in tracking_guides() for section in guide.sections}
    assert anchors <= {link.partition("#")[2] for link in links}
    page = "".join(pages.values())
    assert all(word in page for word in ("afuniq_{offer_id}", "<code>{order_sum}</code>", "mistargeting-isp"))


def test_reference_pages_are_up_to_date() -> None:
    kept = {path.name: path.read_text() for path in DIRECTORY.glob("*.md")}
    pages = render_guides()
    stale = sorted(name for name in pages.keys() | kept.keys() if pages.get(name) != kept.get(name))
    assert not stale, f"script/docs writes {stale} again"


@pytest.mark.parametrize("page", [*sorted(DIRECTORY.glob("*.md")), DIRECTORY.parent / "troubleshooting.md"], ids=stem)
def test_page_names_methods_commands_and_settings_that_exist(page: Path) -> None:
    text = page.read_text()
    methods = {(endpoint.method, re.sub(r"\{\w+\}", "{id}", endpoint.path)) for endpoint in CATALOGUE}
    named = re.findall(r"\b(GET|POST|DELETE)\s(/(?!click|imp|sl|postback)[\w{}/-]+)", text)
    assert not [each for each in named if each not in methods and each[1] != "/readyz"]
    paths = {path for _, path in methods}
    called = re.findall(r"\$api(/[\w/${}-]+)", text)
    assert not [path for path in called if re.sub(r"\$\w+", "{id}", path) not in paths]
    assert set(re.findall(r"`trackyard ([a-z-]+)", text)) <= set(command_group.commands)
    assert {name.lower() for name in re.findall(r"TRACKYARD_([A-Z_]+)", text)} <= set(SETTINGS)


def test_troubleshooting_names_reasons_and_results_that_exist() -> None:
    text = (DIRECTORY.parent / "troubleshooting.md").read_text()
    results = reference_texts("results")
    first_cells = " ".join(re.findall(r"^\| (.*?) \|", text, re.MULTILINE))
    known = {*results["rejections"], *results["faults"], *results["declines"]}
    quoted = {each for each in re.findall(r"`([^`]+)`", first_cells) if re.match(r"[A-Z][a-z]|[a-z]+-[a-z]+$", each)}
    assert len(quoted) > 6 and quoted <= known
