"""A faulty rewrite as a program, what is found in it, and what is put there instead."""

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from teenyir.pipeline.ir import parse_module
from teenyir.rewriting.base import Pass, Session


@dataclass(frozen=True)
class FaultyRewrite:
    """A program, and the text in it that the rewrite takes for another."""

    name: str
    why: str
    """What the rewrite overlooks."""
    program: str
    found: str
    put: str

    def __post_init__(self) -> None:
        assert self.program.count(self.found) == 1, self.name

    @property
    def rewritten(self) -> str:
        """The program after the rewrite."""
        return self.program.replace(self.found, self.put)

    def as_pass(self) -> type[Pass]:
        """The rewrite as a pass on modules."""
        rewritten = self.rewritten

        def run(self: Pass, op: Operation, session: Session) -> None:
            assert isinstance(op, ModuleOp)
            for old in list(op.body.block.ops)[::-1]:
                old.detach()
                old.drop_all_references()
            op.body.block.add_ops([new.clone() for new in parse_module(rewritten).body.block.ops])

        made = type(self.name, (Pass,), {"name": self.name, "__doc__": self.why, "run": run})
        return dataclass(frozen=True)(made)
