"""nvvm ops in LLVM IR: a row an op, each a call of an intrinsic of LLVM's NVPTX target.

Source: MLIR 22's `NVVMToLLVMIRTranslation.cpp` and LLVM's `IntrinsicsNVVM.td`, with which a test
compares what is printed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i32, i64
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation, SSAValue

from teenyir.dialects import nvvm
from teenyir.dialects.nvvm import SpecialRegisterOp
from teenyir.lowering.render.llvm_rows import Row, Scope
from teenyir.lowering.render.llvm_types import Unprintable, suffix, type_text


def _call(
    text: Scope, name: str, result: Attribute | None, values: Sequence[SSAValue], *numbers: int
) -> str:
    """A call on values, and then on constants of 32 bits."""
    types = [type_text(value.type) for value in values] + ["i32"] * len(numbers)
    returned = "void" if result is None else type_text(result)
    text.declare(name, returned, types)
    arguments = [text.typed(value) for value in values] + [f"i32 {n}" for n in numbers]
    # LLVM says so of barriers alone: it would have some lanes of a warp compute a product apart
    return f"call {returned} @{name}({', '.join(arguments)}) convergent"


def _register(text: Scope, op: SpecialRegisterOp) -> str:
    name = op.name.replace("nvvm.", "llvm.nvvm.", 1)
    return _call(text, name, op.res.type, ()).removesuffix(" convergent")


def _plain(name: str, *numbers: int) -> Row:
    def row(text: Scope, op: Operation) -> str:
        result = op.results[0].type if op.results else None
        return _call(text, f"llvm.nvvm.{name}", result, op.operands, *numbers)

    return row


# --- threads --------------------------------------------------------------------------------------


def _barrier(text: Scope, op: nvvm.BarrierOp) -> str:
    if op.barrier_id is None:
        return _call(text, "llvm.nvvm.barrier.cta.sync.aligned.all", None, (), 0)
    kind = "all" if op.number_of_threads is None else "count"
    return _call(text, f"llvm.nvvm.barrier.cta.sync.aligned.{kind}", None, op.operands)


def _shuffle(text: Scope, op: nvvm.ShflOp) -> str:
    pair = "" if op.return_value_and_is_valid is None else "p"
    name = f"llvm.nvvm.shfl.sync.{op.kind.data.value}.{suffix(op.val.type)}{pair}"
    return _call(text, name, op.res.type, op.operands)


def _vote(text: Scope, op: nvvm.VoteSyncOp) -> str:
    return _call(text, f"llvm.nvvm.vote.{op.kind.data.value}.sync", op.res.type, op.operands)


def _redux(text: Scope, op: nvvm.ReduxOp) -> str:
    return _call(text, f"llvm.nvvm.redux.sync.{op.kind.data.value}", op.res.type, op.operands)


def _match(text: Scope, op: nvvm.MatchSyncOp) -> str:
    pair = "p" if op.kind.data == nvvm.MatchKind.ALL else ""
    name = f"llvm.nvvm.match.{op.kind.data.value}.sync.{suffix(op.val.type)}{pair}"
    return _call(text, name, op.res.type, op.operands)


# --- memory ---------------------------------------------------------------------------------------


def _copy(text: Scope, op: nvvm.CpAsyncOp) -> str:
    partial = "" if op.cp_size is None else ".s"
    size, modifier = op.size.value.data, op.modifier.data.value
    name = f"llvm.nvvm.cp.async.{modifier}.shared.global.{size}{partial}"
    return _call(text, name, None, op.operands)


def _wait_group(text: Scope, op: nvvm.CpAsyncWaitGroupOp) -> str:
    return _call(text, "llvm.nvvm.cp.async.wait.group", None, (), op.n.value.data)


def _transposed(op: nvvm.LdMatrixOp | nvvm.StMatrixOp) -> str:
    return ".trans" if op.layout.data == nvvm.MMALayout.COL else ""


def _ldmatrix(text: Scope, op: nvvm.LdMatrixOp) -> str:
    name = f"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{op.num.value.data}{_transposed(op)}.b16"
    return _call(text, f"{name}.{suffix(op.ptr.type)}", op.res.type, op.operands)


def _stmatrix(text: Scope, op: nvvm.StMatrixOp) -> str:
    name = f"llvm.nvvm.stmatrix.sync.aligned.m8n8.x{len(op.sources)}{_transposed(op)}.b16"
    return _call(text, f"{name}.{suffix(op.ptr.type)}", None, op.operands)


# --- barriers in memory ---------------------------------------------------------------------------


def _scoped(name: str, op: nvvm.ScopedOp) -> str:
    """The name of an intrinsic for the threads of a scope."""
    relaxed = ".relaxed" if isinstance(op, nvvm.OrderedOp) and op.relaxed.value.data else ""
    return f"llvm.nvvm.mbarrier.{name}{relaxed}.scope.{op.scope.data.value}.space.cta"


def _of_scope(name: str, result: Attribute | None) -> Row:
    def row(text: Scope, op: nvvm.ScopedOp) -> str:
        return _call(text, _scoped(name, op), result, op.operands)

    return row


def _arrive(text: Scope, op: nvvm.MBarrierArriveOp | nvvm.MBarrierArriveDropOp) -> str:
    drops = isinstance(op, nvvm.MBarrierArriveDropOp)
    name = _scoped("arrive.drop" if drops else "arrive", op)
    if op.count is not None:
        return _call(text, name, i64, op.operands)
    if name == "llvm.nvvm.mbarrier.arrive.scope.cta.space.cta":
        return _call(text, "llvm.nvvm.mbarrier.arrive.shared", i64, op.operands)
    return _call(text, name, i64, op.operands, 1)


def _wait(text: Scope, op: nvvm.MBarrierTestWaitOp | nvvm.MBarrierTryWaitOp) -> str:
    tries = isinstance(op, nvvm.MBarrierTryWaitOp)
    parity = ".parity" if op.state_or_phase.type == i32 else ""
    limit = ".tl" if tries and op.ticks is not None else ""
    name = f"{'try' if tries else 'test'}.wait{parity}{limit}"
    return _call(text, _scoped(name, op), op.res.type, op.operands)


def _arrive_copied(text: Scope, op: nvvm.CpAsyncMBarrierArriveOp) -> str:
    noinc = ".noinc" if op.noinc.value.data else ""
    return _call(text, f"llvm.nvvm.cp.async.mbarrier.arrive{noinc}.shared", None, op.operands)


def _fence_proxy(text: Scope, op: nvvm.FenceProxyOp) -> str:
    space = "" if op.space is None else f"_{op.space.data.value}"
    name = f"llvm.nvvm.fence.proxy.{op.kind.data.value}{space}"
    return _call(text, name, None, ())


# --- matrices -------------------------------------------------------------------------------------

_ACCUMULATORS: dict[str, str] = {"<2 x half>": "f16", "float": "f32"}


def _mma(text: Scope, op: nvvm.MmaOp) -> str:
    m, n, k = op.shape.numbers
    element = op.element
    if element == nvvm.MMAType.F16:
        accumulator = _ACCUMULATORS.get(type_text(op.operand_c[0].type))
        if accumulator is None:
            raise Unprintable(f"no product of f16 is summed in {op.operand_c[0].type}")
        types = f"{accumulator}.{accumulator}"
    else:
        types = element.value
    assert isinstance(op.res.type, LLVMStructType)
    satfinite = ""
    if op.overflow is not None and op.overflow.data.value == "satfinite":
        satfinite = ".satfinite"
    layouts = f"{op.layout_a.data.value}.{op.layout_b.data.value}"
    name = f"llvm.nvvm.mma.m{m}n{n}k{k}.{layouts}{satfinite}.{types}"
    return _call(text, name, op.res.type, op.operands)


def _tf32(text: Scope, op: nvvm.ConvertFloatToTF32Op) -> str:
    name = f"llvm.nvvm.f2tf32.{op.rnd.data.value}"
    return _call(text, name, op.res.type, op.operands).removesuffix(" convergent")


NVVM_ROWS: dict[type[Operation], Callable[..., str]] = {
    **dict.fromkeys(nvvm.SPECIAL_REGISTERS.values(), _register),
    nvvm.Barrier0Op: _plain("barrier.cta.sync.aligned.all", 0),
    nvvm.BarrierOp: _barrier,
    nvvm.SyncWarpOp: _plain("bar.warp.sync"),
    nvvm.ShflOp: _shuffle,
    nvvm.VoteSyncOp: _vote,
    nvvm.ReduxOp: _redux,
    nvvm.MatchSyncOp: _match,
    nvvm.CpAsyncOp: _copy,
    nvvm.CpAsyncCommitGroupOp: _plain("cp.async.commit.group"),
    nvvm.CpAsyncWaitGroupOp: _wait_group,
    nvvm.LdMatrixOp: _ldmatrix,
    nvvm.StMatrixOp: _stmatrix,
    nvvm.MBarrierInitOp: _plain("mbarrier.init.shared"),
    nvvm.MBarrierInvalOp: _plain("mbarrier.inval.shared"),
    nvvm.MBarrierArriveOp: _arrive,
    nvvm.MBarrierArriveDropOp: _arrive,
    nvvm.MBarrierArriveNocompleteOp: _plain("mbarrier.arrive.noComplete.shared"),
    nvvm.MBarrierArriveDropNocompleteOp: _plain("mbarrier.arrive.drop.noComplete.shared"),
    nvvm.MBarrierArriveExpectTxOp: _of_scope("arrive.expect.tx", i64),
    nvvm.MBarrierArriveDropExpectTxOp: _of_scope("arrive.drop.expect.tx", i64),
    nvvm.MBarrierExpectTxOp: _of_scope("expect.tx", None),
    nvvm.MBarrierCompleteTxOp: _of_scope("complete.tx", None),
    nvvm.MBarrierTestWaitOp: _wait,
    nvvm.MBarrierTryWaitOp: _wait,
    nvvm.CpAsyncMBarrierArriveOp: _arrive_copied,
    nvvm.FenceMBarrierInitOp: _plain("fence.mbarrier_init.release.cluster"),
    nvvm.FenceProxyOp: _fence_proxy,
    nvvm.MmaOp: _mma,
    nvvm.ConvertFloatToTF32Op: _tf32,
}
"""The text of each nvvm op."""
