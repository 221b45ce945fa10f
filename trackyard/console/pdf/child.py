"""Prints the PDF file of a report, in a process of its own.

usage: python -m trackyard.console.pdf.child <DOCUMENT >PDF
"""

import sys
from typing import Final

from trackyard.actions.short_processes import limit_this_process
from trackyard.console.pdf.document import MOST_BYTES, decode

MEMORY_BYTES: Final = 512 * 1024 * 1024
PROCESSOR_S: Final = 20


def main() -> None:
    """Read standard input and print the file."""
    limit_this_process(memory_bytes=MEMORY_BYTES, processor_s=PROCESSOR_S, most_output=MOST_BYTES)
    from trackyard.console.pdf.pages import draw

    content = draw(decode(sys.stdin.buffer.read()))
    if len(content) > MOST_BYTES:
        raise ValueError(f"the file has {len(content)} bytes, more than {MOST_BYTES}")
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
