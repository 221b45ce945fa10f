"""Methods of rules that watch the statistics (docs/spec/automation.md)."""
