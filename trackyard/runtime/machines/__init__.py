"""This machine among the machines of the installation (docs/spec/engine.md#several-machines)."""
