"""The fusion table holds for every way of spelling its programs.

Nothing on the way down reads the name of an op or composite. Results agree with numpy in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest
from fusion_table import LONG, TABLE, Function, Row

import teenyir as ty
from teenyir.analysis.cost import launch_costs
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.pipeline.ir import parse_module
from teenyir.targets.cpu import host

SPELLED = [
    pytest.param(
        *(row, spelling, target),
        id=f"{row.name}-{k}",
        marks=pytest.mark.long if k and rows is LONG else (),
    )
    for rows, target in ((TABLE, "cpu"), (LONG, "cpu{twice=always}"))
    for row in rows
    for k, spelling in enumerate(row.spellings)
]
"""Each row in each way that it is written; those of long rows, which are rows of the table at other
sizes, in one way unless the long tests run."""


@pytest.mark.parametrize(("row", "spelling", "target"), SPELLED)
def test_a_row_holds_however_it_is_spelled(row: Row, spelling: Function, target: str) -> None:
    lowered = ty.trace(spelling, *row.specs()).lower(target=target)
    module = parse_module(lowered.as_text("kernel"), row.name)
    costs = launch_costs(module)
    read = sum(cost.read.evaluate(row.extents()) for cost in costs)
    written = sum(cost.written.evaluate(row.extents()) for cost in costs)
    assert (len(costs), read, written) == row.cost
    for stage in [op for op in module.walk() if isinstance(op, kernel.StageOp)]:
        size = stage.target.size.evaluate({}) * SCALAR_BYTES[stage.target.element]
        assert size <= host().l2, f"{stage} is larger than the second-level cache"
    gives_what_it_should(row, lowered.compile(cache=False)(*row.inputs))


def gives_what_it_should(row: Row, found: Any) -> None:
    wide = [x.astype(np.float64) if x.dtype == np.float32 else x for x in row.inputs]
    for one, expected in zip(_many(found), _many(row.expected(*wide)), strict=True):
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-5 * scale)


@pytest.mark.long
@pytest.mark.parametrize("target", ["cuda-emulated", "cuda-c-emulated"])
@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_a_row_holds_on_a_gpu(row: Row, target: str) -> None:
    """In the PTX emulator, for sm_80: no race, no stray access, no barrier that some miss."""
    lowered = ty.trace(row.spellings[0], *row.specs()).lower(target=target)
    gives_what_it_should(row, lowered.compile(cache=False)(*row.inputs))


def _many(found: Any) -> Sequence[Any]:
    return cast(Sequence[Any], found) if isinstance(found, tuple) else [found]
