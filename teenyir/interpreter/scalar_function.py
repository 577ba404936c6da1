"""Functions on numbers: `func.func` of arith, math, vector, scf and cf on scalars and vectors.

They belong to no floor of the tower. They are what passes are tried on, and a pass such as
`canonicalize` has to keep their meaning too. What LLVM leaves undefined is a fault, as it is on the
uop floor, and there is one lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.dialects import cf, func, scf
from xdsl.dialects.builtin import (
    IndexType,
    ModuleOp,
    TensorType,
)
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    Successor,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Attribute
from xdsl.traits import SymbolTable

from teenyir.analysis.places import place_of_op
from teenyir.analysis.signature import Argument, Signature
from teenyir.diagnostics import error
from teenyir.dialects import dtypes
from teenyir.dialects.expr import Expr
from teenyir.interpreter.arrays import (
    Array,
    dense_array,
    dtype_of,
    element_of,
    fault,
    silent,
    vector_shape,
)
from teenyir.interpreter.dispatch import NoMeaning, interpreter_of, require_known
from teenyir.interpreter.lanes import Lanes
from teenyir.interpreter.limits import count_iteration
from teenyir.interpreter.mathematics import MATHEMATICS
from teenyir.interpreter.scalars import SCALARS
from teenyir.interpreter.uop import ControlFunctions, ScalarFunctions, UopRun

KNOWN = frozenset(
    {
        *(*SCALARS, *MATHEMATICS, scf.ForOp, scf.IfOp, scf.WhileOp, scf.YieldOp, scf.ConditionOp),
        *(cf.BranchOp, cf.ConditionalBranchOp, cf.SwitchOp, cf.AssertOp, func.CallOp),
        func.ReturnOp,
    }
)
"""The ops that such a function may hold."""


def is_scalar_function(function: func.FuncOp) -> bool:
    """Whether there is no tensor in a function: otherwise it is of the graph floor."""
    types = [*function.function_type.inputs, *function.function_type.outputs]
    for op in function.body.walk():
        types += [*op.operand_types, *op.result_types]
    return not any(isinstance(type, TensorType) for type in types)


def scalar_signature(function: func.FuncOp) -> Signature:
    """What a function takes and gives. Raises NoMeaning where no array holds it."""
    arguments = () if function.is_declaration else function.body.blocks[0].args
    hints = [argument.name_hint for argument in arguments]
    inputs = function.function_type.inputs.data
    names = [hint or f"arg{index}" for index, hint in enumerate(hints or [None] * len(inputs))]
    outputs = function.function_type.outputs.data
    results = ["output"] if len(outputs) == 1 else [f"output{k}" for k in range(len(outputs))]
    return Signature(
        function,
        function.sym_name.data,
        tuple(_argument(function, *each) for each in zip(names, inputs, strict=True)),
        tuple(_argument(function, *each) for each in zip(results, outputs, strict=True)),
        (),
    )


def _argument(function: func.FuncOp, name: str, type: Attribute) -> Argument:
    dtype = _dtype(type)
    if dtype is None:
        message = f"{name} is {type}, which no array holds"
        raise NoMeaning(error(message, place_of_op(function)))
    return Argument(name, dtype, tuple(map(Expr.of, vector_shape(type))))


def _dtype(type: Attribute) -> dtypes.DType | None:
    """The element type of a scalar or a vector that arith computes with here, or None."""
    element = element_of(type)
    dtype = dtypes.INT64 if isinstance(element, IndexType) else dtypes.of_element(element)
    return None if dtype is None or dtype.is_packed or dtype.storage else dtype


def run_scalars(module: ModuleOp, function: func.FuncOp, inputs: Sequence[Array]) -> list[Array]:
    """The results of a function, arrays of rank 0 and of vectors' shapes, on arrays like them.

    Raises RunError where what it does has no meaning, and NoMeaning where it holds what is not
    known here.
    """
    _require_meaning(function)
    lanes = Lanes(1)
    interpreter = interpreter_of(
        module,
        ScalarFunctions(lanes),
        ControlFunctions(UopRun(lanes, 1, 0, counts=True)),
        FlowFunctions(lanes),
    )
    types = function.function_type
    values = [
        lanes.lifted(np.asarray(array).view(dtype_of(type)))
        for array, type in zip(inputs, types.inputs, strict=True)
    ]
    try:
        with silent():
            results = interpreter.run_ssacfg_region(function.body, tuple(values))
    except RecursionError:
        raise fault(function, "calls itself too deeply") from None
    return [
        np.broadcast_to(cast(Array, result), (1, *vector_shape(type)))[0]
        for result, type in zip(results, types.outputs, strict=True)
    ]


def _require_meaning(function: func.FuncOp) -> None:
    if function.is_declaration:
        raise NoMeaning(error(f"@{function.sym_name.data} has no body", place_of_op(function)))
    require_known(function, KNOWN)
    for op in function.body.walk():
        for type in (*op.operand_types, *op.result_types):
            if _dtype(type) is None:
                message = f"the interpreter of functions on numbers does not know {type}"
                raise NoMeaning(error(message, place_of_op(op)))


@register_impls
class FlowFunctions(InterpreterFunctions):
    """Calls and branches between blocks."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes

    @impl(func.CallOp)
    def call(self, interpreter: Interpreter, op: func.CallOp, args: PythonValues) -> PythonValues:
        count_iteration(op)
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(callee, func.FuncOp):
            raise NoMeaning(error(f"there is no function {op.callee}", place_of_op(op)))
        _require_meaning(callee)
        return interpreter.run_ssacfg_region(callee.body, args)

    @impl_terminator(func.ReturnOp)
    def give_back(
        self, interpreter: Interpreter, op: func.ReturnOp, args: PythonValues
    ) -> tuple[ReturnedValues, PythonValues]:
        return ReturnedValues(args), ()

    @impl_terminator(cf.BranchOp)
    def branch(
        self, interpreter: Interpreter, op: cf.BranchOp, args: PythonValues
    ) -> tuple[Successor, PythonValues]:
        count_iteration(op)
        return Successor(op.successor, args), ()

    @impl_terminator(cf.ConditionalBranchOp)
    def choose(
        self, interpreter: Interpreter, op: cf.ConditionalBranchOp, args: PythonValues
    ) -> tuple[Successor, PythonValues]:
        count_iteration(op)
        taken = cast(Array, args[0]).all()
        block = op.then_block if taken else op.else_block
        passed = op.then_arguments if taken else op.else_arguments
        return Successor(block, interpreter.get_values(passed)), ()

    @impl_terminator(cf.SwitchOp)
    def switch(
        self, interpreter: Interpreter, op: cf.SwitchOp, args: PythonValues
    ) -> tuple[Successor, PythonValues]:
        count_iteration(op)
        flag = int(cast(Array, args[0]).item())
        cases = [] if op.case_values is None else list(dense_array(op.case_values))
        if flag not in cases:
            return Successor(op.default_block, interpreter.get_values(op.default_operands)), ()
        case = cases.index(flag)
        passed = interpreter.get_values(op.case_operand[case])
        return Successor(op.case_blocks[case], passed), ()

    @impl(cf.AssertOp)
    def require(
        self, interpreter: Interpreter, op: cf.AssertOp, args: PythonValues
    ) -> PythonValues:
        self.lanes.require(op, args[0], f"does not hold: {op.msg.data}")
        return ()
