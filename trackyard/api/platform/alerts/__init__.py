"""Methods of alerts and digests (docs/spec/alerts.md)."""
