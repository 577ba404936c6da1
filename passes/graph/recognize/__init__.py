"""recognize: give what is spelled out by hand the name of the composite that it is.

    e = exp(x - max(x));  e / sum(e)   -->   the same ops, each located in a `softmax`

What is computed stays: kernels are named after the composites that their ops are located in, and so
a program reads the same whichever way it was written. Read `forms` for what is known, `match` for
how a form is compared. Forms are looked for from the result back, the largest first; an op belongs
to one of them, and what the frontend's composites made keeps their names.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import UNKNOWN_LOC, CallSiteLoc, LocationAttr, NameLoc, StringAttr
from xdsl.ir import Operation

from teenyir.analysis.places import composite_of
from teenyir.passes.graph.recognize.forms import FORMS
from teenyir.passes.graph.recognize.match import Form, match
from teenyir.rewriting.base import Pass, Session

BY_ROOT: dict[type[Operation], list[Form]] = {}
"""The forms by the op that gives their result."""

for _form in FORMS:
    for _kind in _form.roots:
        BY_ROOT.setdefault(_kind, []).append(_form)


@dataclass(frozen=True)
class Recognize(Pass):
    """Name spelled-out forms: softmax, layer norm, GELU, attention and their like."""

    name = "recognize"
    anchor = "func.func"

    def run(self, op: Operation, session: Session) -> None:
        session.preserve_all()
        claimed = set[Operation]()
        for inner in [*op.walk()][::-1]:
            forms = BY_ROOT.get(type(inner))
            if forms is None or inner in claimed or composite_of(inner.location) is not None:
                continue
            matched = match(forms, inner)
            if matched is None:
                continue
            form = matched.form
            claimed |= matched.ops
            callee = NameLoc(StringAttr(form.name), UNKNOWN_LOC)
            for member in matched.ops:
                assert isinstance(member.location, LocationAttr)
                member.location = CallSiteLoc(callee, member.location)
            session.count(form.name)
            session.remark(
                "passed", inner, f"is a {form.name}, spelled out in {len(matched.ops)} ops"
            )
