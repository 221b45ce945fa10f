"""Prints the PDF file of a document, in a process of its own.

usage: python -m trackyard.documents.pdf.child <DRAWING >PDF
"""

import sys
from typing import Final

from trackyard.base.short_processes import limit_this_process
from trackyard.documents.content import MOST_BYTES, decode_drawing

MEMORY_BYTES: Final = 512 * 1024 * 1024
PROCESSOR_S: Final = 20


def main() -> None:
    """Read standard input and print the file."""
    limit_this_process(memory_bytes=MEMORY_BYTES, processor_s=PROCESSOR_S, most_output=MOST_BYTES)
    from trackyard.documents.pdf.pages import draw

    drawing = decode_drawing(sys.stdin.buffer.read())
    content = draw(drawing.document, drawing.logo)
    if len(content) > MOST_BYTES:
        raise ValueError(f"the file has {len(content)} bytes, more than {MOST_BYTES}")
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
