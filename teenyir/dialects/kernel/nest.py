"""The loop tree that a kernel's DAG stands for: dependence, loop order, and the place of each op.

The rules, by which verifier and lowering agree:

- An op *depends* on the ranges its operands depend on; a range on itself and on what its bounds
  depend on; a reduction or stage on what its operands depend on minus what it closes.
- A scan depends on what its operands depend on and leaves its range open.
- Each closer puts every range open around it outside every range it closes. Ranges open around one
  closer nest in the order of their text, and so do those it closes. What a range's bounds depend on
  lies outside it. A store closes all that it depends on. A scan puts its range inside all others
  open around it.
- Ranges of kind `unroll` and `vector` are no loops: what depends on them stands where it would
  without them, once for all their iterations, and they do not take part in the order.
- Closed under transitivity, the ranges outside each range form one chain. An op stands in the
  deepest range it depends on, and as few loops repeat it as its dependences allow.
- Within a loop, what is needed comes before what needs it; otherwise the order is that of the text.
"""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import Operation, OpResult

from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.kernel.closers import ScanOp
from teenyir.dialects.kernel.dependences import (
    CLOSERS,
    Closer,
    Dependences,
    Ranges,
    scanned_by,
)
from teenyir.dialects.kernel.kinds import only_unrolled
from teenyir.dialects.kernel.names import names
from teenyir.dialects.kernel.ops import FuncOp, RangeOp, ScatterOp, StoreOp
from teenyir.once import once

# (as types: see `dependences`)
_CLOSERS: frozenset[type[Operation]] = frozenset(CLOSERS)
_ENDS: frozenset[type[Operation]] = _CLOSERS | {ScanOp, StoreOp, ScatterOp}


@dataclass(eq=False)
class Update:
    """The point in the innermost closed loop where a closer takes its operand in."""

    closer: Closer


@dataclass(eq=False)
class Loop:
    """One loop of the tree, or the whole body where `range` is None."""

    range: RangeOp | None
    body: list[Item] = field(default_factory=list["Item"])
    """In the order of execution. A closer stands where its result is complete."""
    opens: list[Closer | ScanOp] = field(default_factory=list["Closer | ScanOp"])
    """What starts just before this loop: closers whose outermost loop it is, scans along it.

    A closer that closes no loop starts where it takes its operand in.
    """


Path: TypeAlias = tuple[RangeOp, ...]
Item: TypeAlias = Loop | Update | Operation


class Nest(Dependences):
    """The loop tree of one kernel. Raises VerifyAt, naming the ranges, where there is none.

    The order within its loops is worked out when `root` is first asked for.
    """

    def __init__(self, func: FuncOp):
        super().__init__(func)
        self._unrolled = only_unrolled(op for op in self.ops if type(op) is RangeOp)
        self.vectors = frozenset([range_ for range_ in self._unrolled if range_.how == "vector"])
        """The ranges whose iterations are lanes."""
        self.outside: dict[RangeOp, Ranges] = self._order()
        self._chains: dict[Ranges, Path] = {}
        for op in self.ops:
            if type(op) is not RangeOp:
                self._require_chain(op)

    # --- order --------------------------------------------------------------------------------

    def _order(self) -> dict[RangeOp, Ranges]:
        outside: dict[RangeOp, set[RangeOp]] = {
            op: set(self.operand_dependences[op] - self._unrolled)
            for op in self.ops
            if type(op) is RangeOp and op not in self._unrolled
        }
        for op in self.ops:
            if op.__class__ in _ENDS:
                inner = (scanned_by(op) | self._closed_by(op)) - self._unrolled
                chain = self.in_text_order(self.open_around(op) - self._unrolled - inner)
                chain += self.in_text_order(inner)
                for outer, inner in itertools.pairwise(chain):
                    outside[inner].add(outer)
        for middle in outside:
            for inner in outside:
                if middle in outside[inner]:
                    outside[inner] |= outside[middle]
        self._require_nesting(outside)
        return {range_: frozenset(outer) for range_, outer in outside.items()}

    def _require_nesting(self, outside: dict[RangeOp, set[RangeOp]]) -> None:
        for range_, outer in outside.items():
            if range_ in outer:
                ring = self.in_text_order(r for r in outer if range_ in outside[r])
                raise VerifyAt(
                    range_,
                    f"{names(ring)} would each have to be outside the other: "
                    "two closers ask for opposite orders of loops",
                )
        for range_, outer in outside.items():
            chain = sorted(outer, key=lambda r: (len(outside[r]), self.position[r]))
            if any(len(outside[ancestor]) != depth for depth, ancestor in enumerate(chain)):
                raise VerifyAt(
                    range_,
                    f"the loops around {names([range_])} do not nest: {names(chain)} "
                    "lie on two paths",
                )

    def path(self, ranges: Ranges) -> list[RangeOp]:
        """The loops, outermost first, that lead to the deepest of `ranges`."""
        return [*self._path(ranges)]

    def _path(self, ranges: Ranges) -> Path:
        if ranges not in self._chains:
            self._chains[ranges] = self._chain(ranges - self._unrolled)
        return self._chains[ranges]

    def _chain(self, loops: Ranges) -> Path:
        if not loops:
            return ()
        deepest = max(loops, key=lambda r: (len(self.outside[r]), self.position[r]))
        outer = sorted(self.outside[deepest], key=lambda r: len(self.outside[r]))
        return (*outer, deepest)

    def place(self, op: Operation) -> list[RangeOp]:
        """The loops around an op; around a closer, those where its result is complete."""
        return self.path(self.open_around(op))

    def _require_chain(self, op: Operation) -> None:
        around = self.open_around(op)
        met = around in self._chains
        path = self._path(around)
        if not met and (stray := (around - self._unrolled).difference(path)):
            raise VerifyAt(
                op,
                f"depends on {names(self.in_text_order(stray))} and on {names(path)}, "
                "which lie on two paths",
            )
        if not (closed := self._closed_by(op) - self._unrolled):
            return
        inner = self._path(closed)
        foreign = [r for r in inner if r not in closed and r not in path]
        if foreign:
            raise VerifyAt(
                op,
                f"{names(foreign)} would stand between this op and the loops that it closes, "
                f"{names(self.in_text_order(closed))}",
            )
        if stray := closed - set(inner):
            raise VerifyAt(
                op, f"closes {names(self.in_text_order(closed))}, which lie on two paths"
            )

    # --- arrangement --------------------------------------------------------------------------

    @once
    def root(self) -> Loop:
        """The whole body. Raises VerifyAt as `require_order` does."""
        root, paths = Loop(None), self._paths()
        loops: dict[RangeOp | None, Loop] = {None: root}
        for path in dict.fromkeys(paths.values()):
            for around, range_ in itertools.pairwise((None, *path)):
                if range_ not in loops:
                    loops[range_] = Loop(range_)
                    loops[around].body.append(loops[range_])
        for item, path in paths.items():
            loop = loops[path[-1] if path else None]
            loop.body.append(item)
            if isinstance(item, Update) and path != (place := paths[item.closer]):
                loops[path[len(place)]].opens.append(item.closer)
            elif type(item) is ScanOp:
                loop.opens.append(item)
        self._sort(loops, paths)
        return root

    def require_order(self) -> None:
        """Raises VerifyAt where values in a loop wait for what it results in."""
        _ = self.root

    def _paths(self) -> dict[Operation | Update, Path]:
        """The loops around each op and each update."""
        paths: dict[Operation | Update, Path] = {}
        for op in self.ops:
            if type(op) is not RangeOp:
                paths[op] = self._path(self.open_around(op))
            if op.__class__ in _CLOSERS and isinstance(op, CLOSERS):
                paths[Update(op)] = self._path(self.closed[op]) or paths[op]
        return paths

    def _needs(
        self, items: Iterable[Operation | Update]
    ) -> Iterable[tuple[Operation, Operation | Update]]:
        """What must have run before what: operands before their users, updates before results."""
        for item in items:
            op = item.closer if isinstance(item, Update) else item
            if item is op and self._closed_by(op):
                continue  # a closer waits for its update alone, which waits for its operands
            for operand in op.operands:
                if isinstance(operand, OpResult):
                    for source in self._sources(operand.op):
                        yield source, item

    def _sources(self, owner: Operation) -> Sequence[Operation]:
        """The ops that must have run before a value is there; a range waits for its bounds."""
        if type(owner) is not RangeOp:
            return (owner,)
        return [
            source
            for value in owner.operands
            if isinstance(value, OpResult)
            for source in self._sources(value.op)
        ]

    def _sort(
        self, loops: dict[RangeOp | None, Loop], paths: dict[Operation | Update, Path]
    ) -> None:
        # a need between two ops orders the two items, ops or loops, below their common loop
        before: dict[Loop, set[tuple[Item, Item]]] = defaultdict(set)
        updates = [(item, item.closer) for item in paths if isinstance(item, Update)]
        for first, second in (*updates, *self._needs(paths)):
            a, b = paths[first], paths[second]
            depth = _common(a, b)
            x = loops[a[depth]] if len(a) > depth else first
            y = loops[b[depth]] if len(b) > depth else second
            if x is not y:
                before[loops[a[depth - 1] if depth else None]].add((x, y))
        for loop in loops.values():
            loop.body = self._topological(loop, before[loop])

    def _key(self, item: Item) -> tuple[int, int]:
        """The place of an item in the text; an update comes just before its closer."""
        if isinstance(item, Update):
            return (self.position[item.closer], 0)
        if isinstance(item, Loop):
            assert item.range is not None  # only the root has none, and it is no item
            return (self.position[item.range], 0)
        return (self.position[item], 1)

    def _topological(self, loop: Loop, before: set[tuple[Item, Item]]) -> list[Item]:
        waiting = {item: 0 for item in loop.body}
        after: dict[Item, list[Item]] = defaultdict(list)
        for first, second in before:
            waiting[second] += 1
            after[first].append(second)
        ready = [(*self._key(item), k, item) for k, item in enumerate(loop.body)]
        ready = [entry for entry in ready if not waiting[entry[3]]]
        heapq.heapify(ready)
        result: list[Item] = []
        count = len(loop.body)
        while ready:
            item = heapq.heappop(ready)[3]
            result.append(item)
            for later in after[item]:
                waiting[later] -= 1
                if not waiting[later]:
                    count += 1
                    heapq.heappush(ready, (*self._key(later), count, later))
        if len(result) < len(loop.body):
            self._refuse_cycle([item for item in loop.body if waiting[item]])
        return result

    def _refuse_cycle(self, stuck: list[Item]) -> None:
        loops = [item.range for item in stuck if isinstance(item, Loop) and item.range]
        raise VerifyAt(
            self.in_text_order(loops)[0],
            f"a value inside the loop of {names(self.in_text_order(loops))} "
            "needs the result of an op that closes it; use a second range",
        )


def _common(a: Path, b: Path) -> int:
    """How many loops two paths have in common."""
    depth = 0
    for x, y in zip(a, b, strict=False):
        if x is not y:
            break
        depth += 1
    return depth
