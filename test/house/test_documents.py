"""What the documents claim is so: their commands run and print what they show, their links lead.

In a document, a block fenced as

- `console` holds commands after `$ `, each followed by exactly what it prints (`...` alone on a
  line stands for any lines), run from the top of the repository;
- `python` is a piece of the page's program; if a `text` block follows it directly, that is what it
  prints;
- any other word is not run, but if a name stands after it, the block is that file.

A page with files is a walk: its commands run from top to bottom in a folder of their own, which the
files are written to on the way.

`UPDATE_DOCUMENTS=1 python -m pytest test/house/test_documents.py` rewrites what no longer holds.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from teenyir.tools.run_lines import Shell

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
FENCE = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)")
ANY_LINES = re.compile(r"^\.\.\.\n", re.MULTILINE)
COMMANDS = ("teeny-opt", "teeny-run", "teeny-translate", "teeny-tune", "teeny-update-checks")


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, its word, its text, and the text of the `text` after it."""

    page: Path
    line: int
    word: str
    file: str
    """The name after the word; empty if there is none."""
    text: str
    printed: str | None

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    text = page.read_text()
    found = list(FENCE.finditer(text))
    following = [*found[1:], None] if found else []
    return [
        Block(
            page,
            text.count("\n", 0, match.start()) + 1,
            match[1],
            match[2],
            match[3],
            after[3] if after and after[1] == "text" and follows(text, match, after) else None,
        )
        for match, after in zip(found, following, strict=True)
    ]


def follows(text: str, match: re.Match[str], after: re.Match[str]) -> bool:
    """Whether nothing but blank lines stands between two blocks."""
    return not text[match.end() : after.start()].strip()


BLOCKS = [block for page in PAGES for block in blocks(page)]


WALKS = sorted({block.page for block in BLOCKS if block.file})


def run(command: list[str], cwd: Path = ROOT) -> str:
    """Run a command, by default from the top of the repository; return what it prints."""
    folder = str(Path(sys.executable).parent)
    environment = os.environ | {
        "PATH": folder + os.pathsep + os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "NO_COLOR": "1",
    }
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def in_shell(line: str, cwd: Path) -> str:
    """Run a line of bash in which `teeny-opt` and its like are processes of this tree."""
    functions = "".join(
        f'{name}() {{ "{sys.executable}" -c "from teenyir.tools.{name.replace("-", "_")}'
        ' import main; raise SystemExit(main())" "$@"; }\n'
        for name in COMMANDS
    )
    return run(["bash", "-c", f"set -euo pipefail\n{functions}{line}"], cwd)


def in_this_process(line: str) -> str:
    """Run a shell command as a golden test's: `teeny-opt` and its like are called, not started."""
    shell = Shell(ROOT / "README.md", ROOT, {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"})
    code, output = shell.run(line.replace("%", "%%"))
    assert code == 0, (output + shell.stderr.getvalue()).decode()
    return output.decode()


def matches(output: str, shown: str) -> bool:
    """Whether an output is what a page shows, whose `...` lines stand for any lines."""
    parts = [re.escape(part) for part in ANY_LINES.split(shown)]
    return re.fullmatch("(?:.*\n)*".join(parts), output) is not None


def refreshed(output: str, shown: str) -> str:
    """Return `shown` brought up to date.

    A part between two `...` is what now stands between its first and its last line.
    """
    if not ANY_LINES.search(shown):
        return output
    lines = output.splitlines()
    parts: list[str] = []
    for part in ANY_LINES.split(shown):
        if part:
            first, last = part.splitlines()[0], part.splitlines()[-1]
            start = lines.index(first)
            end = lines.index(last, start)
            parts.append("\n".join(lines[start : end + 1]) + "\n")
        else:
            parts.append("")
    return "...\n".join(parts)


def check(block: Block, output: str, shown: str, before: str = "") -> None:
    """Compare; or, where `UPDATE_DOCUMENTS` is set, write what was printed into the page.

    `before` is what stands in the page before what is shown.
    """
    if matches(output, shown):
        return
    if os.environ.get("UPDATE_DOCUMENTS"):
        text = block.page.read_text()
        block.page.write_text(text.replace(before + shown, before + refreshed(output, shown), 1))
    else:
        assert output == shown, "UPDATE_DOCUMENTS=1 rewrites the page"


def check_console(block: Block, run_line: Callable[[str], str]) -> None:
    """Run the commands of a block, and compare what each prints."""
    assert block.text.startswith("$ ")
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        check(block, run_line(command), shown, f"$ {command}\n")


@pytest.mark.parametrize(
    "block", [b for b in BLOCKS if b.word == "console" and b.page not in WALKS], ids=str
)
def test_console(block: Block) -> None:
    check_console(block, in_this_process)


@pytest.mark.parametrize("page", WALKS, ids=lambda page: page.name)
def test_walk(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.file:
            file = tmp_path / block.file
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.text)
        elif block.word == "console":
            check_console(block, partial(in_shell, cwd=tmp_path))


@pytest.mark.parametrize(
    "page", sorted({b.page for b in BLOCKS if b.word == "python"}), ids=lambda page: page.name
)
def test_python(page: Path) -> None:
    """The blocks of a page are one program: a later one may use what an earlier one defines."""
    programs = [block for block in blocks(page) if block.word == "python"]
    end = "--- end of block ---"
    text = "".join(f"{block.text}\nprint({end!r})\n" for block in programs)
    outputs = run([sys.executable, "-W", "error", "-c", text]).split(f"{end}\n")
    for block, output in zip(programs, outputs, strict=False):
        if block.printed is not None:
            check(block, output, block.printed)


def test_refreshing_keeps_to_its_anchors() -> None:
    shown = "...\nfirst\nold\nlast\n...\n"
    output = "x\nfirst\nnew\nnewer\nlast\ny\n"
    assert not matches(output, shown)
    assert refreshed(output, shown) == "...\nfirst\nnew\nnewer\nlast\n...\n"
    assert matches(output, refreshed(output, shown))


def test_readme_shows_exactly_the_two_commands() -> None:
    commands = [block.text for block in blocks(ROOT / "README.md") if block.word == "sh"]
    assert commands == ["make demo\nmake test\n"]
    targets = (ROOT / "Makefile").read_text()
    assert "\ndemo: " in targets
    assert "\ntest: " in targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not broken


def test_contents_page_lists_every_page_of_the_book() -> None:
    contents = (ROOT / "docs" / "README.md").read_text()
    pages = {str(page.relative_to(ROOT / "docs")) for page in PAGES if page.parent == ROOT / "docs"}
    assert pages - {"README.md"} == {
        link for link in LINK.findall(contents) if "/" not in link and link.endswith(".md")
    }


def test_headings_do_not_skip_a_level() -> None:
    for page in PAGES:
        text = FENCE.sub("", page.read_text())
        levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels)), page
