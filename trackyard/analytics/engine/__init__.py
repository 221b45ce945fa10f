"""Connection, schema and dialect of the analytic store."""
