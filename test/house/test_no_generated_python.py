"""The compiler runs no Python that it made, no pickle, and no shell: a file is never a program."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("teenyir", "passes", "lowering", "tools", "examples")
FILES = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))

RUN_PYTHON = {"eval", "exec", "compile", "__import__"}
UNSAFE_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
SHELLS = {("os", "system"), ("os", "popen"), ("subprocess", "getoutput")}


def of_call(node: ast.Call) -> Iterator[str]:
    if isinstance(node.func, ast.Name) and node.func.id in RUN_PYTHON:
        yield f"{node.func.id}(...)"
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(owner, ast.Name) and (owner.id, node.func.attr) in SHELLS:
        yield f"{owner.id}.{node.func.attr}(...)"
    for keyword in node.keywords:
        is_true = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        if keyword.arg in ("shell", "allow_pickle") and is_true:
            yield f"{keyword.arg}=True"


def of_import(node: ast.Import) -> Iterator[str]:
    for alias in node.names:
        if alias.name.split(".")[0] in UNSAFE_MODULES:
            yield f"import {alias.name}"


def of_import_from(node: ast.ImportFrom) -> Iterator[str]:
    if (node.module or "").split(".")[0] in UNSAFE_MODULES:
        yield f"from {node.module} import ..."


REFUSALS: dict[type[ast.AST], Callable[..., Iterator[str]]] = {
    ast.Call: of_call,
    ast.Import: of_import,
    ast.ImportFrom: of_import_from,
}


def refused(text: str) -> list[str]:
    """Return what a Python text holds of the things that the house does without."""
    return [
        f"{getattr(node, 'lineno', 0)}: {found}"
        for node in ast.walk(ast.parse(text))
        if type(node) in REFUSALS
        for found in REFUSALS[type(node)](node)
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_holds_none(file: Path) -> None:
    assert refused(file.read_text()) == []


@pytest.mark.parametrize(
    "text",
    [
        "eval('1')",
        "exec(code)",
        "import pickle",
        "from pickle import loads",
        "subprocess.run(line, shell=True)",
        "np.load(file, allow_pickle=True)",
        "os.system(line)",
    ],
)
def test_the_check_sees(text: str) -> None:
    assert refused(text)
