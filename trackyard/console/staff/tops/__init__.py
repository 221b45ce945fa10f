"""The tables of the overview: its slices, their order, and the filters of the page."""
