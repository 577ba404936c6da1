"""IR in and out: text to modules and back, and the check that a module is well formed.

    context = make_context()
    module = parse_module(text, "gelu.mlir", context)
    verify_module(module)
    print(print_module(module))

Whatever is wrong with the text or the IR is raised as a `CompileError`.
"""

from __future__ import annotations

from io import StringIO
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from teenyir.pipeline.context import make_context
from teenyir.pipeline.limits import deep_recursion
from teenyir.pipeline.parse import parse_module
from teenyir.pipeline.verify import verify_module

__all__ = ["make_context", "parse_module", "print_module", "verify_module"]


def print_module(
    module: Operation,
    *,
    generic: bool = False,
    locations: bool = False,
    elide_larger_than: int | None = None,
    nests: bool = False,
    context: Context | None = None,
) -> str:
    """An operation as text that parses back, with a final newline.

    `generic` prints every operation in MLIR's generic form, `locations` adds `loc(...)`. A dense
    constant of more than `elide_larger_than` elements is printed as `dense_resource<__elided__>`.
    `nests` adds the loop tree of each kernel as comments. Resources are printed if the context they
    were parsed into is given.
    """
    stream = StringIO()
    printer = Printer(stream, print_generic_format=generic, print_debuginfo=locations)
    if elide_larger_than is not None or nests:
        printer = _ReadersPrinter(stream, generic, print_debuginfo=locations)
        printer.largest, printer.nests = elide_larger_than, nests
    with deep_recursion():
        printer.print_op(module)
        if context is not None:
            printer.print_metadata(context.loaded_dialects)
    return stream.getvalue().rstrip("\n") + "\n"


class _ReadersPrinter(Printer):
    """Elides large dense constants as MLIR does, and adds the loop trees of kernels."""

    largest: int | None = None
    """The most elements that are printed; None for any number."""
    nests: bool = False

    def print_op(self, op: Operation) -> None:
        super().print_op(op)
        if self.nests and op.name == "kernel.func":
            from teenyir.dialects import kernel
            from teenyir.pipeline.nests import NestPrinter

            assert isinstance(op, kernel.FuncOp)
            NestPrinter(self, self._print_new_line).print(op)

    def print_attribute(self, attribute: Attribute) -> None:
        if (shape := self._type_if_large(attribute)) is not None:
            self.print_string("dense_resource<__elided__> : ")
            attribute = shape
        super().print_attribute(attribute)

    def _type_if_large(self, attribute: Attribute) -> Attribute | None:
        if self.largest is None or not isinstance(attribute, DenseIntOrFPElementsAttr):
            return None
        dense = cast(DenseIntOrFPElementsAttr[Any], attribute)
        return dense.get_type() if not dense.is_splat() and len(dense) > self.largest else None
