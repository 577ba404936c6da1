"""Running a module, whatever floor it is on.

outputs = run(module, {"x": np.zeros((8, 64), np.float32)})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from teenyir.analysis.binding import arrange, bind_dims, check_dtypes
from teenyir.analysis.signature import find_signature
from teenyir.interpreter.arrays import Array, silent
from teenyir.interpreter.graph import run_graph


def run(
    module: ModuleOp,
    inputs: Mapping[str, Array] | Sequence[Array],
    *,
    entry: str | None = None,
    dims: Mapping[str, int] | None = None,
) -> list[Array]:
    """The outputs of the function `entry` (see `find_signature`) on arrays."""
    signature = find_signature(module, entry)
    arrays = [np.asarray(array) for array in arrange(signature, inputs)]
    check_dtypes(signature, arrays)
    values = bind_dims(signature, [array.shape for array in arrays], dims)
    function = signature.function
    assert isinstance(function, FuncOp)
    with silent():
        return run_graph(module, function, arrays, values)
