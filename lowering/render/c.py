"""C11 from uop functions and the program that launches them: one file that needs libm alone.

The printer decides nothing: `legalize-floats` has seen to the types that C lacks, `plan-arena` to
where buffers are. An op that is an expression has a row in `c_rows`, one that is more in
`c_statements`; `c_function` knows names, lines and which values are variables, `c_entry` the
program, `c_helpers` the functions that stand for what C has no operator for, `c_types` types and
literals. Vectors are arrays, their ops loops over lanes.

    %i2 = arith.muli %i, %c784 : index
    %o = arith.addi %i2, %k : index      -->  const float a = x[i * 784 + k];
    %a = uop.load %x[%o] : f32

`C` is what makes it C and not another language of the family (see `c_language`, and `cuda_c`).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp

from teenyir.dialects import program, uop
from teenyir.lowering.render.c_entry import entry_text, exported_names
from teenyir.lowering.render.c_function import File, FunctionText
from teenyir.lowering.render.c_language import Language
from teenyir.lowering.render.c_rows import ROWS
from teenyir.lowering.render.c_statements import STATEMENTS
from teenyir.rewriting.base import fail

_HEAD = """\
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
"""


def _kernel(func: uop.FuncOp, private: bool) -> str:
    return "static void" if private else "void"


C = Language(
    name="C",
    head=_HEAD,
    restrict="restrict",
    kernel=_kernel,
    note=lambda func: "",
    rows=ROWS,
    statements=STATEMENTS,
)


def c_text(module: ModuleOp) -> str:
    """The C of a module of uop functions and programs.

    A kernel that a program launches is `static`, any other can be called from outside. A function
    that is named as one of C's own, `main` among them, is `teeny_main`. Raises PassError, at the
    op, for what C has no form for.
    """
    return source_text(module, C, entry_text)


def source_text(
    module: ModuleOp, language: Language, entry: Callable[[program.FuncOp, File], str]
) -> str:
    """A module in a language of C's family; `entry` prints its programs."""
    file = named_functions(module, language)
    launched = {
        op.kernel.string_value() for op in module.walk() if isinstance(op, program.LaunchOp)
    }
    functions: list[str] = []
    for op in module.body.ops:
        match op:
            case uop.FuncOp():
                private = op.sym_name.data in launched
                functions.append(FunctionText(file).print(op, private))
            case program.FuncOp():
                functions.append(entry(op, file))
            case _:
                made = f"{language.name} is made of uop.func and program.func"
                raise fail(op, f"{made}, not of {op.name}")
    # kernels before the programs that call them, wherever they stand in the module
    functions.sort(key=lambda text: text.startswith("/* Program"))
    return "\n".join([language.head, *file.helpers.texts.values(), *functions]).rstrip("\n") + "\n"


def named_functions(module: ModuleOp, language: Language = C) -> File:
    """The names that the functions of a module have in C, in `symbols`."""
    file = File(language)
    for op in module.body.ops:
        if isinstance(op, uop.FuncOp | program.FuncOp):
            symbol = file.names.symbol(op.sym_name.data)
            file.symbols[op.sym_name.data] = symbol
            if isinstance(op, program.FuncOp):
                file.names.taken.update(exported_names(symbol))
    return file
