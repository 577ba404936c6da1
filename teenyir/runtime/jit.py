"""LLVM IR text to machine code, and machine code into this process.

    code = compile_object(text, host())     bytes of a relocatable object, from the cache if it can
    library = load(code)                    in memory, symbols of libm resolved
    library.address("main")

LLVM's own passes are built here for the target (`O2` with both vectorisers by default): llvmlite's
defaults leave the vectorisers off.
"""

from __future__ import annotations

import ctypes
import itertools
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from teenyir.diagnostics import CompileError, InternalError, did_you_mean
from teenyir.forking import wait_for
from teenyir.lowering.uop_to_llvm.threads import PARALLEL_FOR
from teenyir.runtime import half
from teenyir.runtime.llvm_faults import REVISION, is_suspect, without_one_lane_stores
from teenyir.runtime.object_cache import ObjectCache, key_of
from teenyir.runtime.pool_code import SYMBOLS, pool_code
from teenyir.runtime.threads import Pool
from teenyir.targets.cpu import Cpu, host, llvmlite_binding

binding = llvmlite_binding()

_LOCK = threading.RLock()
"""LLVM's global tables and the one JIT are not ours to use from two threads."""

wait_for(_LOCK, depth=1)
wait_for(binding.ffi.lib._lock._lock, depth=2)
"""What llvmlite holds around each call of LLVM, where garbage is collected too."""


@dataclass(frozen=True)
class CodeOptions:
    """How LLVM treats the code."""

    level: int = 2
    """0 to 3, as in `-O2`."""
    loop_vectorize: bool = True
    slp_vectorize: bool = True
    unroll: bool = True

    def __str__(self) -> str:
        flags = (self.loop_vectorize, self.slp_vectorize, self.unroll)
        return f"O{self.level}" + "".join("1" if flag else "0" for flag in flags)


CODE_MODEL = "small"
"""Constants and code of an object are within 2 GiB: a constant is an operand, or loaded anew where
registers are short. If it might be anywhere, each would have its address in a register, and vectors
of constants would be moved to and fro instead."""

DEFAULT_OPTIONS = CodeOptions()
AS_WRITTEN = CodeOptions(level=0)
"""For code that was written by hand, and takes longer to improve than it will ever run."""


@cache
def _initialized(everything: bool) -> None:
    """Set LLVM's code generators up: the host's, or all that it was built with."""
    if everything:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    else:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()


_ASK_FOR_CPUS = """
import sys
from llvmlite import binding
binding.initialize_all_targets()
binding.initialize_all_asmprinters()
binding.Target.from_triple(sys.argv[1]).create_target_machine(cpu="help")
"""


@cache
def known_cpus(triple: str) -> frozenset[str]:
    """LLVM's names of the CPUs of a triple; empty if it does not tell.

    A name that LLVM does not know can make it end the process, and the names can only be had by
    making it print them: a process of its own does that.
    """
    command = [sys.executable, "-c", _ASK_FOR_CPUS, triple]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    return frozenset(re.findall(r"^  (\S+) +- Select the \S+ processor", told, re.MULTILINE))


def check_cpu(cpu: Cpu) -> None:
    """Raises CompileError for a CPU that LLVM does not know."""
    if not cpu.cpu or cpu == host():
        return
    names = known_cpus(cpu.triple)
    if names and cpu.cpu not in names:
        hint = did_you_mean(cpu.cpu, names)
        raise CompileError(f"LLVM knows no CPU '{cpu.cpu}' of {cpu.triple}{hint}")


def target_machine(cpu: Cpu, options: CodeOptions = DEFAULT_OPTIONS) -> Any:
    """llvmlite's target machine. Raises CompileError for a triple or CPU that LLVM has not."""
    with _LOCK:
        _initialized(cpu.triple != host().triple)
        try:
            target = binding.Target.from_triple(cpu.triple)
        except RuntimeError as problem:
            raise CompileError(f"LLVM has no target '{cpu.triple}': {problem}") from None
        check_cpu(cpu)
        return target.create_target_machine(
            cpu=cpu.cpu,
            features=cpu.features,
            opt=options.level,
            reloc="pic",
            codemodel=CODE_MODEL,
            jit=False,
        )


def parse(text: str, cpu: Cpu, machine: Any) -> Any:
    """llvmlite's module for LLVM IR text, verified, for the target."""
    with _LOCK:
        try:
            module = binding.parse_assembly(text)
            module.triple = cpu.triple
            module.data_layout = str(machine.target_data)
            module.verify()
        except RuntimeError as problem:
            raise InternalError(f"LLVM refuses the code made for it: {problem}") from None
        return module


def optimize(module: Any, machine: Any, options: CodeOptions = DEFAULT_OPTIONS) -> None:
    """Run LLVM's passes on a module."""
    with _LOCK:
        tuning = binding.create_pipeline_tuning_options(options.level)
        tuning.loop_vectorization = options.loop_vectorize
        tuning.slp_vectorization = options.slp_vectorize
        tuning.loop_interleaving = options.loop_vectorize
        tuning.loop_unrolling = options.unroll
        builder = binding.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)


def optimized(text: str, cpu: Cpu, options: CodeOptions = DEFAULT_OPTIONS) -> tuple[Any, Any]:
    """The optimised module of LLVM IR text, and the target machine to print it with."""
    with _LOCK:
        machine = target_machine(cpu, options)
        module = parse(text, cpu, machine)
        optimize(module, machine, options)
        if is_suspect(text) and (mended := without_one_lane_stores(str(module))) is not None:
            module = parse(mended, cpu, machine)
        return module, machine


def assembly(text: str, cpu: Cpu | None = None, options: CodeOptions = DEFAULT_OPTIONS) -> str:
    """The assembly of LLVM IR text, optimised."""
    with _LOCK:
        module, machine = optimized(text, cpu or host(), options)
        return machine.emit_assembly(module)


def compile_object(
    text: str,
    cpu: Cpu | None = None,
    options: CodeOptions = DEFAULT_OPTIONS,
    objects: ObjectCache | None = None,
) -> bytes:
    """A relocatable object of LLVM IR text, optimised; looked up in `objects` first, if given.

    Raises CompileError where LLVM refuses the text or the target.
    """
    cpu = cpu or host()
    version = f"llvm {binding.llvm_version_info}, {REVISION}, {CODE_MODEL}"
    key = key_of((text, version, cpu.triple, cpu.cpu, cpu.features, str(options)))
    if objects is not None and (known := objects.get(key)) is not None:
        return known
    with _LOCK:
        module, machine = optimized(text, cpu, options)
        code: bytes = machine.emit_object(module)
    if objects is not None:
        objects.put(key, code)
    return code


# --- in this process ------------------------------------------------------------------------------


@cache
def _load_math_library() -> None:
    """Make libm's symbols visible to the JIT where Python itself did not load it."""
    name = {"linux": "libm.so.6", "darwin": "libSystem.dylib"}.get(sys.platform)
    if name is not None:
        try:
            ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            ctypes.CDLL(None, mode=ctypes.RTLD_GLOBAL)


@cache
def _jit() -> Any:
    _initialized(False)
    _load_math_library()
    # (JITLink has all of an object in one place, which the code model needs)
    return binding.create_lljit_compiler(
        target_machine(host()), use_jit_link=True, suppress_errors=True
    )


_NUMBERS = itertools.count()


class Library:
    """An object loaded into this process; its code lives as long as this does."""

    def __init__(self, tracker: Any, symbols: tuple[str, ...]):
        self._tracker = tracker
        self.symbols = symbols

    def address(self, symbol: str) -> int:
        """The address of one of the symbols asked for when it was loaded."""
        if symbol not in self.symbols:
            raise InternalError(f"no symbol '{symbol}'{did_you_mean(symbol, self.symbols)}")
        return self._tracker[symbol]


def load(code: bytes, symbols: Iterable[str] = ("main",)) -> Library:
    """Load an object of the host's into this process and resolve what it calls.

    Raises InternalError where it calls a function that neither libm nor the process has.
    """
    wanted = tuple(symbols)
    with _LOCK:
        known = {PARALLEL_FOR: pool().parallel_for} if PARALLEL_FOR.encode() in code else {}
        try:
            return _link(code, wanted, known)
        except RuntimeError:
            pass
        try:
            helpers = _half_conversions()
            known |= {symbol: helpers.address(symbol) for symbol in helpers.symbols}
            return _link(code, wanted, known)
        except RuntimeError as problem:
            raise InternalError(f"compiled code cannot be linked: {problem}") from None


def _link(code: bytes, symbols: tuple[str, ...], known: Mapping[str, int]) -> Library:
    builder = binding.JITLibraryBuilder().add_object_img(code).add_current_process()
    for symbol, address in known.items():
        builder.import_symbol(symbol, address)
    for symbol in symbols:
        builder.export_symbol(symbol)
    return Library(builder.link(_jit(), f"teenyir.{next(_NUMBERS)}"), symbols)


@cache
def pool() -> Pool:
    """The threads of this process that kernels run in; started when they are first needed."""
    with _LOCK:
        code = pool_code(host().triple)
        compiled = compile_object(code, options=AS_WRITTEN, objects=ObjectCache())
        return Pool(_link(compiled, SYMBOLS, {}))


@cache
def _half_conversions() -> Library:
    """What code for a CPU without f16 calls; never unloaded."""
    return _link(compile_object(half.LLVM_IR), half.SYMBOLS, {})
