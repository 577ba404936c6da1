"""Record the signatures that the array API publishes, for `test_array_api.py`.

    python test/conformance/array_api/record.py FOLDER

FOLDER is `src/array_api_stubs/_2024_12` of https://github.com/data-apis/array-api (MIT licence).
It writes `signatures.json`: for each category the functions, each with its parameters in order, as
`kind name`, where the kind is one of inspect's (0 positional only ... 4 any keywords).
"""

import ast
import json
import sys
from pathlib import Path


def parameters(function: ast.FunctionDef) -> list[str]:
    """The parameters in order, each with the number of its kind."""
    given = function.args
    found = [f"0 {a.arg}" for a in given.posonlyargs] + [f"1 {a.arg}" for a in given.args]
    if given.vararg:
        found.append(f"2 {given.vararg.arg}")
    found += [f"3 {a.arg}" for a in given.kwonlyargs]
    return [each for each in found if each != "0 self"]


def functions(body: list[ast.stmt]) -> dict[str, list[str]]:
    """The signatures of the functions of a module or a class."""
    return {
        node.name: parameters(node)
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name != "__init__"
    }


def main() -> None:
    found: dict[str, dict[str, list[str]]] = {}
    for path in sorted(Path(sys.argv[1]).glob("*_functions.py")):
        body = ast.parse(path.read_text()).body
        found[path.stem.removesuffix("_functions")] = functions(body)
    text = (Path(sys.argv[1]) / "array_object.py").read_text()
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    found["array"] = functions(classes[-1].body)
    target = Path(__file__).parent / "signatures.json"
    target.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
