"""Labels and buckets that several metrics have."""

from typing import Final

from trackyard.base.metrics.declarations import MetricLabel

EDGE: Final = MetricLabel("edge", "number of the edge process")
TABLE: Final = MetricLabel(
    "table",
    "table of the analytic store: `click`, `view` (impressions), `click_lookup`, `fact` "
    "(conversion events), `server_log` (inbound postbacks), `affiliate_log` (deliveries)",
)

CLICK_BUCKETS: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
API_BUCKETS: Final = (0.01, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
LOAD_BUCKETS: Final = (0.01, 0.05, 0.25, 1.0, 5.0, 30.0)
DELIVERY_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
