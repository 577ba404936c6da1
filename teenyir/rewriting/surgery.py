"""The small changes that IR is made of, without xDSL's detours.

The same as xDSL's methods of these names, for what is known here: the IR is whole, and names have
been checked. Passes spend most of their time in these, so they reach into xDSL's fields.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue, SSAValues


def operands_of(op: Operation) -> Sequence[SSAValue]:
    """The operands of an operation, as they are now."""
    return op._operands


def users_of(value: SSAValue) -> list[Operation]:
    """The operations that use a value, once for each use."""
    users: list[Operation] = []
    use = value.first_use
    while use is not None:
        users.append(use._operation)
        use = use._next_use
    return users


def has_other_uses(value: SSAValue, user: Operation, most: int) -> bool:
    """Whether operations other than `user` use a value more than `most` times."""
    use = value.first_use
    while use is not None:
        if use._operation is not user:
            if most == 0:
                return True
            most -= 1
        use = use._next_use
    return False


def append(block: Block, op: Operation) -> None:
    """Put an operation without regions, which stands nowhere, at the end of a block."""
    assert op.parent is None and not op.regions
    last = block._last_op
    if last is None:
        block._first_op = op
    else:
        last._next_op, op._prev_op = op, last
    block._last_op = op
    op.parent = block


def name_after(new: SSAValue, old: SSAValue) -> None:
    """Give a value the name of another one if it has none."""
    if new._name is None:
        new._name = old._name


def replace_uses(old: SSAValue, new: SSAValue) -> None:
    """Let every user of a value use another one, which takes over its name if it has none."""
    if old is new:
        return
    name_after(new, old)
    use = first = old.first_use
    if use is None or first is None:
        return
    while True:
        operands = list(use._operation._operands)
        operands[use._index] = new
        use._operation._operands = SSAValues(operands)
        if use._next_use is None:
            break
        use = use._next_use
    # The old list of uses goes in front of the new one as a whole.
    use._next_use = new.first_use
    if new.first_use is not None:
        new.first_use._prev_use = use
    new.first_use = first
    old.first_use = None


def erase(op: Operation) -> None:
    """Take an operation that nobody uses out of its block, for good."""
    for result in op.results:
        assert result.first_use is None
    assert op.parent is not None
    op.parent.detach_op(op)
    op.drop_all_references()
