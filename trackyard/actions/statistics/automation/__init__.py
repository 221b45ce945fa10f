"""Rules that watch the statistics and act (docs/spec/automation.md)."""
