"""A program in CUDA C: its launches as a table in a comment, and as a function of the host.

    cudaError_t NAME(void *const *buffers, const int64_t *dims, void *arena, cudaStream_t stream);

`buffers` and `arena` are memory of the GPU, aligned to 16 bytes. The function launches all kernels
on the stream and returns; where a branch or a loop stands around launches, it waits for the
condition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.ir import Operation, Region, SSAValue

from teenyir.dialects import program, uop
from teenyir.dialects.expr import ONE, Expr
from teenyir.lowering.render.c_entry import ALIGNMENT, Entry, buffer_type
from teenyir.lowering.render.c_function import File
from teenyir.lowering.render.c_rows import SUM
from teenyir.lowering.render.cuda_c_ops import ALIGNMENT as OF_BUFFERS
from teenyir.lowering.render.cuda_c_ops import is_wide
from teenyir.rewriting.base import fail


def cuda_entry_text(func: program.FuncOp, file: File) -> str:
    """The constants of a program, its table of launches, and what the host calls.

    Raises PassError before `plan-arena` has run, and for an element type that there is none for.
    """
    return CudaEntry(func, file).text()


_HOLDS = """\
#ifndef __CUDACC_RTC__
static inline cudaError_t {name}(const uint8_t *condition, bool *flag, cudaStream_t stream) {{
    uint8_t byte = 0;
    cudaError_t error = cudaMemcpyAsync(&byte, condition, 1, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    *flag = byte != 0;
    return error;
}}
#endif
"""


@dataclass
class CudaEntry(Entry):
    """A program in the making."""

    table: list[str] = field(default_factory=list[str])
    """The launches as lines of the comment."""
    places: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Where each buffer is, as the table says it."""

    def print(self) -> str:
        for number, (_, argument) in enumerate(self.func.buffers):
            self.places[argument] = f"buffers[{number}]"
        self.read()
        if self.func.arena is None:
            raise fail(
                self.func, "this program's buffers have no places yet: run plan-arena before"
            )
        self._list(self.func.body, 1)
        host = [*self.questions(), *self.entry()]
        start = ["#ifndef __CUDACC_RTC__", 'extern "C" {']
        text = "\n".join([self.comment(), *self.globals, *start, *host]).rstrip()
        return f"{text}\n}}\n#endif\n"

    # --- the table --------------------------------------------------------------------------------

    def remarks(self) -> Iterable[str]:
        assert self.func.arena is not None  # `print` has seen to it
        yield f"arena  {self.func.arena.data} bytes"
        yield ""
        yield "Launches in their order; a grid with a 0 in it is left out:"
        yield from self.table

    def _list(self, region: Region, depth: int) -> None:
        for op in region.block.ops:
            indented = "    " * depth
            match op:
                case program.LaunchOp():
                    self.table.append(indented + self._described(op))
                case program.ViewOp():
                    start = op.offset.data
                    target, source = self.places[op.target], self.places[op.source]
                    self.table.append(f"{indented}copy {source} from {start} on to {target}")
                case program.IfOp():
                    self.table.append(f"{indented}if {self.places[op.condition]}")
                    self._list(op.then, depth + 1)
                    if op.otherwise.block.ops:
                        self.table.append(f"{indented}else")
                        self._list(op.otherwise, depth + 1)
                case program.WhileOp():
                    self.table.append(f"{indented}while {self.places[op.condition]}, after")
                    self._list(op.cond, depth + 1)
                    self.table.append(f"{indented}do")
                    self._list(op.body, depth + 1)
                case _:
                    pass

    def _described(self, op: program.LaunchOp) -> str:
        callee = op.callee()
        grid, block = _sizes(op)
        arguments = [self.places[buffer] for buffer in op.buffers]
        listed = ", ".join([*arguments, *callee.dims.names])
        grid_text, block_text = (", ".join(map(str, sizes)) for sizes in (grid, block))
        name = self.file.symbols[callee.sym_name.data]
        return f"{name} grid [{grid_text}] block [{block_text}] ({listed})"

    # --- functions of the host --------------------------------------------------------------------

    def signature(self) -> str:
        return (
            f"cudaError_t {self.symbol}(void *const *buffers, const int64_t *dims, "
            "void *arena, cudaStream_t stream)"
        )

    def opening(self) -> Iterable[str]:
        if self._has_wide_accesses():
            pointers = [
                "arena",
                *(f"buffers[{number}]" for number, _ in enumerate(self.func.modes)),
            ]
            yield f"    const void *const pointers[] = {{{', '.join(pointers)}}};"
            yield "    for (const void *pointer : pointers)"
            misaligned = f"(uintptr_t)pointer % {OF_BUFFERS} != 0"
            yield f"        if ({misaligned}) return cudaErrorMisalignedAddress;"
        if self.globals or self._has(program.IfOp, program.WhileOp, program.ViewOp):
            yield "    cudaError_t error = cudaSuccess;"
        if self._has(program.IfOp, program.WhileOp):
            yield "    bool flag = false;"

    def _has(self, *kinds: type[Operation]) -> bool:
        return any(isinstance(op, kinds) for op in self.func.body.walk())

    def _has_wide_accesses(self) -> bool:
        launches = (op for op in self.func.body.walk() if isinstance(op, program.LaunchOp))
        return any(is_wide(op) for launch in launches for op in launch.callee().walk())

    def end(self) -> Iterable[str]:
        return ("    return cudaGetLastError();", "}\n")

    def converted(self, address: str, type: str) -> str:
        return f"({type}){address.removeprefix('(void *)')}"

    def alloc(self, op: program.AllocOp) -> None:
        super().alloc(op)
        assert op.offset is not None  # C's refuses it
        self.places[op.result] = f"arena + {op.offset.data}"

    def constant_head(self, type: str, declared: str) -> str:
        return f'extern "C" __device__ __align__({ALIGNMENT}) const {type} {declared}'

    def constant(self, op: program.ConstantOp) -> None:
        """A constant is in the memory of the GPU; the host asks where."""
        super().constant(op)
        symbol = self.values[op.result]
        self.places[op.result] = symbol
        name = self.names.new(op.result.name_hint or "constant")
        self.lines.append(f"    void *{name}_at = nullptr;")
        self._must(f"cudaGetSymbolAddress(&{name}_at, {symbol})")
        self.pointer(op.result, f"{name}_at", "const ")

    def launch(self, op: program.LaunchOp) -> None:
        """A launch of the kernel, unless it has no blocks."""
        callee = op.callee()
        grid, block = _sizes(op)
        conditions: list[str] = []
        sizes: list[str] = []
        for size in grid:
            text = self.expression(size)
            if size.constant is None:
                blocks = self.names.new("blocks")
                self.line(f"const int64_t {blocks} = {text.code};")
                conditions.append(f"{blocks} > 0")
                sizes.append(f"(uint32_t){blocks}")
            else:
                conditions += [] if size.constant > 0 else ["false"]
                sizes.append(text.code)
        guard = f"if ({' && '.join(conditions)}) " if conditions else ""
        arguments = [self.values[buffer] for buffer in op.buffers]
        arguments += [self.extents[name] for name in callee.dims.names]
        threads = ", ".join(map(str, block))
        self.line(
            f"{guard}{self.file.symbols[callee.sym_name.data]}"
            f"<<<dim3({', '.join(sizes)}), dim3({threads}), 0, stream>>>({', '.join(arguments)});"
        )

    def view(self, op: program.ViewOp) -> None:
        """Nothing, where the caller has placed the output on what it shows; else a copy."""
        target, source = self.values[op.target], self.values[op.source]
        start = self.expression(op.offset.data).at(SUM)
        size = self.bytes(buffer_type(op.target))
        self.line(f"if ({target} != {source} + {start}) {{")
        self.depth += 1
        self._must(
            f"cudaMemcpyAsync({target}, {source} + {start}, (size_t)({size}), "
            "cudaMemcpyDeviceToDevice, stream)"
        )
        self.depth -= 1
        self.line("}")

    def condition(self, buffer: SSAValue) -> str:
        self.file.helpers.put("holds", _HOLDS)
        self._must(f"holds({self.values[buffer]}, &flag, stream)")
        return "flag"

    def _must(self, call: str) -> None:
        self.line(f"if ((error = {call}) != cudaSuccess) return error;")


def _sizes(op: program.LaunchOp) -> tuple[tuple[Expr, ...], tuple[int, ...]]:
    """The grid and the block of a launch: one thread, where the kernel says nothing."""
    callee = op.callee()
    if not isinstance(callee, uop.FuncOp):
        raise fail(op, f"{op.kernel} is on the kernel floor: run kernel-to-uop before")
    return callee.launch or ((ONE,), (1,))
