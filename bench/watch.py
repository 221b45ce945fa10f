"""`script/bench watch`: what the program finds in traffic with a known truth.

Thirty days of a made-up network, with four weeks before them as the usual: honest affiliates of several shapes, and
five things that are wrong from the thirteenth day on, as trackyard/commands/demo/characters.py declares them. The
traffic goes through the program itself (bench/watch_program.py), once with what is wrong and once without it.

precision: of all that was found, the share that is wrong indeed. recall: of what is wrong, the share that was found.
honest_findings: findings about a network in which nothing is wrong, in 30 days. days until found: the median of runs.
found, found wrongly: by kind, each subject once. found wrongly, seed N: the same, each with its day and its sentence.
"""

import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from bench.common import data_directory, options_of, print_figures
from bench.watch_program import FAULT_DAY, Found, Played
from trackyard.commands.demo.characters import FAULTS, Truth


def measure(seeds: Sequence[int], scale: float, processes: int, *, honest_only: bool = False) -> dict[str, Any]:
    """Return the figures of several networks, each once with what is wrong and once without.

    honest_only: without the networks in which something is wrong.
    """
    kinds = [(seed, honest) for seed in seeds for honest in ((True,) if honest_only else (False, True))]
    with ThreadPoolExecutor(processes) as pool:
        played = dict(zip(kinds, pool.map(partial(_play, scale), kinds), strict=True))
    wrong, honest = ({seed: found for (seed, kind), found in played.items() if kind is each} for each in (False, True))
    return figures_of(list(wrong.values()), list(honest.values())) | sentences_of(wrong, honest)


def sentences_of(wrong: Mapping[int, Played], honest: Mapping[int, Played]) -> dict[str, list[str]]:
    """Return what was found wrongly, in words, by the seed of its network."""
    words = {}
    for seed in sorted({*wrong, *honest}):
        false = [each for each in wrong[seed].found if not _is_true(each)] if seed in wrong else []
        false += honest[seed].found if seed in honest else []
        words[f"found wrongly, seed {seed}"] = [
            f"day {each.day + 1}, {each.kind}, {each.subject}: {each.sentence}" for each in false
        ]
    return words


def _is_true(found: Found) -> bool:
    """Return whether something was wrong where it was found, in a network in which something is."""
    return found.truth is not Truth.HONEST and found.day >= FAULT_DAY


def _play(scale: float, kind: tuple[int, bool]) -> Played:
    """Play a network in a process of its own: the embedded store is one in a process."""
    run, honest = kind
    with data_directory() as home:
        return _asked(home, str(run), str(scale), "honest" if honest else "wrong")


def _asked(home: Path, *arguments: str) -> Played:
    command = [sys.executable, "-m", "bench.watch_program", str(home), *arguments]
    asked = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return msgspec.json.decode(asked.stdout, type=Played)


def figures_of(wrong: list[Played], honest: list[Played]) -> dict[str, Any]:
    """Return the figures. wrong: networks in which something is wrong; honest: the same without it."""
    true, false, honest_kinds = Counter[str](), Counter[str](), Counter[str]()
    days: dict[Truth, list[int]] = {fault: [] for fault in FAULTS}
    for network in wrong:
        for fault in FAULTS:
            found = [each.day for each in network.found if each.truth is fault and each.day >= FAULT_DAY]
            days[fault] += [min(found) - FAULT_DAY] if found else []
        for each in network.found:
            (true if _is_true(each) else false)[each.kind] += 1
    for network in honest:
        honest_kinds.update(f"{each.kind}, {each.subject}" for each in network.found)
    caught = sum(map(len, days.values()))
    return {
        "runs": max(len(wrong), len(honest)),
        "clicks": sum(each.clicks for each in (*wrong, *honest)),
        "conversions": sum(each.conversions for each in (*wrong, *honest)),
        "cpu_s": round(sum(each.cpu_s for each in (*wrong, *honest)), 1),
        "precision": round(true.total() / max(true.total() + false.total(), 1), 3) if wrong else None,
        "recall": round(caught / (len(wrong) * len(FAULTS)), 3) if wrong else None,
        "honest_findings": honest_kinds.total(),
        **{f"days until found: {fault}": statistics.median(found) if found else None for fault, found in days.items()},
        **{f"found: {kind}": number for kind, number in sorted(true.items())},
        **{f"found wrongly: {kind}": number for kind, number in sorted((false + honest_kinds).items())},
    }


def _seeds_of(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(map(int, text.split(","))))


def main() -> None:
    """Measure and print."""
    options = options_of(
        "watch", __doc__,
        seeds={"type": _seeds_of, "default": (1,), "help": "a network for each, such as 1,2,3"},
        honest_only={"action": "store_true", "help": "only networks in which nothing is wrong"},
        scale={"type": float, "default": 1.0, "help": "of the clicks"},
        processes={"type": int, "default": 1, "help": "networks that are played at the same time"},
    )  # fmt: skip
    figures = measure(options.seeds, options.scale, options.processes, honest_only=options.honest_only)
    print_figures(figures, options)


if __name__ == "__main__":
    main()
