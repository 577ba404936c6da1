"""The `arith` dialect: xDSL's, and the op of MLIR's that it lacks."""

from xdsl.dialects.arith import Arith, FloatingPointLikeBinaryOperation
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Pure, SameOperandsAndResultType


@irdl_op_definition
class RemfOp(FloatingPointLikeBinaryOperation):
    """The remainder of `lhs / rhs` rounded toward zero, with the sign of `lhs`: C's `fmod`."""

    name = "arith.remf"

    traits = traits_def(Pure(), SameOperandsAndResultType())


ARITH = Dialect("arith", [*Arith.operations, RemfOp], list(Arith.attributes))
