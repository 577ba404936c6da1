"""The cases of ONNX's own test suite, and how one is run.

`onnx.backend.test` carries, for every operator, models of a node with inputs and outputs that its
reference implementation computed (the kind `node`), and models with recorded outputs (`simple`,
`pytorch-operator`, `pytorch-converted`). Those that are not run stand in `exclusions.toml`, each
with its reason.
"""

from __future__ import annotations

import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

import teenyir as ty
from teenyir.dialects import graph
from teenyir.frontend.onnx.nodes import UnknownInput
from teenyir.frontend.onnx.operators.table import table
from teenyir.interpreter import run

REPORT: list[str] = []
"""What is printed when the tests have run."""

BITS = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4}
"""Of the integers of less than a byte."""

DataSet = tuple[list[Any], list[Any]]
"""The inputs and the outputs of a call; None where it is no tensor."""


@dataclass(frozen=True)
class Case:
    """A model with inputs and outputs."""

    name: str
    model: onnx.ModelProto
    data_sets: Callable[[], list[DataSet]]
    rtol: float
    atol: float

    @property
    def family(self) -> str:
        """The module of the operator, where the model is one node."""
        if len(self.model.graph.node) > 1:
            return "several nodes"
        (node,) = self.model.graph.node
        rows = table().get((node.domain, node.op_type))
        return rows[-1].family if rows else "defined by others"


@cache
def exclusions() -> dict[str, str]:
    """By case, why it is not run."""
    text = (Path(__file__).parent / "exclusions.toml").read_text()
    rows = tomllib.loads(text)["exclusion"]
    return {name: row["reason"] for row in rows for name in row["cases"]}


@cache
def all_cases(kind: str) -> list[Case]:
    """Every case of a kind."""
    with warnings.catch_warnings():  # of numpy, while the expected values are computed
        warnings.simplefilter("ignore")
        from onnx.backend.test.loader import load_model_tests

        found = load_model_tests(kind=kind)
    return sorted(map(_case, found), key=lambda case: case.name)


def cases(kind: str) -> list[Case]:
    """The cases of a kind that are run."""
    return [case for case in all_cases(kind) if case.name not in exclusions()]


def _case(found: Any) -> Case:
    if found.model is not None:
        sets = [(_listed(ins), _listed(outs)) for ins, outs in found.data_sets]
        return Case(found.name, found.model, lambda: sets, found.rtol, found.atol)
    folder = Path(found.model_dir)
    model = onnx.load(folder / "model.onnx")
    return Case(found.name, model, lambda: list(_read(folder, model.graph)), found.rtol, found.atol)


def _listed(values: Any) -> list[Any]:
    given = values if isinstance(values, list | tuple) else [values]
    return [numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else v for v in given]


def _read(folder: Path, graph: onnx.GraphProto) -> Iterator[DataSet]:
    for place in sorted(folder.glob("test_data_set_*")):
        yield _tensors(place, "input", graph.input), _tensors(place, "output", graph.output)


def _tensors(folder: Path, what: str, values: Sequence[onnx.ValueInfoProto]) -> list[Any]:
    found: list[Any] = []
    for index, value in enumerate(values):
        path = folder / f"{what}_{index}.pb"
        if path.exists() and value.type.HasField("tensor_type"):
            found.append(numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes())))
        elif path.exists():
            found.append(None)
    return found


# --- running --------------------------------------------------------------------------------------


def outputs_on_cpu(model: ty.OnnxModel, given: dict[str, Any]) -> list[Any]:
    """What native code computes."""
    found = model(**given)
    return [found] if len(model.output_names) == 1 else list(found)


def outputs_by_interpreter(model: ty.OnnxModel, given: dict[str, Any]) -> list[Any]:
    """What the graph floor means."""
    known: dict[str, Any] = {}
    while True:
        try:
            program = model.trace(known)
            break
        except UnknownInput as unknown:
            known.update({name: given[name] for name in unknown.names})
    names = graph.argument_names(program.entry)
    arrays = [given[n] if n in given else program.parameters[n] for n in names]
    found = program.gather(run(program.module, arrays))
    return [found] if len(model.output_names) == 1 else list(found)


Runner = Callable[[ty.OnnxModel, dict[str, Any]], list[Any]]


def problem(case: Case, runner: Runner, counts: Counter[str]) -> str | None:
    """What is wrong with a case, if anything is; models with inputs that decide are counted."""
    try:
        model = ty.load_onnx(case.model)
        for inputs, expected in case.data_sets():
            given = dict(zip(model.specs, inputs, strict=False))
            found = runner(model, given)
            for name, got, wanted in zip(model.output_names, found, expected, strict=False):
                wanted = np.asarray(wanted)
                if case.name.startswith(("test_cast_", "test_castlike_")):
                    wanted = _wrapped(np.asarray(inputs[0]), wanted)
                if (reason := difference(got, wanted, case)) is not None:
                    return f"output '{name}': {reason}"
    except ty.CompileError as error:
        return str(error)
    counts["inputs that decide"] += bool(model.deciding)
    return None


def _wrapped(given: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """What is wanted of a cast of floats to an integer of less than a byte: the lowest bits.

    ONNX leaves open what becomes of what does not fit. It has its expected values from ml_dtypes,
    which gives the lowest bits up to 0.6, and 0 from 0.7 on.
    """
    if given.dtype.kind != "f" or wanted.dtype.name not in BITS or given.shape != wanted.shape:
        return wanted
    mask = (1 << BITS[wanted.dtype.name]) - 1
    low = np.trunc(given).astype(np.int64) & mask
    if not wanted.dtype.name.startswith("u"):
        sign = (mask + 1) // 2
        low = (low ^ sign) - sign
    return low.astype(np.int8).astype(wanted.dtype)


def difference(got: Any, wanted: np.ndarray, case: Case) -> str | None:
    """How an output differs in shape, dtype or value."""
    got = np.asarray(got)
    if got.shape != wanted.shape:
        return f"has the shape {got.shape}, and is to have {wanted.shape}"
    if got.dtype != wanted.dtype:
        return f"is of {got.dtype}, and is to be of {wanted.dtype}"
    if wanted.dtype.kind not in "fV" and "float" not in wanted.dtype.name:
        return None if np.array_equal(got, wanted) else f"is {got}, and is to be {wanted}"
    a, b = got.astype(np.float64), wanted.astype(np.float64)
    close = np.isclose(a, b, rtol=case.rtol, atol=case.atol, equal_nan=True)
    if close.all():
        return None
    return f"is {a[~close][:3]}, and is to be {b[~close][:3]}, in {(~close).sum()} of {a.size}"


def failures(found: Sequence[Case], runner: Runner, title: str) -> list[str]:
    """The cases that fail, with what is wrong; counts by family go to the report."""
    counts, families, passed = Counter[str](), Counter[str](), Counter[str]()
    failed: list[str] = []
    for case in found:
        families[case.family] += 1
        reason = problem(case, runner, counts)
        passed[case.family] += reason is None
        if reason is not None:
            failed.append(f"{case.name}: {reason}")
    lines = [f"{family} {passed[family]}/{families[family]}" for family in sorted(families)]
    decided = counts["inputs that decide"]
    REPORT.append(
        f"{title}: {sum(passed.values())} of {len(found)} pass"
        + (f", {decided} compiled for the value of an input" if decided else "")
    )
    REPORT.append("  " + ", ".join(lines))
    return failed
