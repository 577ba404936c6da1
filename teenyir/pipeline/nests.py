"""The loops of a kernel as comments: the tree that its ranges stand for, with trip counts.

    kernel.func @sum(..) {
      ..
    }
    // loops of @sum:
    //   for %i in 0 to N: N times
    //     for %j in 0 to 4: 4 times
    //       %0 = kernel.load
    //       update %1
    //     %1 = kernel.reduce
    //     kernel.store

An op stands where it runs; a reduction takes its operand in where it says `update`, and is complete
where it stands. Arithmetic is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects import kernel
from teenyir.dialects.kernel.nest import Item, Loop, Nest, Update
from teenyir.dialects.syntax import print_expr


@dataclass
class NestPrinter:
    """Writes the loop tree of kernels that `printer` has just printed, in the names it gave."""

    printer: Printer
    new_line: Callable[[], None]

    def print(self, func: kernel.FuncOp) -> None:
        """Write the tree of a kernel, or why it has none."""
        self._line(0)
        self.printer.print_string(f"loops of @{func.sym_name.data}:")
        try:
            root = Nest(func).root
        except VerifyException as e:
            self.printer.print_string(f" none: {e}")
            return
        self._body(root, 1)

    def _line(self, depth: int) -> None:
        self.new_line()
        self.printer.print_string("// " + "  " * depth)

    def _body(self, loop: Loop, depth: int) -> None:
        for item in loop.body:
            if isinstance(item, Operation) and not item.name.startswith("kernel."):
                continue
            self._line(depth)
            self._item(item, depth)

    def _item(self, item: Item, depth: int) -> None:
        if isinstance(item, Update):
            self.printer.print_string("update ")
            self._results(item.closer)
        elif isinstance(item, Loop):
            assert item.range is not None  # only the root has none
            self._loop(item.range)
            self._body(item, depth + 1)
        else:
            if item.results:
                self._results(item)
                self.printer.print_string(" = ")
            self.printer.print_string(item.name)

    def _loop(self, op: kernel.RangeOp) -> None:
        lower, upper = op.exprs
        self.printer.print_string("for ")
        self.printer.print_ssa_value(op.result)
        for before, expr in ((" in ", lower), (" to ", upper), (": ", upper - lower)):
            self.printer.print_string(before)
            print_expr(self.printer, expr, op.index_values)
        self.printer.print_string(" times")

    def _results(self, op: Operation) -> None:
        self.printer.print_list(op.results, self.printer.print_ssa_value)
