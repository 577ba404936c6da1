"""A PTX emulator on the CPU, with race and bounds checking. Needs numpy and ml_dtypes alone.

    from teenyir import emulator

    module = emulator.load(ptx)
    launch = module.launch("add", grid=4, block=256, args=[x, y, out, np.int32(1000)])

PTX text comes in, arrays that kernels have written go out, together with reports of what was wrong
and statistics. To read the code: `launch.py` is the way in; `syntax/` makes text a program,
`blocks.py` makes its functions blocks of bound instructions, `instructions/` says what each
instruction does, `execution/` runs them on numpy, and `checking/` finds what is wrong;
`debugger.py` stops at lines, `types.py` has PTX's types.
"""

from teenyir.emulator.checking.reports import KINDS, CheckError, Report
from teenyir.emulator.checking.statistics import AccessCount, Statistics
from teenyir.emulator.debugger import Stop
from teenyir.emulator.errors import (
    EmulatorError,
    ExecutionError,
    LaunchError,
    ParseError,
    UnsupportedError,
)
from teenyir.emulator.execution.textures import Surface, Texture
from teenyir.emulator.launch import (
    Argument,
    Breakpoints,
    Buffer,
    Launch,
    Module,
    Uninitialised,
    load,
)
from teenyir.emulator.syntax.parser import parse
from teenyir.emulator.syntax.program import SourceLine

__all__ = [
    "KINDS",
    "AccessCount",
    "Argument",
    "Breakpoints",
    "Buffer",
    "CheckError",
    "EmulatorError",
    "ExecutionError",
    "Launch",
    "LaunchError",
    "Module",
    "ParseError",
    "Report",
    "SourceLine",
    "Statistics",
    "Stop",
    "Surface",
    "Texture",
    "Uninitialised",
    "UnsupportedError",
    "load",
    "parse",
]
