"""`trackyard report`: statistics as a table in the terminal, JSON or CSV."""
