"""This machine among those of the installation (docs/spec/engine.md#several-machines)."""
