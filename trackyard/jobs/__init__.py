"""Work apart from requests: loading, conversions, deliveries and the schedule."""
