"""Jobs that run because time passes."""
