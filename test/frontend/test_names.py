"""`import teenyir` loads nothing, and every name it offers is there."""

import ast
import subprocess
import sys
from pathlib import Path

import teenyir as ty


def test_the_import_is_lazy():
    code = (
        "import sys, teenyir; from teenyir import float32;"
        "assert not {'numpy', 'llvmlite'} & set(sys.modules), 'loaded'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_name_resolves():
    for name in dir(ty):
        assert getattr(ty, name) is not None
    assert ty.float32.name == "float32"
    assert ty.nn.Linear.__name__ == "Linear"


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(ty, "nonesuch")


def test_type_checkers_see_the_same_names():
    """The imports for type checkers and the table of homes say the same."""
    tree = ast.parse(Path(ty.__file__).read_text())
    seen = {
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("teenyir.")
        for alias in node.names
    }
    homes = {(home, name) for name, home in vars(ty)["_ORIGIN"].items()}
    modules = {("teenyir.frontend", name) for name in ("array", "nn", "random")}
    assert seen - modules == homes


def test_nn_is_a_module_of_its_own_too():
    import teenyir.nn

    assert teenyir.nn.Linear is ty.nn.Linear
