"""A random graph that fails, kept as files from which it is run again.

    python test/numerics/failures.py failing/graph.mlir

`graph.mlir` is the module, `graph.npz` its inputs and extents. Hypothesis makes a failing graph
smaller and fails anew each time, so that what is kept in the end is the smallest.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from hypothesis import currently_in_test_context, note
from random_graphs import Sample

from teenyir.dialects import dtypes
from teenyir.pipeline.ir import parse_module, print_module

FOLDER = Path("failing")
BY_NAME = {dtype.name: dtype for dtype in dtypes.DTYPES}


@contextmanager
def kept_if_it_fails(sample: Sample, folder: Path = FOLDER) -> Iterator[None]:
    """Keep a sample whose checks, run within, raise anything."""
    try:
        yield
    except BaseException:
        path = save(sample, folder)
        if currently_in_test_context():
            note(f"kept: python test/numerics/failures.py {path}\n{print_module(sample.module)}")
        raise


def save(sample: Sample, folder: Path) -> Path:
    """Write a sample into a folder; the path of its module."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "graph.mlir"
    path.write_text(f"{print_module(sample.module)}\n")
    arrays = {f"input{k}": x.reshape(-1).view(np.uint8) for k, x in enumerate(sample.inputs)}
    np.savez(
        path.with_suffix(".npz"),
        **arrays,
        dtypes=[str(dtypes.of_numpy(x.dtype)) for x in sample.inputs],
        shapes=[" ".join(map(str, x.shape)) for x in sample.inputs],
        exact=sample.exact,
        names=[*sample.dims],
        extents=[*sample.dims.values()],
    )
    return path


def load(path: Path) -> Sample:
    """The sample that `save` wrote."""
    module = parse_module(path.read_text(), str(path))
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as file:
        inputs = [
            file[f"input{k}"]
            .view(BY_NAME[str(dtype)].numpy())
            .reshape([int(extent) for extent in str(shape).split()])
            for k, (dtype, shape) in enumerate(zip(file["dtypes"], file["shapes"], strict=True))
        ]
        dims = dict(zip(map(str, file["names"]), map(int, file["extents"]), strict=True))
        return Sample(module, inputs, [bool(e) for e in file["exact"]], dims)


if __name__ == "__main__":
    from test_floors import require_all_floors_agree

    require_all_floors_agree(load(Path(sys.argv[1])))
    print("all floors agree")
