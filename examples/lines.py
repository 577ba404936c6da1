"""What examples print of texts that they were given."""

import sys


def printable(text: str) -> str:
    """A text as the terminal's encoding has it; what it does not have or obeys is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text.encode(encoding, "backslashreplace").decode(encoding)
