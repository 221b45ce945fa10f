"""The log of a process: its lines, their form, and what is logged once however often it happens."""

import logging

# A command has no log (base/logs/output.py), and Python would print warnings of the program without one.
logging.getLogger("trackyard").addHandler(logging.NullHandler())
