"""The figures of `script/bench watch`, from what was found in two networks."""

from bench.watch import figures_of, sentences_of
from bench.watch_program import FAULT_DAY, Found, Played
from trackyard.commands.demo.characters import FAULTS, Truth


def test_figures_of_networks_count_what_was_found_early_or_in_honest_traffic_as_wrong() -> None:
    found = [Found("rule", fault, "x", FAULT_DAY + place) for place, fault in enumerate(FAULTS)]
    early = Found("alert", Truth.SHAVER, "x", FAULT_DAY - 1)
    wrong = Played(clicks=5, conversions=2, found=[*found[1:], early])
    honest = Played(clicks=4, conversions=1, found=[Found("finding", Truth.HONEST, "steady", 3)])
    figures = figures_of([wrong], [honest])
    assert (figures["clicks"], figures["conversions"]) == (9, 3)
    assert (figures["precision"], figures["recall"], figures["honest_findings"]) == (0.8, 0.8, 1)
    assert figures[f"days until found: {FAULTS[0]}"] is None
    assert figures[f"days until found: {FAULTS[2]}"] == 2
    assert {"found: rule": 4, "found wrongly: alert": 1, "found wrongly: finding, steady": 1}.items() <= figures.items()


def test_false_findings_of_a_seed_have_their_day_and_sentence() -> None:
    true = Found("rule", Truth.SHAVER, "shaved", FAULT_DAY, "Fewer conversions.")
    early = Found("alert", Truth.SHAVER, "shaved", FAULT_DAY - 1, "Silent.")
    of_honest = Found("finding", Truth.HONEST, "steady", 3, "A day without a conversion.")
    said = sentences_of({7: Played(found=[true, early])}, {7: Played(found=[of_honest]), 8: Played()})
    assert said == {
        "found wrongly, seed 7": [
            f"day {FAULT_DAY}, alert, shaved: Silent.",
            "day 4, finding, steady: A day without a conversion.",
        ],
        "found wrongly, seed 8": [],
    }
