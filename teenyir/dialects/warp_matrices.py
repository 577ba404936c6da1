"""What the matrix instructions of a warp have in common on the kernel floor and the uop floor."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.targets.tensor_cores import Product, named


class ProductOp(IRDLOperation):
    """An op that stands for a row of the table in `teenyir.targets.tensor_cores`."""

    shape = prop_def(StringAttr)
    type = prop_def(StringAttr)

    @property
    def product(self) -> Product:
        """The instruction. The verifier has made sure that there is one."""
        row = named(self.shape.data, self.type.data)
        assert row is not None
        return row

    def print_product(self, printer: Printer) -> None:
        """Print ` {shape = "m16n8k16", type = "f16", ..}`, with all attributes."""
        printer.print_string(" ")
        printer.print_attr_dict({"shape": self.shape, "type": self.type, **self.attributes})

    def verify_product(self) -> Product:
        """The instruction. Raises VerifyException where there is none."""
        if (row := named(self.shape.data, self.type.data)) is None:
            raise VerifyException(
                f"no matrix instruction {self.shape.data} of {self.type.data} "
                "(see teenyir.targets.tensor_cores)"
            )
        return row


def parse_product(parser: Parser) -> tuple[tuple[str, str], dict[str, Attribute]]:
    """The shape and the type that `print_product` printed, and the other attributes."""
    start = parser.pos
    words = parser.parse_optional_attr_dict()
    shape, type = words.pop("shape", None), words.pop("type", None)
    if not isinstance(shape, StringAttr) or not isinstance(type, StringAttr):
        parser.raise_error("expected a shape and a type", start, parser.pos)
    return (shape.data, type.data), words


def elements_in_register(element: Attribute) -> int:
    """How many elements of a scalar type lie in a register of 32 bits; 0 of one that is wider."""
    return 4 // SCALAR_BYTES[element]


def verify_loaded(element: Attribute, count: int, *, transposed: bool) -> None:
    """Check that a lane can get so many elements by one matrix load. Raises VerifyException."""
    packed = elements_in_register(element)
    if packed == 0 or (transposed and packed == 1):
        raise VerifyException(f"there are no such matrices of {element}")
    counts = (packed, 2 * packed, 4 * packed)
    if count not in counts:
        raise VerifyException(
            f"a lane gets {counts[0]}, {counts[1]} or {counts[2]} elements, not {count}"
        )
