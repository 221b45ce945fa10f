"""A report of 5 million rows within its memory, measured in its own process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MEMORY = 400_000_000
VALUES = 5_000_000

COMMON = """
import json, sys
from pathlib import Path
from trackyard.domain.statistics.reports import Report
from trackyard.domain.people.scope import Scope
from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.analytics.reports.reports import run_report
from trackyard.analytics.engine.migrations import migrate
from tests.support.models.events import NOON
store = Analytics.open(sys.argv[1], limits=QueryLimits(memory=int(sys.argv[2]), seconds=120))
values = int(sys.argv[3])
"""

MAKE = """
migrate(store)
# Each value has a click; every hundred thousandth has more, the more the higher its number, and the first has sales.
made = f'''SELECT 'j', number, concat('0000000001', leftPad(hex(number), 14, '0')), {NOON} + number % 3600000,
1 + number % 50, 1 + number % 20, concat('a value of a sub ', toString(number % {values})), 1
FROM numbers({values}) WHERE 1'''
store.run(f"INSERT INTO click (journal, position, id, time, affiliate, offer, sub1, uniq) {made}")
again = "ARRAY JOIN range(intDiv(number, 100000)) AS again WHERE number % 100000 = 0"
store.run(f"INSERT INTO click (journal, position, id, time, affiliate, offer, sub1, uniq) {made[:-7]} {again}")
store.run(f'''INSERT INTO fact (conversion_id, version, sign, time, affiliate, offer, sub1, status, charge_base)
SELECT toString(number), 1, 1, {NOON}, 1, 1, 'a value of a sub 0', 1, 10 FROM numbers(3)''')
"""

ASK = """
def peak():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024

store.rows("SELECT 1", {}, tuple[int])
idle = peak()
page = {"order": ("raw",), "descending": True, "page": int(sys.argv[4]), "limit": 60}
report = Report(Scope.everything(), NOON, NOON + 3_600_000, ("sub1",), **page)
answer = run_report(store, report)
rows = [(row.keys["sub1"], row.raw, row.actions["confirmed"].count) for row in answer.rows]
print(json.dumps({"idle": idle, "peak": peak(), "total": answer.total_count, "rows": rows}))
"""


def run(script: str, *arguments: object) -> str:
    given = [sys.executable, "-c", COMMON + script + "\nstore.close()\n", *map(str, arguments)]
    done = subprocess.run(given, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_report_of_five_million_values_fits_in_memory(tmp_path: Path) -> None:
    address = f"chdb://{tmp_path}/analytics"
    run(MAKE, address, 4_000_000_000, VALUES)
    first, last = (json.loads(run(ASK, address, MEMORY, VALUES, page)) for page in (1, VALUES // 60 + 1))
    for answer in (first, last):
        assert answer["total"] == VALUES
        assert answer["peak"] - answer["idle"] < MEMORY * 1.25  # of freed pages some stay with the process for a while
    many = [[f"a value of a sub {number * 100_000}", number + 1, 0] for number in range(49, 0, -1)]
    assert first["rows"][:49] == many
    assert first["rows"][49] == ["a value of a sub 0", 1, 3]
    assert [raw for _, raw, _ in first["rows"][49:]] == [1] * 11
    assert len(last["rows"]) == VALUES % 60
    assert last["rows"][-1] == ["a value of a sub 999999", 1, 0]
