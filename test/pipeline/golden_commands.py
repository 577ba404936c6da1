"""The teeny-opt commands of the golden tests, to be run in other ways."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from teenyir.tools.run_lines import run_lines

ROOT = Path(__file__).parents[1]
_SHELL = re.compile(r"\||2>&1|>|<|&&|;")


def golden_commands() -> Iterator[tuple[Path, list[str]]]:
    """Each teeny-opt on its own file that is to succeed: the file, and the other arguments."""
    for path in sorted(ROOT.rglob("*.mlir")):
        if "Inputs" in path.parts:
            continue
        for line in run_lines(path.read_text(), str(path)):
            words = shlex.split(_SHELL.split(line.text)[0])
            if words[0] == "teeny-opt" and "%s" in words:
                folder = str(path.parent)
                words = [word.replace("%S", folder).replace("%p", folder) for word in words[1:]]
                yield path, [word for word in words if word != "%s"]
