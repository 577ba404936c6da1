"""How much a loop is looked at before it is split at its gates."""

from teenyir.pipeline.ir import parse_module, print_module
from teenyir.pipeline.manager import PassManager


def test_each_index_of_a_loop_is_looked_at_once() -> None:
    """Each of these has the one before twice: what looks at operands again doubles each time."""
    doubled = "".join(f"%d{k + 1} = arith.addi %d{k}, %d{k} : index\n" for k in range(48))
    text = f"""
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %i: !uop.ptr<i64>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c24 = arith.constant 24 : index
  %zero = arith.constant 0.0 : f32
  scf.for %k = %c0 to %c24 step %c1 {{
    %n = uop.load %i[%k] : i64
    %d0 = arith.index_cast %n : i64 to index
    {doubled}
    %g = arith.cmpi ult, %d48, %c9 : index
    %v = uop.load %x[%k] if %g else %zero : f32
    uop.store %v, %y[%k]
  }}
}}"""
    module = parse_module(text)
    before = print_module(module)
    PassManager.parse("uop.func(split-at-gates)").run(module)
    assert print_module(module) == before
