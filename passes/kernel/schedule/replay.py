"""Schedules from text: what `primitive.as_text` prints, read back and done again.

split-range{range=i by=12},set-kind{range=ii kind=unroll},order-ranges{order=jo,io}
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.utils.arg_spec import ArgSpec, ParameterListType, ParameterType
from xdsl.utils.exceptions import VerifyException

from teenyir.diagnostics import did_you_mean
from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.clamp_window import ClampWindow
from teenyir.passes.kernel.schedule.fission_range import FissionRange
from teenyir.passes.kernel.schedule.fuse_ranges import FuseRanges
from teenyir.passes.kernel.schedule.maximum_of_numbers import MaximumOfNumbers
from teenyir.passes.kernel.schedule.order_ranges import OrderRanges
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer
from teenyir.passes.kernel.schedule.part_reduction import PartReduction
from teenyir.passes.kernel.schedule.peel_range import PeelRange
from teenyir.passes.kernel.schedule.primitive import Primitive
from teenyir.passes.kernel.schedule.running_fold import RunningFold
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.split_reduction import SplitReduction
from teenyir.passes.kernel.schedule.stage_image import StageImage
from teenyir.passes.kernel.schedule.stage_result import StageResult
from teenyir.passes.kernel.schedule.stream_store import StreamStore
from teenyir.passes.kernel.schedule.widen_stages import WidenStages
from teenyir.rewriting.base import fail

PRIMITIVES: dict[str, type[Primitive]] = {
    primitive.name: primitive
    for primitive in (
        ClampWindow,
        FissionRange,
        FuseRanges,
        MaximumOfNumbers,
        OrderRanges,
        PackBuffer,
        PartReduction,
        PeelRange,
        RunningFold,
        SetKind,
        SplitRange,
        SplitReduction,
        StageImage,
        StageResult,
        StreamStore,
        WidenStages,
    )
}
"""What a schedule is made of, by name."""

_ELEMENT = re.compile(r"([\w-]+)\{([^{}]*)\}")
_NUMBER = re.compile(r"-?\d+\Z")


def parse_schedule(text: str) -> list[Primitive]:
    """The primitives that a text says. Raises ValueError for what is no schedule."""
    found: list[Primitive] = []
    at = 0
    while at < len(text):
        match = _ELEMENT.match(text, at)
        if match is None:
            raise ValueError(f"'{text[at : at + 20]}' is not the name of a primitive with options")
        found.append(_primitive(match[1], match[2].split()))
        at = match.end()
        if at < len(text):
            if text[at] != ",":
                raise ValueError(f"expected ',' or the end, not '{text[at]}'")
            at += 1
    return found


def _primitive(name: str, options: Sequence[str]) -> Primitive:
    if name not in PRIMITIVES:
        raise ValueError(f"there is no primitive '{name}'{did_you_mean(name, PRIMITIVES)}")
    values: dict[str, ParameterListType] = {}
    for option in options:
        key, _, value = option.partition("=")
        values[key] = tuple(map(_value, value.split(",")))
    try:
        return PRIMITIVES[name].from_spec(ArgSpec(name, values))
    except ValueError as problem:
        raise ValueError(f"{name}: {problem}") from None


def _value(text: str) -> ParameterType:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if _NUMBER.match(text) else text


def replay(func: kernel.FuncOp, schedule: Sequence[Primitive]) -> None:
    """Rewrite a kernel by a schedule.

    Raises PassError where a primitive is not legal or the result is no kernel; what was done until
    then is not undone.
    """
    for primitive in schedule:
        primitive.rewrite(func)
    try:
        func.verify_()
    except VerifyException as problem:
        raise fail(func, f"the schedule would make a kernel that is none: {problem}") from None
