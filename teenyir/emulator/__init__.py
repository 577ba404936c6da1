"""A PTX emulator on the CPU, with race and bounds checking. Needs numpy and ml_dtypes alone.

    from teenyir import emulator

    module = emulator.load(ptx)
    launch = module.launch("add", grid=4, block=256, args=[x, y, out, np.int32(1000)])

PTX text comes in, arrays that kernels have written go out, together with reports of what was wrong
and statistics. To read the code, start with `program.py` (the program as parsed) and `parser.py`,
then `machine.py` (lanes, blocks, the main loop) and `image.py` (a kernel made ready to run);
`binder.py` and any of the tables (`integer.py`, `floating.py`, …) show how an instruction becomes
numpy calls; `checker.py` and `clocks.py` find faults; `launch.py` is the way in.
"""

from teenyir.emulator.debugger import Stop
from teenyir.emulator.errors import (
    EmulatorError,
    ExecutionError,
    LaunchError,
    ParseError,
    UnsupportedError,
)
from teenyir.emulator.launch import (
    Argument,
    Breakpoints,
    Buffer,
    Launch,
    Module,
    Uninitialised,
    load,
)
from teenyir.emulator.parser import parse
from teenyir.emulator.program import SourceLine
from teenyir.emulator.reports import KINDS, CheckError, Report
from teenyir.emulator.statistics import AccessCount, Statistics
from teenyir.emulator.textures import Surface, Texture

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
