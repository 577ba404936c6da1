"""The instructions of LLVM IR, one row an op.

`INSTRUCTIONS` has a row for each instruction, `INTRINSICS` one for each intrinsic op, `CONSTANTS`
one for each op that is a constant operand in LLVM and no instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teenyir.dialects import llvm
from teenyir.dialects.arith import UNPREDICTABLE
from teenyir.dialects.uop import ROLLED
from teenyir.lowering.render.llvm_types import (
    constant_text,
    quoted,
    suffix,
    symbol,
    type_text,
)

Row = Callable[["Scope", Any], str]
"""The text of an instruction, without its result."""


@dataclass
class Scope:
    """What a row may ask while it prints: how values and labels are spelled."""

    declarations: dict[str, str] = field(default_factory=dict[str, str])
    """Of the module: the declaration of each intrinsic that was called, by name."""
    nodes: dict[str, int] = field(default_factory=dict[str, int])
    """Of the module: the number of each metadata node."""
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """What stands for a value where it is used: `%name`, a constant or `@global`."""
    labels: dict[Block, str] = field(default_factory=dict[Block, str])
    edges: dict[tuple[Operation, int], str] = field(
        default_factory=dict[tuple[Operation, int], str]
    )
    """The label that successor n of a conditional branch jumps to."""
    types: dict[int, str] = field(default_factory=dict[int, str])
    """Of the module: how the types of its values are spelled, by the ids of these types, which are
    most often one object, and stay in the module."""

    def ref(self, value: SSAValue) -> str:
        """A value as an operand."""
        return self.names[value]

    def typed(self, value: SSAValue) -> str:
        """A value as an operand, after its type."""
        return f"{self.type_of(value)} {self.names[value]}"

    def type_of(self, value: SSAValue) -> str:
        """The type of a value."""
        type = value.type
        known = self.types.get(id(type))
        if known is None:
            known = self.types[id(type)] = type_text(type)
        return known

    def arguments(self, values: Sequence[SSAValue]) -> str:
        return ", ".join(map(self.typed, values))

    def declare(self, name: str, result: str, inputs: Sequence[str]) -> None:
        """Declare an intrinsic."""
        self.declarations.setdefault(name, f"declare {result} @{symbol(name)}({', '.join(inputs)})")

    def metadata(self, node: str) -> int:
        """The number of a metadata node."""
        return self.nodes.setdefault(node, len(self.nodes))

    def rolled(self) -> int:
        """The number of a new node that says of one loop that it is not to be written out."""
        disabled = self.metadata('!{!"llvm.loop.unroll.disable"}')
        number = len(self.nodes)
        return self.metadata(f"distinct !{{!{number}, !{disabled}}}")


# --- the pieces of an instruction ----------------------------------------------------------------

_FAST_MATH_ORDER = ("nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc")


def fast_math(op: Operation) -> str:
    """The fast-math flags of an op with a trailing blank, or nothing."""
    flags = op.properties.get("fastmathFlags")
    if not isinstance(flags, stock.FastMathAttr) or not flags.data:
        return ""
    if len(flags.data) == len(_FAST_MATH_ORDER):
        return "fast "
    return "".join(f"{flag} " for flag in _FAST_MATH_ORDER if flag in flags.data)


def _overflow(op: Operation) -> str:
    flags = op.properties.get("overflowFlags")
    if isinstance(flags, stock.OverflowAttr):
        bits = flags.to_int()
    else:
        bits = cast("IntegerAttr[Any]", flags).value.data if flags is not None else 0
    return ("nuw " if bits & 2 else "") + ("nsw " if bits & 1 else "")


def _unit(property: str, word: str) -> Callable[[Operation], str]:
    return lambda op: f"{word} " if property in op.properties else ""


def _nothing(op: Operation) -> str:
    return ""


def _binary(word: str, flags: Callable[[Operation], str] = _nothing) -> Row:
    def row(text: Scope, op: Operation) -> str:
        lhs, rhs = op.operands
        return f"{word} {flags(op)}{text.typed(lhs)}, {text.ref(rhs)}"

    return row


def _unary(word: str, flags: Callable[[Operation], str] = _nothing) -> Row:
    return lambda text, op: f"{word} {flags(op)}{text.typed(op.operands[0])}"


def _cast(word: str, flags: Callable[[Operation], str] = _nothing) -> Row:
    def row(text: Scope, op: Operation) -> str:
        return f"{word} {flags(op)}{text.typed(op.operands[0])} to {text.type_of(op.results[0])}"

    return row


def _listed(word: str, flags: Callable[[Operation], str] = _nothing) -> Row:
    """An instruction that takes its operands, each with its type, in order."""

    def row(text: Scope, op: Operation) -> str:
        return f"{word} {flags(op)}{', '.join(map(text.typed, op.operands))}"

    return row


def _select(text: Scope, op: llvm.SelectOp) -> str:
    unpredictable = UNPREDICTABLE in op.attributes
    hint = f", !unpredictable !{text.metadata('!{}')}" if unpredictable else ""
    return f"select {fast_math(op)}{', '.join(map(text.typed, op.operands))}{hint}"


def _icmp(text: Scope, op: stock.ICmpOp) -> str:
    predicate = stock.ICmpPredicateFlag.from_int(op.predicate.value.data)
    lhs, rhs = op.operands
    return f"icmp {predicate} {text.typed(lhs)}, {text.ref(rhs)}"


def _fcmp(text: Scope, op: llvm.FCmpOp) -> str:
    predicate = op.flag.removeprefix("_")
    return f"fcmp {fast_math(op)}{predicate} {text.typed(op.lhs)}, {text.ref(op.rhs)}"


def _insertelement(text: Scope, op: stock.InsertElementOp) -> str:
    return f"insertelement {', '.join(map(text.typed, (op.vector, op.value, op.index)))}"


def _shufflevector(text: Scope, op: stock.ShuffleVectorOp) -> str:
    lanes = op.mask.get_values()
    mask = ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in lanes)
    return f"shufflevector {text.typed(op.v1)}, {text.typed(op.v2)}, <{len(lanes)} x i32> <{mask}>"


def _fields(op: Operation) -> str:
    position = cast("DenseArrayBase[IntegerType]", op.properties["position"])
    return "".join(f", {index}" for index in position.get_values())


def _extractvalue(text: Scope, op: stock.ExtractValueOp) -> str:
    return f"extractvalue {text.typed(op.container)}{_fields(op)}"


def _insertvalue(text: Scope, op: stock.InsertValueOp) -> str:
    return f"insertvalue {text.typed(op.container)}, {text.typed(op.value)}{_fields(op)}"


# --- memory --------------------------------------------------------------------------------------


def alignment_text(op: Operation) -> str:
    """`, align N`, or nothing."""
    alignment = cast("IntegerAttr[Any] | None", op.properties.get("alignment"))
    return f", align {alignment.value.data}" if alignment is not None else ""


def _ordering(op: Operation) -> str:
    ordering = cast("IntegerAttr[Any] | None", op.properties.get("ordering"))
    return stock.ATOMIC_ORDERING_KEYWORDS.get(ordering.value.data, "") if ordering else ""


def _load(text: Scope, op: stock.LoadOp) -> str:
    atomic = f" {ordering}" if (ordering := _ordering(op)) else ""
    head = "load atomic" if atomic else "load"
    type, (address,) = text.type_of(op.results[0]), op.operands
    return f"{head} {type}, {text.typed(address)}{atomic}{alignment_text(op)}"


def _store(text: Scope, op: stock.StoreOp) -> str:
    atomic = f" {ordering}" if (ordering := _ordering(op)) else ""
    head = "store" + (" atomic" if atomic else "") + (" volatile" if op.volatile_ else "")
    hint = f", !nontemporal !{text.metadata('!{i32 1}')}" if op.nontemporal else ""
    value, address = op.operands
    return f"{head} {text.typed(value)}, {text.typed(address)}{atomic}{alignment_text(op)}{hint}"


def _alloca(text: Scope, op: stock.AllocaOp) -> str:
    space = type_text(op.res.type).removeprefix("ptr")
    where = f",{space}" if space else ""
    size = text.typed(op.size)
    return f"alloca {type_text(op.elem_type)}, {size}{alignment_text(op)}{where}"


def _gep(text: Scope, op: llvm.GEPOp) -> str:
    words = "".join(f" {word}" for word in op.flag_keywords if word != "inbounds_flag")
    indices = [f"i32 {i}" if isinstance(i, int) else text.typed(i) for i in op.indices]
    pieces = [type_text(op.elem_type), text.typed(op.operands[0]), *indices]
    return f"getelementptr{words} {', '.join(pieces)}"


# --- calls ---------------------------------------------------------------------------------------


_CONVENTIONS: dict[str, str] = {"ccc": "", "ptx_kernelcc": "ptx_kernel "}


def calling_convention(attribute: stock.CallingConventionAttr) -> str:
    """A calling convention with a trailing blank; nothing for C's."""
    name = attribute.cconv_name
    return _CONVENTIONS.get(name, f"{name} ")


def _call(text: Scope, op: stock.CallOp) -> str:
    args = list(op.args)
    callee = "@" + symbol(op.callee.string_value()) if op.callee else text.ref(args.pop(0))
    result = type_text(op.returned.type) if op.returned is not None else "void"
    if op.var_callee_type is not None:
        result = type_text(op.var_callee_type)
    tail = "" if op.TailCallKind.data == stock.TailCallKind.NONE else f"{op.TailCallKind.data} "
    convention = calling_convention(op.CConv)
    return f"{tail}call {fast_math(op)}{convention}{result} {callee}({text.arguments(args)})"


def _call_intrinsic(text: Scope, op: stock.CallIntrinsicOp) -> str:
    result = type_text(op.ress.type) if op.ress is not None else "void"
    inputs = [type_text(arg.type) for arg in op.args]
    text.declare(op.intrin.data, result, inputs)
    callee = symbol(op.intrin.data)
    return f"call {fast_math(op)}{result} @{callee}({text.arguments(op.args)})"


def _inline_asm(text: Scope, op: stock.InlineAsmOp) -> str:
    result = type_text(op.res.type) if op.res is not None else "void"
    effects = " sideeffect" if op.has_side_effects else ""
    stack = " alignstack" if op.is_align_stack else ""
    dialect = " inteldialect" if op.asm_dialect and op.asm_dialect.value.data == 1 else ""
    code = f"{quoted(op.asm_string.data.encode())}, {quoted(op.constraints.data.encode())}"
    return f"call {result} asm{effects}{stack}{dialect} {code}({text.arguments(op.operands_)})"


@dataclass(frozen=True)
class Intrinsic:
    """How an intrinsic op becomes a call: `llvm.intr.X` calls `@llvm.X.<overloads>`."""

    overloads: tuple[int, ...] = (-1,)
    """The types that the name mentions: an operand's number, or -1 for the result."""
    flags: tuple[str, ...] = ()
    """Properties that follow the operands as `i1`."""
    address: int | None = None
    """The operand whose alignment the property `alignment` states."""

    def __call__(self, text: Scope, op: Operation) -> str:
        types = [op.results[0].type if i < 0 else op.operands[i].type for i in self.overloads]
        name = ".".join([op.name.replace("llvm.intr.", "llvm.", 1), *map(suffix, types)])
        result = type_text(op.results[0].type) if op.results else "void"
        flags = [cast("IntegerAttr[Any]", op.properties[flag]).value.data for flag in self.flags]
        inputs = [type_text(value.type) for value in op.operands] + ["i1"] * len(flags)
        text.declare(name, result, inputs)
        arguments = [self._argument(text, op, i) for i in range(len(op.operands))]
        arguments += ["i1 true" if flag else "i1 false" for flag in flags]
        return f"call {fast_math(op)}{result} @{name}({', '.join(arguments)})"

    def _argument(self, text: Scope, op: Operation, number: int) -> str:
        value = op.operands[number]
        if number != self.address:
            return text.typed(value)
        alignment = alignment_text(op).removeprefix(",")
        return f"{type_text(value.type)}{alignment} {text.ref(value)}"


# --- terminators ---------------------------------------------------------------------------------


def _return(text: Scope, op: stock.ReturnOp) -> str:
    return f"ret {text.typed(op.arg)}" if op.arg is not None else "ret void"


def _br(text: Scope, op: stock.BrOp) -> str:
    hint = f", !llvm.loop !{text.rolled()}" if ROLLED in op.attributes else ""
    (target,) = op.successors
    return f"br label %{text.labels[target]}{hint}"


def _cond_br(text: Scope, op: stock.CondBrOp) -> str:
    targets = [text.edges[op, number] for number in range(2)]
    return f"br {text.typed(op.cond)}, label %{targets[0]}, label %{targets[1]}"


# --- the tables ----------------------------------------------------------------------------------

_exact, _disjoint, _nneg = (
    _unit("isExact", "exact"),
    _unit("isDisjoint", "disjoint"),
    _unit("nonNeg", "nneg"),
)

INSTRUCTIONS: dict[type[Operation], Row] = {
    stock.AddOp: _binary("add", _overflow),
    stock.SubOp: _binary("sub", _overflow),
    stock.MulOp: _binary("mul", _overflow),
    stock.ShlOp: _binary("shl", _overflow),
    stock.UDivOp: _binary("udiv", _exact),
    stock.SDivOp: _binary("sdiv", _exact),
    stock.LShrOp: _binary("lshr", _exact),
    stock.AShrOp: _binary("ashr", _exact),
    stock.URemOp: _binary("urem"),
    stock.SRemOp: _binary("srem"),
    stock.AndOp: _binary("and"),
    stock.OrOp: _binary("or", _disjoint),
    stock.XOrOp: _binary("xor"),
    stock.FAddOp: _binary("fadd", fast_math),
    stock.FSubOp: _binary("fsub", fast_math),
    stock.FMulOp: _binary("fmul", fast_math),
    stock.FDivOp: _binary("fdiv", fast_math),
    stock.FRemOp: _binary("frem", fast_math),
    stock.FNegOp: _unary("fneg", fast_math),
    llvm.FreezeOp: _unary("freeze"),
    stock.ICmpOp: _icmp,
    llvm.FCmpOp: _fcmp,
    llvm.SelectOp: _select,
    stock.TruncOp: _cast("trunc", _overflow),
    stock.ZExtOp: _cast("zext", _nneg),
    stock.SExtOp: _cast("sext"),
    stock.FPExtOp: _cast("fpext"),
    stock.FPTruncOp: _cast("fptrunc"),
    stock.SIToFPOp: _cast("sitofp"),
    llvm.UIToFPOp: _cast("uitofp"),
    llvm.FPToSIOp: _cast("fptosi"),
    llvm.FPToUIOp: _cast("fptoui"),
    stock.BitcastOp: _cast("bitcast"),
    stock.IntToPtrOp: _cast("inttoptr"),
    stock.PtrToIntOp: _cast("ptrtoint"),
    llvm.AddrSpaceCastOp: _cast("addrspacecast"),
    llvm.ExtractElementOp: _listed("extractelement"),
    stock.InsertElementOp: _insertelement,
    stock.ShuffleVectorOp: _shufflevector,
    stock.ExtractValueOp: _extractvalue,
    stock.InsertValueOp: _insertvalue,
    stock.AllocaOp: _alloca,
    llvm.GEPOp: _gep,
    stock.LoadOp: _load,
    stock.StoreOp: _store,
    llvm.FenceOp: lambda text, op: "fence seq_cst",
    stock.CallOp: _call,
    stock.CallIntrinsicOp: _call_intrinsic,
    stock.InlineAsmOp: _inline_asm,
    stock.ReturnOp: _return,
    stock.BrOp: _br,
    stock.CondBrOp: _cond_br,
    stock.UnreachableOp: lambda text, op: "unreachable",
}
"""The text of each instruction."""

_elementwise, _reduction = Intrinsic(), Intrinsic((0,))

INTRINSICS: dict[type[Operation], Intrinsic] = {
    **dict.fromkeys(
        (
            *(stock.FAbsOp, stock.FCeilOp, stock.FFloorOp, llvm.FTruncOp, llvm.RoundOp),
            *(llvm.RoundEvenOp, llvm.RintOp, stock.FSqrtOp, stock.FExpOp, stock.FExp2Op),
            *(stock.FLogOp, stock.FLog2Op, llvm.Log10Op, stock.FSinOp, stock.FCosOp),
            *(llvm.TanOp, llvm.AsinOp, llvm.AcosOp, llvm.AtanOp, llvm.Atan2Op),
            *(llvm.SinhOp, llvm.CoshOp, llvm.TanhOp),
            *(stock.FPowOp, stock.FCopySignOp, stock.FMAOp, llvm.FMulAddOp),
            *(stock.VectorFMaxOp, stock.VectorFMinOp, llvm.MaximumOp, llvm.MinimumOp),
            *(llvm.SMaxOp, llvm.SMinOp, llvm.UMaxOp, llvm.UMinOp, llvm.CtPopOp),
        ),
        _elementwise,
    ),
    **dict.fromkeys(
        (
            *(llvm.VectorReduceAddOp, llvm.VectorReduceMulOp, llvm.VectorReduceAndOp),
            *(llvm.VectorReduceOrOp, llvm.VectorReduceXorOp, llvm.VectorReduceSMaxOp),
            *(llvm.VectorReduceSMinOp, llvm.VectorReduceUMaxOp, llvm.VectorReduceUMinOp),
            *(llvm.VectorReduceFMaxOp, llvm.VectorReduceFMinOp),
            *(llvm.VectorReduceFMaximumOp, llvm.VectorReduceFMinimumOp),
        ),
        _reduction,
    ),
    **dict.fromkeys((stock.VectorReduceFAddOp, stock.VectorReduceFMulOp), Intrinsic((1,))),
    llvm.AbsOp: Intrinsic(flags=("is_int_min_poison",)),
    llvm.CtlzOp: Intrinsic(flags=("is_zero_poison",)),
    llvm.CttzOp: Intrinsic(flags=("is_zero_poison",)),
    llvm.AssumeOp: Intrinsic(()),
    llvm.MaskedLoadOp: Intrinsic((-1, 0), address=0),
    llvm.MaskedStoreOp: Intrinsic((0, 1), address=1),
    llvm.MaskedGatherOp: Intrinsic((-1, 0), address=0),
    llvm.MaskedScatterOp: Intrinsic((0, 1), address=1),
    llvm.MemcpyOp: Intrinsic((0, 1, 2), flags=("isVolatile",)),
    llvm.MemsetOp: Intrinsic((0, 2), flags=("isVolatile",)),
    stock.StackSaveOp: Intrinsic((-1,)),
    stock.StackRestoreOp: Intrinsic((0,)),
}
"""How each intrinsic op is called."""

ROWS: dict[type[Operation], Row] = {**INSTRUCTIONS, **INTRINSICS}

CONSTANTS: dict[type[Operation], Callable[[Any], str]] = {
    stock.ConstantOp: lambda op: constant_text(op.value, op.result.type),
    stock.AddressOfOp: lambda op: "@" + symbol(op.global_name.string_value()),
    stock.ZeroOp: lambda op: _zero(op.res.type),
    stock.UndefOp: lambda op: "undef",
    llvm.PoisonOp: lambda op: "poison",
}
"""Ops that LLVM writes as operands."""


def _zero(type: Attribute) -> str:
    return "null" if isinstance(type, stock.LLVMPointerType) else "zeroinitializer"
