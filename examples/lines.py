"""What examples print of texts that they were given."""

import sys


def printable(text: str) -> str:
    """A text as the terminal's encoding has it; what it does not have is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
