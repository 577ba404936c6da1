"""The `arith` dialect: xDSL's, with what it lacks of MLIR's: an op, traits of two, and checks:

1. a float is extended to a wider one, and truncated to a narrower one, lane by lane;
2. bits are read as a number of another kind, not as an `index`, which has no width;
3. a comparison is of one type, by a predicate that there is.
"""

from typing import Any

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects.arith import (
    Arith,
    BitcastOp,
    CmpfOp,
    CmpiOp,
    ExtFOp,
    ExtSIOp,
    FloatingPointLikeBinaryOperation,
    IntegerOverflowAttr,
    IntegerOverflowFlag,
    RemUIOp,
    TruncFOp,
)
from xdsl.dialects.builtin import AnyFloat, IndexType
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Pure, SameOperandsAndResultType

from teenyir.dialects.checks import check, one_of, resized
from teenyir.dialects.lanes import element

UNPREDICTABLE = "uop.unpredictable"
"""The unit attribute of a select, from the uop floor on, that is not to become a branch: which way
it would go cannot be guessed."""

WITHIN_TYPE = IntegerOverflowAttr([IntegerOverflowFlag.NSW])
"""Of a sum, difference or product that lies within its type, read with a sign."""


@irdl_op_definition
class RemfOp(FloatingPointLikeBinaryOperation):
    """The remainder of `lhs / rhs` rounded toward zero, with the sign of `lhs`: C's `fmod`."""

    name = "arith.remf"

    traits = traits_def(Pure(), SameOperandsAndResultType())


# xDSL says of every other op of `arith` that it has no effects; without that these would be neither
# removed nor merged, and would have no place among scalar arithmetic.
for _op in (ExtSIOp, RemUIOp):
    if not _op.has_trait(Pure):
        _op.traits.add_trait(Pure())


def _bits_fault(op: Any) -> str | None:
    is_index = any(isinstance(element(t), IndexType) for t in (op.input.type, op.result.type))
    return "an index has no bits of its own: use arith.index_cast" if is_index else None


def _comparison_fault(op: Any) -> str | None:
    if op.lhs.type != op.rhs.type:
        return f"{op.lhs.type} is not compared with {op.rhs.type}"
    return one_of(16 if isinstance(op, CmpfOp) else 10, op.predicate)


check(lambda op: resized(op.input.type, op.result.type, AnyFloat, wider=True), ExtFOp)
check(lambda op: resized(op.input.type, op.result.type, AnyFloat, wider=False), TruncFOp)
check(_bits_fault, BitcastOp)
check(_comparison_fault, CmpiOp, CmpfOp)


# With it, folders turn values into constants.
_constants = Arith.get_interface(ConstantMaterializationInterface)
assert _constants is not None

ARITH = Dialect("arith", [*Arith.operations, RemfOp], list(Arith.attributes), [_constants])
