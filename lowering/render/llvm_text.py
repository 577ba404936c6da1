"""LLVM IR as text, from a module of the `llvm` dialect.

xDSL's own backend drops linkage, parameter attributes, alignments and address spaces; this one
prints what the ops say. Instructions are the rows of `llvm_rows`, types and constants those of
`llvm_types`; here are functions, globals and the phi nodes that block arguments become. An op
without a row is an error that names it.

    llvm.func private @f(%x: f32 {..}) -> f32   -->   define private float @f(float %x) { .. }
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import (
    I32,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Block, Operation, SSAValue

from teenyir.dialects import nvvm
from teenyir.lowering.render.llvm_rows import (
    CONSTANTS,
    ROWS,
    Scope,
    alignment_text,
    calling_convention,
)
from teenyir.lowering.render.llvm_types import (
    Unprintable,
    constant_text,
    quoted,
    symbol,
    type_text,
)
from teenyir.lowering.render.nvvm_rows import NVVM_ROWS
from teenyir.rewriting.base import fail


def llvm_text(module: ModuleOp | Sequence[Operation]) -> str:
    """LLVM IR for a module whose ops are all of the `llvm` dialect, or for some of its ops.

    Raises PassError, at the op, for an op, type, attribute or constant that it cannot print.
    """
    return ModuleText().print(list(module.ops) if isinstance(module, ModuleOp) else module)


@lru_cache(1024)
def value_name(hint: str) -> str:
    """A name hint with the characters that LLVM allows in a local name."""
    return re.sub(r"[^A-Za-z0-9$._]", ".", hint)


# --- functions -----------------------------------------------------------------------------------

_PARAMETER_WORDS: dict[str, str] = {
    "llvm.noalias": "noalias",
    "llvm.readonly": "readonly",
    "llvm.writeonly": "writeonly",
    "llvm.readnone": "readnone",
    "llvm.nocapture": "captures(none)",
    "llvm.nonnull": "nonnull",
    "llvm.noundef": "noundef",
    "llvm.nofree": "nofree",
    "llvm.signext": "signext",
    "llvm.zeroext": "zeroext",
    "llvm.inreg": "inreg",
    "llvm.returned": "returned",
}
_PARAMETER_NUMBERS: dict[str, str] = {
    "llvm.align": "align {}",
    "llvm.dereferenceable": "dereferenceable({})",
    "llvm.dereferenceable_or_null": "dereferenceable_or_null({})",
}
_FUNCTION_WORDS: dict[str, str] = {
    "no_unwind": "nounwind",
    "no_inline": "noinline",
    "always_inline": "alwaysinline",
    "optimize_none": "optnone",
    "will_return": "willreturn",
}
LONGEST_NAME = 500
"""Characters of a name before what tells it apart; LLVM reads the first 1024 of one."""

_UNNAMED = {1: "local_unnamed_addr ", 2: "unnamed_addr "}


def linkage(attribute: stock.LinkageAttr) -> str:
    """A linkage with a trailing blank; nothing for external."""
    word = attribute.linkage.data
    return "" if word == "external" else f"{word} "


def _parameter(attributes: DictionaryAttr) -> str:
    words: list[str] = []
    for name, value in attributes.data.items():
        if name in _PARAMETER_WORDS and isinstance(value, UnitAttr):
            words.append(_PARAMETER_WORDS[name])
        elif name in _PARAMETER_NUMBERS and isinstance(value, IntegerAttr):
            number = cast("IntegerAttr[Any]", value).value.data
            words.append(_PARAMETER_NUMBERS[name].format(number))
        elif name.startswith("llvm."):
            raise Unprintable(f"no LLVM parameter attribute for {name} = {value}")
    return "".join(f" {word}" for word in words)


def _function_attributes(op: stock.FuncOp) -> str:
    known = {**op.attributes, **op.properties}
    words = [word for name, word in _FUNCTION_WORDS.items() if name in known]
    for item in op.passthrough or ():
        match item:
            case StringAttr():
                words.append(item.data)
            case ArrayAttr(data=(StringAttr(data=key), StringAttr(data=value))):
                words.append(f'"{key}"="{value}"')
            case _:
                raise Unprintable(f"no LLVM function attribute for {item}")
    cpu, features = nvvm.target_of(op)
    if cpu:
        words.append(f'"target-cpu"="{cpu}"')
    if features:
        words.append(f'"target-features"="{",".join(features)}"')
    if (block := op.attributes.get(nvvm.BLOCK)) is not None:
        sizes = cast("DenseArrayBase[I32]", block).get_values()
        words.append(f'"{nvvm.BLOCK}"="{",".join(map(str, sizes))}"')
    return "".join(f" {word}" for word in words)


@dataclass
class FunctionText(Scope):
    """The text of one function: names of its values and labels, and its lines so far."""

    detours: list[tuple[str, Block]] = field(default_factory=list[tuple[str, Block]])
    """Blocks of ours on the second of two edges between the same blocks, and where they lead."""
    incoming: dict[Block, list[tuple[str, Sequence[SSAValue]]]] = field(
        default_factory=dict[Block, list[tuple[str, Sequence[SSAValue]]]]
    )
    """Of each block, the labels it is entered from and the arguments that come with them."""
    taken: dict[str, int] = field(default_factory=dict[str, int])

    def unique(self, hint: str) -> str:
        """A local name not yet taken in this function."""
        count = self.taken.get(hint, 0)
        self.taken[hint] = count + 1
        return hint if count == 0 else self.unique(f"{hint}.{count}")

    def lines(self, op: stock.FuncOp) -> list[str]:
        """The lines between the braces of a function."""
        blocks = list(op.body.blocks)
        for number, block in enumerate(blocks):
            self.labels[block] = self.unique(f"bb{number}" if number else "entry")
        for block in blocks:
            self._name(block)
        for block in blocks:
            self._connect(block)
        lines: list[str] = []
        for block in blocks:
            lines += [f"{self.labels[block]}:", *self._body(block, block is blocks[0])]
        for label, target in self.detours:
            lines += [f"{label}:", f"  br label %{self.labels[target]}"]
        return lines

    def _name(self, block: Block) -> None:
        for argument in block.args:
            self._name_value(argument)
        for op in block.ops:
            if (constant := CONSTANTS.get(op.__class__)) is not None:
                try:
                    self.names[op.results[0]] = constant(op)
                except Unprintable as problem:
                    raise fail(op, str(problem)) from problem
            else:
                for result in op.results:
                    self._name_value(result)

    def _name_value(self, value: SSAValue) -> None:
        hint = value_name(value.name_hint or "v")[:LONGEST_NAME]
        # A name that is a number would have to follow LLVM's own numbering.
        self.names[value] = "%" + self.unique(f"v{hint}" if hint.isdigit() else hint)

    def _connect(self, block: Block) -> None:
        last, label = block.last_op, self.labels[block]
        match last:
            case stock.BrOp():
                self.incoming.setdefault(last.successor, []).append((label, last.arguments))
            case stock.CondBrOp():
                then, other = last.then_block, last.else_block
                self.incoming.setdefault(then, []).append((label, last.then_arguments))
                self.edges[last, 0] = self.edges[last, 1] = self.labels[then]
                if other is not then:
                    self.edges[last, 1] = self.labels[other]
                elif other.args:
                    label = self.edges[last, 1] = self.unique(f"{label}.else")
                    self.detours.append((label, other))
                self.incoming.setdefault(other, []).append((label, last.else_arguments))
            case _:
                pass

    def _body(self, block: Block, entry: bool) -> list[str]:
        lines: list[str] = [] if entry else [self._phi(block, i) for i in range(len(block.args))]
        for op in block.ops:
            kind = op.__class__
            row = ROWS.get(kind)
            if row is None:
                if kind in CONSTANTS:
                    continue
                row = NVVM_ROWS.get(kind)
            if row is None:
                raise fail(op, f"{op.name} has no form in LLVM IR")
            try:
                text = row(self, op)
            except Unprintable as problem:
                raise fail(op, str(problem)) from problem
            lines.append(f"  {self.names[op.results[0]]} = {text}" if op.results else f"  {text}")
        return lines

    def _phi(self, block: Block, number: int) -> str:
        argument = block.args[number]
        sources = ", ".join(
            f"[ {self.names[values[number]]}, %{label} ]"
            for label, values in self.incoming.get(block, ())
        )
        return f"  {self.names[argument]} = phi {self.type_of(argument)} {sources}"


# --- modules -------------------------------------------------------------------------------------


@dataclass
class ModuleText:
    """The text of one module: what its functions turned out to need besides themselves."""

    declarations: dict[str, str] = field(default_factory=dict[str, str])
    nodes: dict[str, int] = field(default_factory=dict[str, int])
    types: dict[int, str] = field(default_factory=dict[int, str])

    def print(self, ops: Sequence[Operation]) -> str:
        pieces: list[str] = []
        for op in ops:
            row = _TOP_LEVEL.get(op.__class__)
            if row is None:
                raise fail(op, f"{op.name} is not of the machine floor: LLVM IR has no form for it")
            try:
                pieces.append(row(self, op))
            except Unprintable as problem:
                raise fail(op, str(problem)) from problem
        defined = {op.sym_name.data for op in ops if isinstance(op, stock.FuncOp)}
        wanted = [text for name, text in sorted(self.declarations.items()) if name not in defined]
        pieces += ["\n".join(wanted)] if wanted else []
        pieces += [f"!{number} = {node}" for node, number in self.nodes.items()]
        return "\n\n".join(pieces) + "\n"

    def function(self, op: stock.FuncOp) -> str:
        """A definition, or a declaration where there is no body."""
        attributes = op.arg_attrs.data if op.arg_attrs is not None else ()
        missing = len(op.function_type.inputs) - len(attributes)
        attributes = [*attributes, *[DictionaryAttr({})] * missing]
        words = [
            f"{type_text(type)}{_parameter(attribute)}"
            for type, attribute in zip(op.function_type.inputs, attributes, strict=True)
        ]
        text = FunctionText(self.declarations, self.nodes, types=self.types)
        lines = text.lines(op) if op.body.blocks else []
        if op.body.blocks:
            names = [text.names[argument] for argument in op.body.blocks[0].args]
            words = [f"{word} {name}" for word, name in zip(words, names, strict=True)]
        if op.function_type.is_variadic:
            words.append("...")
        head = linkage(op.linkage) if op.body.blocks else ""
        head += "ptx_kernel " if nvvm.KERNEL in op.attributes else calling_convention(op.CConv)
        head += type_text(op.function_type.output)
        tail = f"@{symbol(op.sym_name.data)}({', '.join(words)}){_function_attributes(op)}"
        if not op.body.blocks:
            return f"declare {head} {tail}"
        return "\n".join([f"define {head} {tail} {{", *lines, "}"])

    def variable(self, op: stock.GlobalOp) -> str:
        """A global with its data, or a declaration where it has none."""
        type = type_text(op.global_type)
        space = op.addr_space.value.data
        uninitialised = op.value is None and op.linkage.linkage.data in ("internal", "private")
        head = linkage(op.linkage) if op.value is not None or uninitialised else "external "
        head += "thread_local " if op.thread_local_ is not None else ""
        head += _UNNAMED.get(op.unnamed_addr.value.data, "") if op.unnamed_addr else ""
        head += f"addrspace({space}) " if space else ""
        head += "constant" if op.constant is not None else "global"
        data = f" {constant_text(op.value, op.global_type)}" if op.value is not None else ""
        data = " undef" if uninitialised else data
        section = f", section {quoted(op.section.data.encode())}" if op.section else ""
        if op.body.blocks:
            raise Unprintable("a global whose value is computed has no form here")
        return f"@{symbol(op.sym_name.data)} = {head} {type}{data}{section}{alignment_text(op)}"


_TOP_LEVEL: dict[type[Operation], Callable[[ModuleText, Any], str]] = {
    stock.FuncOp: ModuleText.function,
    stock.GlobalOp: ModuleText.variable,
}
