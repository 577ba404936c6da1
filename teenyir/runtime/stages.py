"""The way of a program down the floors of a target, and what can be told of it on each.

A way is gone once to compile. Its texts and kernels are for people: where somebody asks for them,
the way is gone again, from the same start, and that is noted down on each floor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from teenyir.diagnostics import Diagnostic, InternalError, VerifyError
from teenyir.dialects import program
from teenyir.dialects.inside import of_kind
from teenyir.once import once
from teenyir.pipeline.build import Nested, build_target_pipeline, target_floors
from teenyir.pipeline.instruments.base import Instrument, unwatched
from teenyir.pipeline.instruments.statistics import remark_report
from teenyir.pipeline.instruments.verify import VerifyEach, VerifyLast
from teenyir.pipeline.ir import print_module
from teenyir.pipeline.manager import PassManager
from teenyir.pipeline.text import parse_pipeline_text
from teenyir.pipeline.verify import Verifier
from teenyir.rewriting.base import Session
from teenyir.runtime.kernels import Kernel, find_kernels, name_origins, origins_of_kernels


@dataclass(frozen=True)
class Part:
    """The passes from the end of one floor to that of the next."""

    floor: str | None
    """The floor that it ends on; None for what prepares the last one for leaving the house."""
    passes: Nested
    is_checked_later: bool = False
    """Whether what comes out is verified by whom it is for."""


def parts_of(target: str, last: str | None = None) -> tuple[Part, ...]:
    """The parts of a target's pipeline, as far as the floor `last`. Raises PipelineError."""
    whole = build_target_pipeline(target, last)
    floors = target_floors(target)
    later = parse_pipeline_text(target)[0].name == "cpu"  # by LLVM, as it makes code of it
    parts: list[Part] = []
    done = 0
    for floor in floors[: floors.index(last) + 1] if last else floors:
        upto = len(build_target_pipeline(target, floor).elements)
        passes = Nested(whole.anchor, whole.elements[done:upto])
        parts.append(Part(floor, passes, later and floor == "machine"))
        done = upto
    if done < len(whole.elements):
        parts.append(Part(None, Nested(whole.anchor, whole.elements[done:])))
    return tuple(parts)


class Way:
    """A program and the parts of a pipeline that it goes through."""

    def __init__(self, start: ModuleOp, parts: Sequence[Part]) -> None:
        """`start` is the program, which stays as it is."""
        self._start = start
        self._parts = parts
        self.floors = tuple(part.floor for part in parts if part.floor is not None)
        """The floors that it passes, from the top."""

    def go(self) -> Iterator[tuple[str | None, ModuleOp]]:
        """The module at the end of each part, always the same one.

        It is verified there, unless that is done later. Where it is not well formed, or a pass
        fails over it, the way is gone again with a look at it after each pass, which tells what
        that one was. Raises CompileError.
        """
        try:
            yield from self._gone(VerifyLast(Verifier()), every=False)
        except (VerifyError, InternalError):
            with unwatched():
                for _ in self._gone(VerifyEach(Verifier()), every=True):
                    pass
            raise

    def _gone(self, watch: Instrument, every: bool) -> Iterator[tuple[str | None, ModuleOp]]:
        """The same, with an instrument for every part or for those that are not checked later."""
        module = self._start.clone()
        context = None
        for part in self._parts:
            instruments = [watch] if every or not part.is_checked_later else []
            manager = PassManager(part.passes, context=context, instruments=instruments)
            manager.run(module)
            context = manager.context
            yield part.floor, module

    @once
    def remarks(self) -> tuple[Diagnostic, ...]:
        """What the passes did and did not do, and why. Raises CompileError."""
        heard = _Remarks()
        with unwatched():
            for _ in self._gone(heard, every=True):
                pass
        return tuple(heard.found)

    @once
    def notes(self) -> Notes:
        """What was noted down on the way. Raises CompileError."""
        texts: dict[str, str] = {}
        kernels: tuple[Kernel, ...] = ()
        origins: Mapping[str, tuple[str, ...]] = {}
        with unwatched():
            for floor, module in self.go():
                if floor is None:
                    continue
                texts[floor] = print_module(module)
                if floor == "graph":
                    name_origins(module)
                if floor == "kernel":
                    origins = origins_of_kernels(module)
                if floor == "uop":
                    kernels = find_kernels(module, texts, origins)
        return Notes(texts, kernels)


class _Remarks(Instrument):
    """Keeps remarks as they are shown: their ops do not last."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    def prepare(self, session: Session) -> None:
        session.on_remark = lambda remark: self.found.append(remark_report(remark))


@dataclass(frozen=True)
class Notes:
    """What can be told of a program on its way."""

    texts: Mapping[str, str]
    """The IR by floor, as it left each."""
    kernels: tuple[Kernel, ...]
    """The kernels in the order in which they are launched."""


def launched(module: ModuleOp) -> tuple[str, ...]:
    """The names of the kernels that a module launches, in order, once for each launch."""
    return tuple(launch.kernel.string_value() for launch in of_kind(module, program.LaunchOp))
