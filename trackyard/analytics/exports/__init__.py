"""All rows of a report or a list, in bounded memory."""
