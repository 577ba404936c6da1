"""What a GPU has besides C: ids of threads, barriers, shared memory and copies into it that run on,
values of other lanes, matrices, and accesses of up to 16 bytes at once where an offset is known to
be a multiple of their size.

    %d0, .. = uop.mma (%a0, ..) (%b0, ..) (%c0, ..) {shape = "m16n8k16", type = "f16"}

-->   float product[4] = {c0, c1, c2, c3};
      mma_m16n8k16_f16(product, pack_2(a0, a1), .., pack_2(b0, b1), ..);
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.divisors import Divisors
from teenyir.dialects import uop
from teenyir.dialects.lanes import element, lanes
from teenyir.dialects.lanewise import ApproximateOp, LookupOp, SaturatedFmaOp
from teenyir.lowering.render.c_function import FunctionText
from teenyir.lowering.render.c_language import Statement
from teenyir.lowering.render.c_rows import (
    RELATION,
    ROWS,
    SUM,
    Operands,
    Row,
    Text,
    cast_to,
)
from teenyir.lowering.render.c_statements import STATEMENTS
from teenyir.lowering.render.c_types import Unprintable, c_type
from teenyir.targets.tensor_cores import Product

ALIGNMENT = 16
"""Bytes: what buffers and shared memory are aligned to."""

# --- threads --------------------------------------------------------------------------------------

_IDS = {"grid": "blockIdx", "thread": "threadIdx"}


def _special(o: Operands) -> Text:
    assert isinstance(o.op, uop.SpecialOp)
    level, axis = o.op.axis.data.split(".")
    return cast_to("int64_t", Text(f"{_IDS[level]}.{axis}"))


def _barrier(f: FunctionText, op: uop.BarrierOp) -> None:
    f.line("__syncthreads();", op)


def _local(f: FunctionText, op: uop.LocalOp) -> None:
    """Memory of a thread is an array; that of a block is `__shared__`, aligned for what is wide."""
    type = c_type(op.result.type.element).memory
    wide = any(
        use.operation.__class__ not in _ACCESSES or is_wide(use.operation) for use in op.result.uses
    )
    space = "__shared__ " if op.space == "shared" else ""
    aligned = f"__align__({ALIGNMENT}) " if wide else ""
    f.line(f"{space}{aligned}{type} {f.name(op.result)}[{op.count}];", op)
    f.expect_use(op.result)


# --- memory ---------------------------------------------------------------------------------------

_ACCESSES = (uop.LoadOp, uop.StoreOp)

_WORDS = {4: "uint32_t", 8: "uint2", 16: "uint4"}
"""By size in bytes what is moved at once."""


def _moved(op: Operation) -> SSAValue:
    return op.results[0] if isinstance(op, uop.LoadOp) else op.operands[0]


def is_wide(op: Operation) -> bool:
    """Whether an access moves a vector at once: its size is that of a word, its place a multiple
    of it, and no lane of it is left out."""
    if not isinstance(op, _ACCESSES):
        return False
    type = _moved(op).type
    count = lanes(type)
    if count is None or element(type) == IntegerType(1):
        return False
    if op.gate is not None and lanes(op.gate.type) is not None:
        return False
    return count * c_type(type).bytes in _WORDS and Divisors().of(op.offset) % count == 0


def _helper(f: FunctionText, op: uop.LoadOp | uop.StoreOp) -> str:
    """The function that moves a vector between an array and memory."""
    type, count = c_type(_moved(op).type), lanes(_moved(op).type) or 1
    word = _WORDS[count * type.bytes]
    if isinstance(op, uop.LoadOp):
        name, text = f"load_{type.key}x{count}", _LOAD
    else:
        name, text = f"store_{type.key}x{count}", _STORE
    f.file.helpers.put(name, text.replace("{W}", word).replace("{C}", str(count)), type.key)
    return name


_LOAD = """\
{I} void {name}({T} (&v)[{C}], const {T} *p) {{
    const {W} word = *reinterpret_cast<const {W} *>(p);
    memcpy(v, &word, sizeof word);
}}
"""
_STORE = """\
{I} void {name}({T} *p, const {T} (&v)[{C}]) {{
    {W} word;
    memcpy(&word, v, sizeof word);
    *reinterpret_cast<{W} *>(p) = word;
}}
"""


def _load(f: FunctionText, op: uop.LoadOp) -> None:
    if not is_wide(op):
        STATEMENTS[uop.LoadOp](f, op)
        return
    read = f"{_helper(f, op)}({{}}, {_at(f, op.pointer, op.offset)});"
    f.line(f"{f.declare(op.result, f'{f.texts[op.pointer].code}_1')};", op)
    name = f.texts[op.result].code
    if op.gate is not None and op.other is not None:
        f.line(f"if ({f.texts[op.gate].at(RELATION)}) {read.format(name)}")
        f.line("else")
        f.depth += 1
        f.assign(op.result, f.scalar(op.other))
        f.depth -= 1
    else:
        f.line(read.format(name))


def _store(f: FunctionText, op: uop.StoreOp) -> None:
    if not is_wide(op) or op.value in f.splats:
        STATEMENTS[uop.StoreOp](f, op)
        return
    gate = "" if op.gate is None else f"if ({f.texts[op.gate].code}) "
    f.line(
        f"{gate}{_helper(f, op)}({_at(f, op.pointer, op.offset)}, {f.texts[op.value].code});", op
    )


# --- matrices -------------------------------------------------------------------------------------


def _mma(f: FunctionText, op: uop.MmaOp) -> None:
    product = op.product
    function = f"mma_{product.shape}_{product.name}"
    f.file.helpers.put(function, _mma_helper(product))
    name = f.names.new("product")
    initial = ", ".join(f.texts[value].code for value in op.c)
    f.line(f"{c_type(op.c[0].type).value} {name}[{len(op.c)}] = {{{initial}}};")
    registers = [*_packed(f, op.a, product), *_packed(f, op.b, product)]
    f.line(f"{function}({', '.join([name, *registers])});", op)
    for number, result in enumerate(op.outputs):
        f.texts[result] = Text(f"{name}[{number}]")


def _packed(f: FunctionText, elements: Sequence[SSAValue], product: Product) -> list[str]:
    """Elements of a factor in registers of 32 bits."""
    count = product.packed
    function = "tf32" if count == 1 else f"pack_{count}"
    f.file.helpers.put(function, _PACKING[count])
    texts = [f.texts[value].code for value in elements]
    parts = [texts[start : start + count] for start in range(0, len(texts), count)]
    return [f"{function}({', '.join(part)})" for part in parts]


_PACKING = {
    # to the nearest, ties away from zero: the instruction itself would cut digits off
    1: """\
{I} uint32_t {name}(float a) {{
    uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(a));
    return bits;
}}
""",
    2: """\
{I} uint32_t {name}(uint16_t a, uint16_t b) {{
    return a | (uint32_t)b << 16;
}}
""",
    4: """\
{I} uint32_t {name}(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {{
    return a | (uint32_t)b << 8 | (uint32_t)c << 16 | (uint32_t)d << 24;
}}
""",
}
"""By the elements of a register the function that makes one."""


def _mma_helper(product: Product) -> str:
    """A function that adds the product of a warp's A and B to its sums."""
    a, b, c = product.counts
    a, b = a // product.packed, b // product.packed
    is_float = product.sum == "f32"
    sums = "f32" if is_float else "s32"
    instruction = f"mma.sync.aligned.{product.shape}.row.col.{sums}.{product.name}.{product.name}"
    numbers = iter(range(a + b + c))
    lists = ["{{" + ", ".join(f"%{next(numbers)}" for _ in range(n)) + "}}" for n in (c, a, b)]
    names = [*(f"a{n}" for n in range(a)), *(f"b{n}" for n in range(b))]
    kind = "+f" if is_float else "+r"
    outputs = ", ".join(f'"{kind}"(sum[{n}])' for n in range(c))
    inputs = ", ".join(f'"r"({name})' for name in names)
    parameters = ", ".join(f"uint32_t {name}" for name in names)
    return f"""\
{{I}} void {{name}}({"float" if is_float else "uint32_t"} *sum, {parameters}) {{{{
    asm volatile(
        "{instruction}.{sums} "
        "{", ".join([*lists, lists[0]])};"
        : {outputs}
        : {inputs});
}}}}
"""


def _load_matrix(f: FunctionText, op: uop.LoadMatrixOp) -> None:
    """Registers come, each of some elements."""
    turned = op.transposed is not None
    function = f"load_matrix_{op.matrices}{'_transposed' if turned else ''}"
    f.file.helpers.put(function, _load_matrix_helper(op.matrices, ".trans" if turned else ""))
    name = f.names.new("matrix")
    f.line(f"uint32_t {name}[{op.matrices}];")
    f.line(f"{function}({name}, {_at(f, op.pointer, op.offset)});", op)
    type = c_type(op.outputs[0].type)
    for number, result in enumerate(op.outputs):
        register, part = divmod(number, op.packed)
        bits = f"{name}[{register}]" + (f" >> {32 // op.packed * part}" if part else "")
        text = f"__uint_as_float({bits})" if type.value == "float" else f"({type.value})({bits})"
        f.define(result, Text(text), "element")


def _load_matrix_helper(count: int, turned: str) -> str:
    registers = ", ".join(f"%{number}" for number in range(count))
    outputs = ", ".join(f'"=r"(m[{number}])' for number in range(count))
    return f"""\
{{I}} void {{name}}(uint32_t *m, const void *row) {{{{
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(row);
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x{count}{turned}.shared.b16 {{{{{registers}}}}}, [%{count}];"
        : {outputs}
        : "r"(at)
        : "memory");
}}}}
"""


# --- copies ---------------------------------------------------------------------------------------


def _at(f: FunctionText, pointer: SSAValue, offset: SSAValue) -> str:
    start, place = f.texts[pointer].code, f.texts[offset]
    return start if place.code == "0" else f"{start} + {place.at(SUM)}"


def _copy_async(f: FunctionText, op: uop.CopyAsyncOp) -> None:
    """Where the gate does not hold, no byte of all is read."""
    function = f"copy_async_{op.bytes}"
    text = _COPY.replace("{B}", str(op.bytes)).replace("{L}", "cg" if op.bytes == 16 else "ca")
    f.file.helpers.put(function, text)
    size = str(op.bytes)
    if op.gate is not None:
        size = f"{f.texts[op.gate].at(RELATION)} ? {size} : 0"
    target = _at(f, op.target, op.target_offset)
    f.line(f"{function}({target}, {_at(f, op.source, op.source_offset)}, {size});", op)


_COPY = """\
{I} void {name}(void *target, const void *source, uint32_t size) {{
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(target);
    const uint64_t from = __cvta_generic_to_global(source);
    asm volatile("cp.async.{L}.shared.global [%0], [%1], {B}, %2;"
                 : : "r"(to), "l"(from), "r"(size) : "memory");
}}
"""


def _commit(f: FunctionText, op: uop.CommitCopiesOp) -> None:
    f.line('asm volatile("cp.async.commit_group;" : : : "memory");', op)


def _wait(f: FunctionText, op: uop.WaitCopiesOp) -> None:
    f.line(f'asm volatile("cp.async.wait_group {op.youngest};" : : : "memory");', op)


def _shuffle(f: FunctionText, op: uop.ShuffleOp) -> None:
    """What is smaller than an int is exchanged as one."""
    exchanged = f"__shfl_xor_sync(0xffffffffu, {f.texts[op.value].code}, {op.bits})"
    f.define(op.result, Text(f"({c_type(op.result.type).value}){exchanged}"), "other")


def _approximate(o: Operands) -> Text:
    assert isinstance(o.op, ApproximateOp)
    return o.call(o.helpers.need(f"approximate_{o.op.function.data}", o.result.key))


def _saturated_fma(o: Operands) -> Text:
    return o.call(o.helpers.need("saturated_fma", o.result.key))


def _rounded(o: Operands) -> Text:
    """A GPU rounds to bf16 too."""
    if (o.type().key, o.result.key) == ("f32", "bf16"):
        return o.call(o.helpers.need("bf16_from_f32"))
    return ROWS[arith.TruncFOp](o)


def _lookup(o: Operands) -> Text:
    raise Unprintable("CUDA C has no table in an expression, as C does")


DEVICE_ROWS: dict[type[Operation], Row] = {
    uop.SpecialOp: _special,
    arith.TruncFOp: _rounded,
    ApproximateOp: _approximate,
    SaturatedFmaOp: _saturated_fma,
    LookupOp: _lookup,
}
"""The ops that are other expressions than in C, or none."""

DEVICE_STATEMENTS: dict[type[Operation], Statement] = {
    uop.BarrierOp: _barrier,
    uop.LocalOp: _local,
    uop.LoadOp: _load,
    uop.StoreOp: _store,
    uop.MmaOp: _mma,
    uop.LoadMatrixOp: _load_matrix,
    uop.CopyAsyncOp: _copy_async,
    uop.CommitCopiesOp: _commit,
    uop.WaitCopiesOp: _wait,
    uop.ShuffleOp: _shuffle,
}
"""The ops that are printed in other ways than in C."""

_BITS = "{I} {T} {name}(uint{N}_t bits) {{\n    return %s;\n}}\n"
_NUMBER = "{I} uint{N}_t {name}({T} number) {{\n    return %s;\n}}\n"
_ASSEMBLY = (
    '{I} %s {name}(%s a) {{\n    %s b;\n    asm("%s" : "=%s"(b) : "%s"(a));\n    return b;\n}}\n'
)
_APPROXIMATION = _ASSEMBLY % ("{T}", "{T}", "{T}", "%s.f32 %%0, %%1;", "f", "f")
_COUNT = "{I} {T} {name}({T} a) {{\n    return ({T})%s;\n}}\n"

DEVICE_HELPERS: dict[str, str] = {
    "from_bits_f32": _BITS % "__uint_as_float(bits)",
    "from_bits_f64": _BITS % "__longlong_as_double((int64_t)bits)",
    "to_bits_f32": _NUMBER % "__float_as_uint(number)",
    "to_bits_f64": _NUMBER % "(uint64_t)__double_as_longlong(number)",
    "f32_from_f16": _ASSEMBLY % ("float", "uint16_t", "float", "cvt.f32.f16 %0, %1;", "f", "h"),
    "f16_from_f32": _ASSEMBLY
    % ("uint16_t", "float", "uint16_t", "cvt.rn.f16.f32 %0, %1;", "h", "f"),
    "bf16_from_f32": _ASSEMBLY
    % ("uint16_t", "float", "uint16_t", "cvt.rn.bf16.f32 %0, %1;", "h", "f"),
    "approximate_exp2": _APPROXIMATION % "ex2.approx.ftz",
    "approximate_gradual_exp2": _APPROXIMATION % "ex2.approx",
    "approximate_reciprocal": _APPROXIMATION % "rcp.approx.ftz",
    "approximate_rsqrt": _APPROXIMATION % "rsqrt.approx",
    "saturated_fma": "{I} {T} {name}({T} a, {T} b, {T} c) {{\n    {T} d;\n"
    '    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));\n'
    "    return d;\n}}\n",
    "ctpop": _COUNT % "__popcll(a)",
    "ctlz": _COUNT % "(__clzll((int64_t)(uint64_t)a) - (64 - {N}))",
    "cttz": _COUNT % "(a == 0 ? {N} : __ffsll((int64_t)(uint64_t)a) - 1)",
}
"""Helpers that are an instruction here."""
