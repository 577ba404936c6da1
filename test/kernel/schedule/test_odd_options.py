"""Options of schedules that make no sense, written by hand in a pipeline."""

import pytest

from teenyir.diagnostics import CompileError
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager

PRODUCT = """
kernel.func @f(
    out %y: !kernel.buf<[64, 96] x f32>,
    in %a: !kernel.buf<[64, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>
) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 70
  %v = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %v, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}
"""
DOTS = """
kernel.func @f(
    out %y: !kernel.buf<[64] x f32>,
    in %a: !kernel.buf<[64, 700] x f32>, in %b: !kernel.buf<[700] x f32>
) {
  %i = kernel.range 0 to 64
  %k = kernel.range 0 to 700
  %v = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k]
  %p = arith.mulf %v, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}
"""
ROWS = """
kernel.func @f(out %y: !kernel.buf<[6] x f32>, in %x: !kernel.buf<[6, 64] x f32>) {
  %i = kernel.range 0 to 6
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %j]
  %m = kernel.reduce %v over(%j) {kind = "max"}
  %w = kernel.load %x[%i, %k]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}
"""
COLUMNS = """
kernel.func @f(out %y: !kernel.buf<[500, 64] x f32>, in %x: !kernel.buf<[500, 64] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 500
  %k = kernel.range 0 to 500
  %v = kernel.load %x[%k, %i]
  %row = kernel.stage %v[%k] over(%k) : !kernel.buf<[500] x f32, local>
  %s = kernel.reduce %v over(%k) {kind = "add"}
  %w = kernel.load %row[%j]
  %d = arith.divf %w, %s : f32
  kernel.store %d, %y[%j, %i]
}
"""
TRANSPOSED = """
kernel.func @f(out %y: !kernel.buf<[99, 65] x f32>, in %x: !kernel.buf<[65, 99] x f32>) {
  %i = kernel.range 0 to 99
  %j = kernel.range 0 to 65
  %v = kernel.load %x[%j, %i]
  kernel.store %v, %y[%i, %j]
}
"""

REFUSED = [
    ("order-ranges{order=}", "no range is named"),
    ("pack-buffer{buffer=b over=}", "no range is named"),
    ("split-reduction{over=}", "no range is named"),
    ('split-range{range=i by=4 outer="a b"}', "'a b' is no name of a range"),
    ("split-range{range=i by=4 inner=1}", "'1' is no name of a range"),
    ("split-range{range=i by=4 outer=i_1}", "'i_1' is no name of a range"),
    ("set-kind{kernel=g range=i kind=unroll}", "there is no kernel 'g'"),
    ("block-reductions{threads=-5}", "a block has 32, 64, .. 1024 threads, not -5"),
    ("map-to-grid{threads=5000}", "a block has 32, 64, .. 1024 threads, not 5000"),
    ("split-range{range=i by=-1}", "blocks of -1 iterations"),
    ("split-range{range=i by=9999999999999999999999}", "blocks of 9999999999999999999999"),
]


@pytest.mark.parametrize("options, message", REFUSED, ids=[options for options, _ in REFUSED])
def test_what_a_schedule_cannot_do_is_said_of_the_kernel(options: str, message: str):
    module = parse_module(PRODUCT, "odd.mlir")
    with pytest.raises(CompileError) as caught:
        PassManager.parse(f"kernel.func({options})").run(module)
    assert message in str(caught.value) and "odd.mlir" in str(caught.value)
    assert "failed with" not in str(caught.value)


@pytest.mark.parametrize("bits", [-64, 1, 8, 64, 2048])
@pytest.mark.parametrize("registers", [-3, 1, 2, 3, 64])
@pytest.mark.parametrize("chooser, text", [("tile-products", PRODUCT), ("tile-dots", DOTS)])
def test_there_is_a_tile_for_any_machine(chooser: str, text: str, registers: int, bits: int):
    module = parse_module(text, "odd.mlir")
    before = str(module)
    options = f"vector-bits={bits} registers={registers}"
    PassManager.parse(f"kernel.func({chooser}{{{options}}})").run(module)  # verifies what it made
    assert str(module) != before


@pytest.mark.parametrize("bits", [-64, 1, 31, 32, 64, 2048, 4096])
def test_rows_are_read_in_vectors_where_there_are_some_that_divide_them(bits: int):
    module = parse_module(ROWS, "odd.mlir")
    PassManager.parse(f"kernel.func(lane-rows{{vector-bits={bits}}})").run(module)
    assert ("vector" in str(module)) == (bits in (64, 2048))


@pytest.mark.parametrize("bytes", [-1, 0, 1 << 40])
def test_columns_are_staged_in_lanes_where_there_is_a_cache(bytes: int):
    module = parse_module(COLUMNS, "odd.mlir")
    PassManager.parse(f"kernel.func(lane-columns{{vector-bits=256 l2={bytes}}})").run(module)
    assert ("vector" in str(module)) == (bytes > 0)


@pytest.mark.parametrize("bytes", [-1, 1, 3, 64, 1 << 40])
def test_there_is_a_block_for_lines_of_any_size(bytes: int):
    module = parse_module(TRANSPOSED, "odd.mlir")
    PassManager.parse(f"kernel.func(tile-transposes{{l1=1024 line={bytes}}})").run(module)
    assert "unroll" in str(module)
