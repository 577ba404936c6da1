"""IR in and out: text to modules and back, and the check that a module is well formed.

    context = make_context()
    module = parse_module(text, "gelu.mlir", context)
    verify_module(module)
    print(print_module(module))

Whatever is wrong with the text or the IR is raised as a `CompileError`.
"""

from __future__ import annotations

from io import StringIO

from xdsl.context import Context
from xdsl.ir import Operation
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
    context: Context | None = None,
) -> str:
    """An operation as text that parses back, with a final newline.

    `generic` prints every operation in MLIR's generic form, `locations` adds `loc(...)`. Resources
    (`dense_resource`) are printed if the context they were parsed into is given.
    """
    stream = StringIO()
    printer = Printer(stream, print_generic_format=generic, print_debuginfo=locations)
    with deep_recursion():
        printer.print_op(module)
        if context is not None:
            printer.print_metadata(context.loaded_dialects)
    return stream.getvalue().rstrip("\n") + "\n"
