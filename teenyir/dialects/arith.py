"""The `arith` dialect: xDSL's, with what it lacks of MLIR's: an op, and traits of two."""

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects.arith import (
    Arith,
    ExtSIOp,
    FloatingPointLikeBinaryOperation,
    IntegerOverflowAttr,
    IntegerOverflowFlag,
    RemUIOp,
)
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Pure, SameOperandsAndResultType

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


# With it, folders turn values into constants.
_constants = Arith.get_interface(ConstantMaterializationInterface)
assert _constants is not None

ARITH = Dialect("arith", [*Arith.operations, RemfOp], list(Arith.attributes), [_constants])
