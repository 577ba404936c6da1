from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from teenyir.dialects.inside import of_kind, operations
from teenyir.pipeline.ir import parse_module

NESTED = """
func.func @f(%n: index, %c: i1) {
  %a = arith.constant 0 : index
  %s = arith.constant 1 : index
  scf.for %i = %a to %n step %s {
    scf.if %c {
      scf.for %j = %a to %i step %s {
        scf.yield
      }
    } else {
      %b = arith.addi %i, %s : index
    }
    %d = arith.addi %i, %s : index
  }
  cf.br ^bb1
^bb1:
  func.return
}
func.func private @g()
"""


def test_operations_are_found_in_the_order_of_the_text() -> None:
    module = parse_module(NESTED)
    assert operations(module) == list(module.walk())
    inner = module.body.block.first_op
    assert inner is not None
    assert operations(inner) == list(inner.walk())


def test_an_operation_itself_may_be_of_the_kind_that_is_looked_for() -> None:
    module = parse_module(NESTED)
    assert of_kind(module, ModuleOp) == [module]
    assert [func.sym_name.data for func in of_kind(module, FuncOp)] == ["f", "g"]
    outer, inner = of_kind(module, scf.ForOp)
    assert outer.is_ancestor(inner)
    assert of_kind(inner, scf.IfOp) == []


def test_what_is_found_may_be_erased() -> None:
    module = parse_module(NESTED)
    for loop in of_kind(module, scf.ForOp)[::-1]:
        loop.detach()
        loop.erase()
    assert not of_kind(module, scf.ForOp)
