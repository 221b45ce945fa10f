"""kill -9 during loads loses and doubles no row (docs/spec/engine.md#exactly-once)."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

LOADER = """
import sys
from tests.support.models.events import NOON, new_click, new_fact
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal.records import encode
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import click_item, load, lookup_item
from trackyard.analytics.engine.migrations import migrate

store = Analytics.open(sys.argv[1])
migrate(store)
for batch in range(int(sys.argv[2]), 100000):
    first = batch == int(sys.argv[2])
    numbers = range(batch * 50, batch * 50 + 50)
    payloads = [encode(new_click(number)) for number in numbers]
    items = [click_item("j", number, payload) for number, payload in zip(numbers, payloads)]
    load(store, "click", items, f"j:{batch}", maybe_loaded=first)
    load(store, "click_lookup", [lookup_item(payload) for payload in payloads], f"j:{batch}", maybe_loaded=first)
    # two months: an insert of two parts, which a kill can cut between
    facts = [encode_row(new_fact(number, time=NOON + number % 2 * 31 * 86400000)) for number in numbers]
    load(store, "fact", facts, f"o:{batch}", maybe_loaded=first)
    print(batch, flush=True)
"""

COUNTER = """
import sys
from trackyard.analytics.engine.connection import Analytics

store = Analytics.open(sys.argv[1])
for table, key in (("click", "position"), ("click_lookup", "id"), ("fact", "conversion_id")):
    [(rows, different)] = store.rows(f"SELECT count(), uniqExact({key}) FROM {table}", {}, tuple[int, int])
    print(table, rows, different)
"""


@pytest.mark.long
def test_analytic_load_killed_repeatedly_loses_and_doubles_nothing(tmp_path: Path) -> None:
    chance = random.Random(11)
    address = f"chdb://{tmp_path}/engine"
    done = -1
    for _ in range(8):
        log = tmp_path / "done"
        with log.open("wb") as output:
            process = subprocess.Popen([sys.executable, "-c", LOADER, address, str(done + 1)], stdout=output)
            before = time.monotonic()
            while not log.read_bytes() and time.monotonic() - before < 60:
                assert process.poll() is None
                time.sleep(0.01)
            time.sleep(chance.random())
            process.kill()
            process.wait()
        done = int(log.read_text().split("\n")[-2])
    # The batch after the last acknowledged one may be there, in part or whole: its repeat completes it.
    with subprocess.Popen(
        [sys.executable, "-c", LOADER, address, str(done + 1)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        done = int(process.stdout.readline())
        process.kill()
    counted = subprocess.run([sys.executable, "-c", COUNTER, address], capture_output=True, text=True, check=True)
    for line in counted.stdout.splitlines():
        table, rows, different = line.split()
        assert int(different) >= (done + 1) * 50, f"{table} lost rows"
        assert rows == different, f"{table} has rows twice"
