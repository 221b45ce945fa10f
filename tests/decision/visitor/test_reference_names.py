"""The names that lists offer are those that clicks have."""

import runpy
from pathlib import Path

import pytest

from trackyard.decision.visitor import names
from trackyard.decision.visitor.visitor import DEVICES, VisitorLookup

AGENTS = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 Version/17.2 Mobile/15E148 Safari/604",
    "Mozilla/5.0 (Linux; Android 13; SM-S911B) AppleWebKit/537.36 Chrome/112.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:120.0) Gecko/20100101 Firefox/120.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.1 Safari/605.1.15",
    "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/113.0",
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Linux; Android 12; HUAWEI P40) AppleWebKit/537.36 Chrome/99.0 Mobile Safari/537.36",
    "Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/29.3709; U; en) Presto/2.8.119 Version/11.10",
)  # fmt: skip


@pytest.mark.parametrize("ua", AGENTS)
def test_user_agent_names_are_in_reference_lists(ua: str) -> None:
    visitors = VisitorLookup()
    agent = visitors.agent(ua)
    visitors.close()
    assert agent.browser in names.browsers()
    assert agent.os in names.systems() or not agent.os
    assert agent.brand in names.vendors() or not agent.brand


@pytest.mark.parametrize(
    ("ua", "device"),
    [
        ("Mozilla/5.0 (Linux; U; en-US) AppleWebKit/528.5+ (KHTML, like Gecko, Safari/528.5+) Kindle/3.0", "ereader"),
        ("Mozilla/5.0 (Linux; Android 9; KFMAWI) Silk/112.4 like Chrome/112.0 Safari/537.36", "tablet"),
        ("Mozilla/5.0 (Linux; Android 9; AFTMM Build/PS7) Chrome/98.0 Mobile Safari/537.36", "mediahub"),
        ("Mozilla/5.0 (Linux; Android 11; SM-R880) AppleWebKit/537.36 Chrome/98.0 Mobile Safari/537.36", "smartwatch"),
    ],
)  # fmt: skip
def test_user_agent_device_types_are_those_of_targeting(ua: str, device: str) -> None:
    visitors = VisitorLookup()
    assert visitors.agent(ua).device == device
    assert device in DEVICES
    visitors.close()


def test_os_versions_are_sorted_numerically() -> None:
    assert names.versions("Android")[:2] == ("4", "5")
    assert names.versions("Windows")[-2:] == ("Vista", "XP")
    assert list(names.versions("iOS")).index("9") < list(names.versions("iOS")).index("17")
    assert names.versions("No such system") == ()


def test_vendors_exclude_generic_makers() -> None:
    assert not [name for name in names.vendors() if name.startswith("Generic") or name == "Spider"]
    assert {"Apple", "Samsung", "Huawei", "XiaoMi", "Nokia"} <= set(names.vendors())


def test_agent_names_file_equals_what_its_script_writes() -> None:
    script = runpy.run_path(str(Path(__file__).parents[3] / "script" / "agents"), run_name="agents")
    assert script["OUT"].read_text(encoding="utf-8") == script["agent_names"](), "run script/agents"
