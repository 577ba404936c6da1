"""What the functions of the kernel floor, the uop floor and the program level have in common.

NAME @f(out %y: type, in %x: type) dims(..) attributes {..} { body }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import ArrayAttr, StringAttr, SymbolNameConstraint
from xdsl.ir import Attribute, Block, BlockArgument, Region
from xdsl.irdl import IRDLOperation, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface

from teenyir.dialects.building import fill
from teenyir.dialects.dim_ranges import parse_dim_ranges
from teenyir.dialects.expr_attributes import DimsAttr
from teenyir.dialects.syntax import parse_signature, print_attributes, print_signature


class BufferFunction(IRDLOperation):
    """A function over buffers, each with a mode, and named extents with their ranges."""

    MODES: ClassVar[tuple[str, ...]]
    """What a buffer can be for the function."""

    sym_name = prop_def(SymbolNameConstraint())
    modes = prop_def(ArrayAttr[StringAttr])
    dims = prop_def(DimsAttr)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        modes: Sequence[str],
        buffers: Sequence[Attribute],
        dims: DimsAttr,
        body: Region | None = None,
    ):
        """Without a body it gets one empty block, with an argument for each type in `buffers`."""
        properties = {
            "sym_name": StringAttr(name),
            "modes": ArrayAttr(map(StringAttr, modes)),
            "dims": dims,
        }
        region = Region(Block(arg_types=buffers)) if body is None else body
        fill(self, (), (), properties, [region])

    @property
    def mode_words(self) -> list[str]:
        """The mode of each buffer."""
        return [mode.data for mode in self.modes]

    @property
    def buffers(self) -> Sequence[tuple[str, BlockArgument]]:
        """The buffer arguments with their modes."""
        modes = self.mode_words
        return tuple(zip(modes, self.body.block.args[: len(modes)], strict=True))

    # --- assembly -----------------------------------------------------------------------------

    @classmethod
    def parse_dims(cls, parser: Parser, arguments: list[Parser.Argument]) -> DimsAttr:
        """Parse `dims(N in 1..64)`, or nothing; may add to the arguments of the body."""
        if not parser.parse_optional_keyword("dims"):
            return DimsAttr(())
        with parser.in_parens():
            return DimsAttr(parse_dim_ranges(parser))

    def print_dims(self, printer: Printer) -> None:
        if self.dims.data:
            printer.print_string(f" dims({', '.join(map(str, self.dims.data))})")

    @classmethod
    def parse_rest(cls, parser: Parser) -> dict[str, Attribute]:
        """Parse what follows the extents into further properties."""
        return {}

    def print_rest(self, printer: Printer) -> None:
        """Print what `parse_rest` parses."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        modes, arguments = parse_signature(parser, cls.MODES)
        dims = cls.parse_dims(parser, arguments)
        rest = cls.parse_rest(parser)
        found = parser.parse_optional_attr_dict_with_keyword()
        op = cls(name.data, modes, (), dims, parser.parse_region(arguments))
        op.properties |= rest
        op.attributes |= {} if found is None else found.data
        return op

    def print(self, printer: Printer) -> None:
        modes = self.mode_words
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name)
        print_signature(printer, modes, self.body.block.args[: len(modes)])
        self.print_dims(printer)
        self.print_rest(printer)
        print_attributes(printer, self)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)
