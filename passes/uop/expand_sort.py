"""Sort by merging: runs of one element become runs of two, of four, and so on.

    uop.sort(%s)[%at] count %n    -->    for each width 1, 2, 4, .. below %n:
                                           for each two neighbouring runs of that width:
                                             merge them into the other half of the scratch

It is stable, takes n log2(n) steps whatever the elements are, and no branch depends on them: which
of two is next is a select, so that nothing is mispredicted. Of runs longer than what is asked for
first only that much is kept, so that the first k of n take n log2(k) steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import uop
from teenyir.dialects.arith import UNPREDICTABLE
from teenyir.dialects.constants import integer_of
from teenyir.dialects.inside import of_kind
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder

MOST_DOUBLINGS = 62
"""Of one, until no number of elements is greater."""

Carried: TypeAlias = Sequence[SSAValue]


@dataclass(frozen=True)
class ExpandSort(Pass):
    """Write sorts out as merges of ever longer runs."""

    name = "expand-sort"
    anchor: ClassVar[str | None] = "uop.func"

    def run(self, op: Operation, session: Session) -> None:
        for inner in of_kind(op, uop.SortOp):
            Expansion(LocatedBuilder(InsertPoint.before(inner), inner.location), inner).build()
            inner.detach()
            inner.erase()
            session.count("expanded")


@dataclass
class Expansion:
    """Builds the loops of one sort."""

    builder: LocatedBuilder
    sort: uop.SortOp

    def build(self) -> None:
        """The passes over the whole row, and what brings the result to where it belongs."""
        sort = self.sort
        self.zero, self.one = self.index(0), self.index(1)
        other = self.op(arith.AddiOp, sort.offset, sort.count)
        start = (self.one, sort.offset, other)
        _, found, _ = self.loop(self.zero, self.doublings(), self.one, start, self.merge_all)
        there = self.compare("eq", found, sort.offset)
        moved = self.op(arith.SelectOp, there, self.zero, sort.first)

        def move(position: SSAValue, _: Carried) -> Carried:
            source = self.op(arith.AddiOp, found, position)
            target = self.op(arith.AddiOp, sort.offset, position)
            self.move(source, target)
            return ()

        self.loop(self.zero, moved, self.one, (), move)

    def doublings(self) -> SSAValue:
        """How often one doubles until it is the number of elements or more."""
        count = self.sort.count
        if (number := integer_of(count)) is not None:
            return self.index(max(number - 1, 0).bit_length())

        def double(_: SSAValue, carried: Carried) -> Carried:
            width, found = carried
            again = self.op(arith.AddiOp, found, self.one)
            more = self.compare("slt", width, count)
            return self.op(arith.AddiOp, width, width), self.op(arith.SelectOp, more, again, found)

        start = (self.one, self.zero)
        return self.loop(self.zero, self.index(MOST_DOUBLINGS), self.one, start, double)[1]

    # --- merging ----------------------------------------------------------------------------------

    def merge_all(self, _: SSAValue, carried: Carried) -> Carried:
        """Merge each two neighbouring runs of a width from one half of the scratch to the other."""
        width, source, target = carried
        count, first = self.sort.count, self.sort.first
        double = self.op(arith.AddiOp, width, width)
        # both ends at once where all of two whole runs is wanted
        wanted = self.compare("sle", double, first)
        whole = self.op(arith.SelectOp, wanted, self.op(arith.DivUIOp, count, double), self.zero)
        behind = self.op(arith.MuliOp, whole, double)

        def merge_whole(low: SSAValue, _: Carried) -> Carried:
            self.merge_whole(low, width, source, target)
            return ()

        def merge_parts(low: SSAValue, _: Carried) -> Carried:
            self.merge_parts(low, width, source, target)
            return ()

        self.loop(self.zero, behind, double, (), merge_whole)
        self.loop(behind, count, double, (), merge_parts)
        return double, target, source

    def merge_whole(
        self, low: SSAValue, width: SSAValue, source: SSAValue, target: SSAValue
    ) -> None:
        """Merge two runs of one width from both ends: neither can be at its end before the loop is.

        The first `width` items are found from the front, the others from the back, which are two
        chains of loads and compares that do not wait for each other.
        """
        left = self.op(arith.AddiOp, source, low)
        right = self.op(arith.AddiOp, left, width)
        last = self.op(arith.SubiOp, width, self.one)
        left_last, right_last = (self.op(arith.AddiOp, run, last) for run in (left, right))
        at = self.op(arith.AddiOp, target, low)
        at_last = self.op(arith.AddiOp, self.op(arith.AddiOp, at, width), last)

        def step(position: SSAValue, runs: Carried) -> Carried:
            left, right, left_last, right_last = runs
            place = self.op(arith.AddiOp, at, position)
            front = self.move_either(right, left, self.is_sooner(right, left), place)
            # what is equal and from the right is behind what is from the left
            place = self.op(arith.SubiOp, at_last, position)
            sooner = self.is_sooner(right_last, left_last)
            back = self.move_either(left_last, right_last, sooner, place)
            return (
                self.op(arith.AddiOp, left, front[1]),
                self.op(arith.AddiOp, right, front[0]),
                self.op(arith.SubiOp, left_last, back[0]),
                self.op(arith.SubiOp, right_last, back[1]),
            )

        self.loop(self.zero, width, self.one, (left, right, left_last, right_last), step)

    def merge_parts(
        self, low: SSAValue, width: SSAValue, source: SSAValue, target: SSAValue
    ) -> None:
        """Merge two runs, of which the second may be shorter, or not there, as far as is wanted."""
        count, first = self.sort.count, self.sort.first
        middle = self.least(self.op(arith.AddiOp, low, width), count)
        high = self.least(self.op(arith.AddiOp, middle, width), count)
        ends = (
            self.least(middle, self.op(arith.AddiOp, low, first)),
            self.least(high, self.op(arith.AddiOp, middle, first)),
        )
        # a run that is at its end is read at its last element, and not taken; so is the first one
        # for a second that is not there
        left_last, right_last = (self.op(arith.SubiOp, end, self.one) for end in ends)
        some_right = self.compare("slt", middle, high)
        last = (left_last, self.op(arith.SelectOp, some_right, right_last, left_last))
        taken = self.least(self.op(arith.SubiOp, high, low), first)
        at = self.op(arith.AddiOp, target, low)

        def step(position: SSAValue, runs: Carried) -> Carried:
            places = [
                self.op(arith.AddiOp, source, self.least(run, end))
                for run, end in zip(runs, last, strict=True)
            ]
            return self.take_next(runs, ends, places, self.op(arith.AddiOp, at, position))

        self.loop(self.zero, taken, self.one, (low, middle), step)

    def take_next(self, runs: Carried, ends: Carried, places: Carried, place: SSAValue) -> Carried:
        """Move the first of what is left of two runs to a place, and say what is left then.

        `places` is where the first of each stands.
        """
        left, right = runs
        none_left = self.compare("sge", left, ends[0])
        some_right = self.compare("slt", right, ends[1])
        sooner = self.op(arith.OrIOp, none_left, self.is_sooner(places[1], places[0]))
        from_right = self.op(arith.AndIOp, some_right, sooner)
        from_right, from_left = self.move_either(places[1], places[0], from_right, place)
        return self.op(arith.AddiOp, left, from_left), self.op(arith.AddiOp, right, from_right)

    def move_either(
        self, a: SSAValue, b: SSAValue, is_a: SSAValue, target: SSAValue
    ) -> tuple[SSAValue, SSAValue]:
        """Copy one of two items; 1 for the one that it was, 0 for the other."""
        self.move(self.choose(is_a, a, b), target)
        of_a = self.choose(is_a, self.one, self.zero)
        return of_a, self.op(arith.SubiOp, self.one, of_a)

    def move(self, source: SSAValue, target: SSAValue) -> None:
        """Copy one item from an offset to another."""
        for pointer in self.sort.pointers:
            self.builder.insert(uop.StoreOp(self.load(pointer, source), pointer, target))

    # --- order ------------------------------------------------------------------------------------

    def is_sooner(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Whether the item at one offset comes before that at another, by the keys in turn."""
        result: SSAValue | None = None
        keys = list(zip(self.sort.pointers, self.sort.orders, strict=False))
        for pointer, order in reversed(keys):
            x, y = self.load(pointer, a), self.load(pointer, b)
            less = self.compare(order, x, y)
            if result is not None:
                # a < b | !(b < a) & (what the later keys say)
                equal_or_less = self.negated(self.compare(order, y, x))
                result = self.op(arith.OrIOp, less, self.op(arith.AndIOp, equal_or_less, result))
            else:
                result = less
        assert result is not None  # the verifier wants a key
        return result

    # --- ops --------------------------------------------------------------------------------------

    def op(self, build: Callable[..., Operation], *operands: SSAValue | str) -> SSAValue:
        """The result of a new op."""
        return self.builder.insert(build(*operands)).results[0]

    def choose(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """One of two values, by data: a branch would be mispredicted half of the time."""
        select = arith.SelectOp(condition, a, b)
        select.attributes[UNPREDICTABLE] = UnitAttr()
        return self.builder.insert(select).result

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Two integers compared."""
        return self.op(arith.CmpiOp, a, b, predicate)

    def least(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The lesser of two indices."""
        return self.op(arith.MinSIOp, a, b)

    def negated(self, value: SSAValue) -> SSAValue:
        """Whether something does not hold."""
        true = self.builder.insert(arith.ConstantOp(IntegerAttr(1, 1))).result
        return self.op(arith.XOrIOp, value, true)

    def index(self, number: int) -> SSAValue:
        """A constant index."""
        return self.builder.insert(arith.ConstantOp(IntegerAttr(number, uop.INDEX))).result

    def load(self, pointer: SSAValue, offset: SSAValue) -> SSAValue:
        """The element at an offset."""
        return self.op(uop.LoadOp, pointer, offset)

    def loop(
        self,
        lower: SSAValue,
        upper: SSAValue,
        step: SSAValue,
        start: Carried,
        body: Callable[[SSAValue, Carried], Carried],
    ) -> Carried:
        """A loop, whose body is built by a function; its iterations are independent where it
        carries nothing."""
        block = Block(arg_types=[uop.INDEX, *(value.type for value in start)])
        around = self.builder
        self.builder = LocatedBuilder(InsertPoint.at_end(block), around.location)
        self.builder.insert(scf.YieldOp(*body(block.args[0], block.args[1:])))
        self.builder = around
        loop = around.insert(scf.ForOp(lower, upper, step, start, block))
        if not start:
            loop.attributes[uop.PARALLEL] = UnitAttr()
        return loop.results
