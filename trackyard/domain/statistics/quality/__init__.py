"""The quality of traffic (docs/spec/quality.md)."""
