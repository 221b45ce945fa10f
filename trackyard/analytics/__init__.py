"""The analytic store: chDB in this process or a ClickHouse server."""
