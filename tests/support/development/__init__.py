"""The server of `script/dev`: it starts again after an edit, and shows the statements of a page."""
