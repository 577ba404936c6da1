"""What is copied is what xDSL's `clone` makes of it."""

from xdsl.dialects import test
from xdsl.dialects.builtin import IndexType, ModuleOp, UnregisteredOp
from xdsl.ir import Block, Operation, Region, SSAValue

from teenyir.dialects.copying import copy_of, copy_of_region
from teenyir.dialects.inside import operations
from teenyir.pipeline.ir import parse_module, print_module

TEXT = """
builtin.module attributes {kept = 1 : i64} {
  func.func @f(%n: index {named = "n"}, %c: i1) -> index {
    %a = arith.constant 0 : index
    %s = arith.constant 1 : index
    %r = scf.for %i = %a to %n step %s iter_args(%sum = %a) -> (index) {
      %next = scf.if %c -> (index) {
        scf.yield %i : index
      } else {
        %b = arith.addi %i, %sum {marked} : index
        scf.yield %b : index
      }
      scf.yield %next : index
    }
    cf.cond_br %c, ^bb1(%r : index), ^bb2
  ^bb1(%x: index):
    cf.br ^bb3(%x : index)
  ^bb3(%y: index):
    func.return %y : index
  ^bb2:
    cf.br ^bb1(%n : index)
  }
  kernel.func @k(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..8) {
    %i = kernel.range 0 to N
    %v = kernel.load %x[%i]
    kernel.store %v, %y[%i]
  }
}
"""


def _values(op: Operation) -> list[SSAValue]:
    found: list[SSAValue] = list(op.results)
    for region in op.regions:
        for block in region.blocks:
            found += block.args
    return found


def _require_same(op: Operation, copy: Operation) -> None:
    """The same fields all through, and nothing of one in the other."""
    theirs = op.clone()
    assert copy.is_structurally_equivalent(theirs)
    for one, other, old in zip(operations(copy), operations(theirs), operations(op), strict=True):
        assert type(one) is type(other) and one.location == other.location
        assert one.properties == other.properties and one.properties is not old.properties
        assert one.attributes == other.attributes and one.attributes is not old.attributes
        for value, expected in zip(_values(one), _values(other), strict=True):
            assert value.name_hint == expected.name_hint
            assert value.uses.get_length() == expected.uses.get_length()
    own = set(operations(copy)) - {copy}
    assert own.isdisjoint(operations(op))


def test_a_module_is_copied_with_names_and_places() -> None:
    module = parse_module(TEXT)
    copy = copy_of(module)
    _require_same(module, copy)
    copy.verify()
    assert print_module(copy) == print_module(module)


def test_values_may_be_used_before_they_are_there_and_from_outside() -> None:
    outside = test.TestOp(result_types=[IndexType()])
    second = test.TestOp([outside.results[0]], result_types=[IndexType()])
    first = test.TestOp([second.results[0], outside.results[0]])
    whole = test.TestOp(regions=[Region(Block([first, second]))])
    new_first, new_second = copy_of(whole).regions[0].block.ops
    assert new_second is not second and list(new_second.operands) == list(second.operands)
    assert list(new_first.operands) == [new_second.results[0], outside.results[0]]


def test_operations_of_no_known_dialect_are_copied() -> None:
    module = ModuleOp([UnregisteredOp.with_name("far.away").create()])
    _require_same(module, copy_of(module))


def test_a_region_is_copied_alone() -> None:
    module = parse_module(TEXT)
    copy = copy_of_region(module.body)
    assert copy.parent is None
    assert ModuleOp(copy, module.attributes).is_structurally_equivalent(module)
