"""Locations survive rewriting, fused and capped."""

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
    i32,
)
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint

from teenyir.passes.dce import EliminateDeadCode
from teenyir.pipeline.build import Nested
from teenyir.pipeline.instruments.locations import CountLostLocations
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import (
    MOST_FUSED,
    LocatedBuilder,
    LocationListener,
    fuse_locations,
    place_of,
)


def at(line: int) -> LocationAttr:
    return FileLineColLoc(StringAttr("a.py"), IntAttr(line), IntAttr(1))


def test_fusing_is_distinct_flat_and_capped():
    assert fuse_locations([]) is UNKNOWN_LOC
    assert fuse_locations([UNKNOWN_LOC, at(1), at(1)]) == at(1)
    pair = fuse_locations([at(1), at(2)])
    assert isinstance(pair, FusedLoc)
    assert fuse_locations([pair, at(2), at(3)]) == fuse_locations([at(1), at(2), at(3)])
    many = fuse_locations(map(at, range(1, 100)))
    assert isinstance(many, FusedLoc)
    assert many == fuse_locations(map(at, range(1, MOST_FUSED + 1)))
    place = place_of(many)
    assert place is not None and (place.file, place.line) == ("a.py", 1)


class DoubleToShift(RewritePattern):
    """x + x -> x << 1, in two operations."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter):
        if isinstance(op, arith.AddiOp) and op.lhs == op.rhs:
            one = arith.ConstantOp.from_int_and_width(1, i32)
            rewriter.replace(op, [one, arith.ShLIOp(op.lhs, one)])


class DropZero(RewritePattern):
    """x ^ x' -> x: stands for a fold to an operation that is there already."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter):
        if isinstance(op, arith.XOrIOp):
            rewriter.replace(op, [], [op.lhs])


TEXT = """func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.xori %b, %a : i32
  func.return %c : i32
}"""


def lines(module: ModuleOp) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for op in module.walk():
        location = op.location
        parts = location.locations if isinstance(location, FusedLoc) else (location,)
        found[op.name] = [p.line.data for p in parts if isinstance(p, FileLineColLoc)]  # type: ignore
    return found


def test_a_replaced_operation_hands_its_location_on():
    module = parse_module(TEXT)
    PatternRewriteWalker(DoubleToShift(), listener=LocationListener()).rewrite_module(module)
    assert lines(module) | {"arith.constant": [2], "arith.shli": [2]} == lines(module)


def test_an_operation_that_takes_another_ones_place_is_fused_with_it():
    module = parse_module(TEXT)
    PatternRewriteWalker(DropZero(), listener=LocationListener()).rewrite_module(module)
    assert lines(module)["arith.addi"] == [2, 3]


def test_a_located_builder_stamps_what_it_inserts():
    module = ModuleOp([])
    builder = LocatedBuilder(InsertPoint.at_end(module.body.block)).at(at(7))
    one = builder.insert(arith.ConstantOp.from_int_and_width(1, i32))
    assert one.location == at(7)


def test_a_pass_that_makes_operations_out_of_nowhere_is_caught():
    @dataclass(frozen=True)
    class Forget(Pass):
        """Give a function a new constant without a location."""

        name = "forget"
        anchor = "func.func"

        def run(self, op: Operation, session: Session) -> None:
            block = op.regions[0].block
            block.insert_op_before(arith.ConstantOp.from_int_and_width(1, 32), block.first_op)

    module = parse_module("func.func @f() { func.return }\nfunc.func @g() { func.return }")
    instruments = [CountLostLocations()]
    pipeline = Nested("builtin.module", (Forget(), EliminateDeadCode(), Forget()))
    session = PassManager(pipeline, instruments=instruments).run(module)
    assert session.statistics["forget", "locations lost"] == 4
    assert ("dce", "locations lost") not in session.statistics
