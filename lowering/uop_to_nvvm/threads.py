"""uop ops that only a GPU has: ids, shared memory, barriers, approximate functions, matrices."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float64Type,
    IntAttr,
    IntegerType,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from teenyir.dialects import llvm, nvvm, uop
from teenyir.dialects.arith import RemfOp
from teenyir.dialects.lanewise import ApproximateOp, SaturatedFmaOp
from teenyir.lowering.uop_to_llvm.arithmetic import shift_left_or_logical
from teenyir.lowering.uop_to_llvm.control import element_address, local_memory
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Rule
from teenyir.lowering.uop_to_llvm.mathematics import MATHEMATICS
from teenyir.lowering.uop_to_llvm.types import NoType, machine_type, memory_type, width
from teenyir.targets.cuda import BUFFER_ALIGNMENT, WARP
from teenyir.targets.tensor_cores import Product

SHARED = stock.LLVMPointerType(IntAttr(3))
"""LLVM's address space of the memory that a block shares."""

_REGISTERS = {"grid": "ctaid", "thread": "tid"}


def _special(emitter: Emitter, op: uop.SpecialOp) -> SSAValue:
    level, axis = op.axis.data.split(".")
    register = emitter.value(nvvm.SPECIAL_REGISTERS[f"{_REGISTERS[level]}.{axis}"]())
    return emitter.value(stock.ZExtOp(register, i64))


def _barrier(emitter: Emitter, op: uop.BarrierOp) -> None:
    emitter.emit(nvvm.Barrier0Op())


def _local(emitter: Emitter, op: uop.LocalOp) -> SSAValue:
    """Shared memory is a variable of the module."""
    if op.space != "shared":
        return local_memory(emitter, op)
    assert isinstance(op.result.type, uop.PtrType)
    scalar = memory_type(machine_type(op.result.type.element))
    variable = stock.GlobalOp(
        stock.LLVMArrayType(op.count, scalar),
        f"{function_name(op)}.shared.{len(emitter.globals)}",
        "internal",
        addr_space=3,
        alignment=BUFFER_ALIGNMENT,
    )
    variable.location = op.location
    emitter.globals.append(variable)
    return emitter.value(stock.AddressOfOp(variable.sym_name.data, SHARED))


def _copy_async(emitter: Emitter, op: uop.CopyAsyncOp) -> None:
    """Where the gate does not hold, no byte of all is read."""
    source, _ = element_address(emitter, op.source, op.source_offset)
    target, _ = element_address(emitter, op.target, op.target_offset)
    size = None
    if op.gate is not None:
        all, none = emitter.constant(op.bytes, i32), emitter.constant(0, i32)
        size = emitter.select(emitter.of(op.gate), all, none)
    emitter.emit(nvvm.CpAsyncOp(target, source, op.bytes, size))


def _commit(emitter: Emitter, op: uop.CommitCopiesOp) -> None:
    emitter.emit(nvvm.CpAsyncCommitGroupOp())


def _wait(emitter: Emitter, op: uop.WaitCopiesOp) -> None:
    emitter.emit(nvvm.CpAsyncWaitGroupOp(op.youngest))


def _shuffle(emitter: Emitter, op: uop.ShuffleOp) -> SSAValue:
    """The value in pieces of 32 bits."""
    value = emitter.of(op.value)
    bits = width(value.type)
    integer = IntegerType(bits)
    whole = _bits(emitter, value, integer)
    if bits < 32:
        piece = _exchanged(emitter, emitter.value(stock.ZExtOp(whole, i32)), op.bits)
        return _bits(emitter, emitter.value(stock.TruncOp(piece, integer)), value.type)
    count = bits // 32
    pieces = emitter.value(stock.BitcastOp(whole, VectorType(i32, [count])))
    for number in range(count):
        at = emitter.constant(number)
        piece = emitter.value(llvm.ExtractElementOp(pieces, at))
        piece = _exchanged(emitter, piece, op.bits)
        pieces = emitter.value(stock.InsertElementOp(pieces, piece, at))
    return _bits(emitter, emitter.value(stock.BitcastOp(pieces, integer)), value.type)


def _bits(emitter: Emitter, value: SSAValue, type: Attribute) -> SSAValue:
    """A value's bits as another type of as many."""
    return value if value.type == type else emitter.value(stock.BitcastOp(value, type))


def _exchanged(emitter: Emitter, value: SSAValue, mask: int) -> SSAValue:
    lanes, clamp = emitter.constant(-1, i32), emitter.constant(WARP - 1, i32)
    by = emitter.constant(mask, i32)
    return emitter.value(nvvm.ShflOp(nvvm.ShflKind.BFLY, lanes, value, by, clamp))


def function_name(op: Operation) -> str:
    """The symbol of the kernel that an op stands in."""
    func = op.parent_op()
    while func is not None and not isinstance(func, uop.FuncOp):
        func = func.parent_op()
    return "" if func is None else func.sym_name.data


# --- functions ------------------------------------------------------------------------------------

_APPROXIMATIONS = {
    "exp2": "ex2.approx.ftz",
    "gradual_exp2": "ex2.approx",
    "reciprocal": "rcp.approx.ftz",
    "rsqrt": "rsqrt.approx",
}
"""By function the instruction that approximates it, as LLVM names it."""


def _approximate(emitter: Emitter, op: ApproximateOp) -> SSAValue:
    name = f"llvm.nvvm.{_APPROXIMATIONS[op.function.data]}.f"

    def scalar(x: SSAValue) -> SSAValue:
        return emitter.intrinsic(name, [x], [x.type]).results[0]

    return emitter.lanewise(scalar, emitter.of(op.x), result=machine_type(op.result.type))


def _saturated_fma(emitter: Emitter, op: SaturatedFmaOp) -> SSAValue:
    def scalar(*values: SSAValue) -> SSAValue:
        name = "llvm.nvvm.fma.rn.sat.f"
        return emitter.intrinsic(name, values, [values[0].type]).results[0]

    operands = [emitter.of(value) for value in op.operands]
    return emitter.lanewise(scalar, *operands, result=machine_type(op.result.type))


# --- what LLVM has no PTX for ---------------------------------------------------------------------


def _no_library(emitter: Emitter, op: Operation) -> SSAValue:
    type = op.results[0].type
    f64 = "{f64=true}" if isinstance(type, Float64Type) else ""
    hint = f"run expand-math{f64} before"
    if isinstance(op, RemfOp):
        hint = "run expand-remainders before"
    raise NoType(f"{op.name} of {type} has no form in PTX, and a GPU has no libm: {hint}")


_INSTRUCTIONS = (
    *(math.AbsFOp, math.AbsIOp, math.CountLeadingZerosOp, math.CountTrailingZerosOp),
    *(math.CtPopOp, math.CeilOp, math.FloorOp, math.TruncOp, math.RoundOp, math.RoundEvenOp),
    *(math.SqrtOp, math.RsqrtOp, math.CopySignOp, math.FmaOp),
)

# --- matrices -------------------------------------------------------------------------------------


def _mma(emitter: Emitter, op: uop.MmaOp) -> Sequence[SSAValue]:
    """Registers are packed of elements, and a structure comes back."""
    product = op.product
    a, b = (_packed(emitter, emitter.all(values), product) for values in (op.a, op.b))
    c = emitter.all(op.c)
    if product.name in tuple(nvvm.MMAType):
        shape = (product.m, product.n, product.k)
        result = emitter.value(nvvm.MmaOp(shape, nvvm.MMAType(product.name), a, b, c))
    else:
        result = emitter.value(_assembly(product, a, b, c))
    return [
        emitter.value(
            stock.ExtractValueOp(DenseArrayBase.from_list(i64, [number]), result, value.type)
        )
        for number, value in enumerate(c)
    ]


def _load_matrix(emitter: Emitter, op: uop.LoadMatrixOp) -> Sequence[SSAValue]:
    """Registers come, each of some elements."""
    start, _ = element_address(emitter, op.pointer, op.offset)
    layout = nvvm.MMALayout.ROW if op.transposed is None else nvvm.MMALayout.COL
    loaded = emitter.value(nvvm.LdMatrixOp(start, op.matrices, layout))
    elements: list[SSAValue] = []
    type = machine_type(op.outputs[0].type)
    for number in range(op.matrices):
        register = loaded
        if op.matrices > 1:
            at = DenseArrayBase.from_list(i64, [number])
            register = emitter.value(stock.ExtractValueOp(at, loaded, i32))
        if op.packed == 1:
            elements.append(
                emitter.value(stock.BitcastOp(register, type)) if type != i32 else register
            )
            continue
        pieces = emitter.value(stock.BitcastOp(register, VectorType(type, [op.packed])))
        for lane in range(op.packed):
            elements.append(emitter.value(llvm.ExtractElementOp(pieces, emitter.constant(lane))))
    return elements


def _packed(emitter: Emitter, elements: Sequence[SSAValue], product: Product) -> Sequence[SSAValue]:
    """Elements of a factor in registers of 32 bits."""
    count = product.packed
    if count == 1:
        # the instruction reads a tf32, and would cut the last digits of an f32 off
        return [emitter.value(nvvm.ConvertFloatToTF32Op(element)) for element in elements]
    type = VectorType(elements[0].type, [count])
    registers: list[SSAValue] = []
    for start in range(0, len(elements), count):
        register = emitter.value(llvm.PoisonOp(type))
        for lane, element in enumerate(elements[start : start + count]):
            at = emitter.constant(lane)
            register = emitter.value(stock.InsertElementOp(register, element, at))
        if type != nvvm.HALVES:
            register = emitter.value(stock.BitcastOp(register, i32))
        registers.append(register)
    return registers


def _assembly(
    product: Product, a: Sequence[SSAValue], b: Sequence[SSAValue], c: Sequence[SSAValue]
) -> Operation:
    """An instruction that MLIR has no op for, and LLVM no intrinsic."""
    name = f"mma.sync.aligned.{product.shape}.row.col.f32.{product.name}.{product.name}.f32"
    numbers = iter(range(2 * len(c) + len(a) + len(b)))
    lists = ["{" + ", ".join(f"${next(numbers)}" for _ in values) + "}" for values in (c, a, b, c)]
    inputs = ["r"] * (len(a) + len(b)) + ["f"] * len(c)
    return stock.InlineAsmOp(
        f"{name} {', '.join(lists)};",
        ",".join(["=f"] * len(c) + inputs),
        [*a, *b, *c],
        [stock.LLVMStructType.from_type_list([value.type for value in c])],
        has_side_effects=True,
    )


THREADS: dict[type[Operation], Rule] = {
    uop.MmaOp: _mma,
    uop.LoadMatrixOp: _load_matrix,
    uop.CopyAsyncOp: _copy_async,
    uop.CommitCopiesOp: _commit,
    uop.WaitCopiesOp: _wait,
    uop.ShuffleOp: _shuffle,
    uop.SpecialOp: _special,
    uop.BarrierOp: _barrier,
    uop.LocalOp: _local,
    ApproximateOp: _approximate,
    SaturatedFmaOp: _saturated_fma,
    **{kind: _no_library for kind in MATHEMATICS if kind not in _INSTRUCTIONS},
    RemfOp: _no_library,
    # LLVM 22 takes a shift of 64 bits by 32 of the amount's, and drops the comparison of the rest
    arith.ShLIOp: shift_left_or_logical(stock.ShlOp, masked=True),
    arith.ShRUIOp: shift_left_or_logical(stock.LShrOp, masked=True),
}
"""The rules that differ from those for a CPU."""
