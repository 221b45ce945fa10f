"""Events: facts that people and programs hear of, and who hears of each (docs/spec/events.md)."""
