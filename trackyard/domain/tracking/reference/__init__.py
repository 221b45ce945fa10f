"""The texts of the tracking reference, and the check of macros in URLs. Edges do not load it."""
