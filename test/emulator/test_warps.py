"""Instructions of warps: shuffles, votes, matches, reductions, and who takes part in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from one_instruction import launch, one, run
from operands import RANDOM, words

LANES = np.arange(64)
FULL = "0xffffffff"


SHUFFLES: list[tuple[str, Callable[[int, int, int], tuple[int, bool]]]] = [
    ("up", lambda lane, n, low: (lane - n, lane - n >= low)),
    ("down", lambda lane, n, low: (lane + n, lane + n <= low)),
    ("bfly", lambda lane, n, low: (lane ^ n, lane ^ n <= low)),
    ("idx", lambda lane, n, low: (n, n <= low)),
]


@pytest.mark.parametrize(("mode", "function"), SHUFFLES, ids=[row[0] for row in SHUFFLES])
@pytest.mark.parametrize("width", [8, 32])
def test_shuffle(mode: str, function: Any, width: int) -> None:
    values, amount = words(), RANDOM.integers(0, width, 64).astype(np.uint32)
    control = (32 - width) << 8 | (0 if mode == "up" else 31)
    code = f"    shfl.sync.{mode}.b32 %d0|%d1, %a0, %a1, {control}, {FULL};"
    out, valid = run(code, [("b32", values), ("u32", amount)], ["b32", "pred"])
    for lane in range(64):
        start = lane // width * width
        within = lane - start
        limit = 0 if mode == "up" else width - 1
        other, inside = function(within, int(amount[lane]), limit)
        assert bool(valid[lane]) == inside
        assert out[lane] == values[start + other if inside else lane]


def test_votes() -> None:
    holds = np.array([1, 0] * 16 + [1] * 32)
    source = [("pred", holds)]
    assert (one(f"    vote.sync.any.pred %d0, %a0, {FULL};", source, "pred") == 1).all()
    every = one(f"    vote.sync.all.pred %d0, %a0, {FULL};", source, "pred")
    assert (every == np.repeat([0, 1], 32)).all()
    uniform = one(f"    vote.sync.uni.pred %d0, !%a0, {FULL};", source, "pred")
    assert (uniform == np.repeat([0, 1], 32)).all()
    ballot = one(f"    vote.sync.ballot.b32 %d0, %a0, {FULL};", source, "u32")
    assert (ballot == np.repeat([0x55555555, 0xFFFFFFFF], 32)).all()


def test_match() -> None:
    values = (LANES % 5).astype(np.uint32)
    out = one(f"    match.any.sync.b32 %d0, %a0, {FULL};", [("b32", values)], "u32")
    for lane in range(64):
        warp = lane // 32 * 32
        want = sum(1 << k for k in range(32) if values[warp + k] == values[lane])
        assert out[lane] == want
    same = np.where(LANES < 32, 7, LANES).astype(np.uint64)
    code = f"    match.all.sync.b64 %d0|%d1, %a0, {FULL};"
    mask, agreed = run(code, [("b64", same)], ["u32", "pred"])
    assert (mask == np.repeat([0xFFFFFFFF, 0], 32)).all()
    assert (agreed == np.repeat([1, 0], 32)).all()


@pytest.mark.parametrize(
    ("name", "function"),
    [("add.s32", np.add), ("min.s32", np.minimum), ("max.s32", np.maximum),
     ("and.b32", np.bitwise_and), ("or.b32", np.bitwise_or), ("xor.b32", np.bitwise_xor)],
)  # fmt: skip
def test_reductions_of_a_warp(name: str, function: Any) -> None:
    values = words()
    kind = name.split(".")[1]
    out = one(f"    redux.sync.{name} %d0, %a0, {FULL};", [(kind, values)], kind)
    typed = values.view(out.dtype)
    first, second = (function.reduce(half).astype(out.dtype) for half in (typed[:32], typed[32:]))
    assert (out == np.repeat([first, second], 32)).all()


def test_partial_members() -> None:
    """Lanes in two halves of a branch, each with its own member mask."""
    out = np.zeros(64, np.uint32)
    launch(
        """
    and.b32 %r0, %t, 1;
    setp.eq.u32 %q0, %r0, 0;
    @%q0 bra EVEN;
    redux.sync.add.u32 %r1, %t, 0xaaaaaaaa;
    bra DONE;
EVEN:
    redux.sync.add.u32 %r1, %t, 0x55555555;
DONE:
    st.global.u32 [%w], %r1;""",
        out,
    )
    want = [sum(k for k in range(lane // 32 * 32, lane // 32 * 32 + 32) if (k - lane) % 2 == 0)
            for lane in range(64)]  # fmt: skip
    assert out.tolist() == want


def test_warp_instruction_waits_for_its_members() -> None:
    """Lanes that come by different ways meet at a shuffle that names them all."""
    out = np.zeros(32, np.uint32)
    launch(
        """
    mov.u32 %r2, 0;
    setp.lt.u32 %q0, %t, 16;
    @%q0 bra SHUFFLE;
LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %q1, %r2, %t;
    @%q1 bra LOOP;
    bra SHUFFLE2;
SHUFFLE:
    mov.u32 %r2, 100;
SHUFFLE2:
    shfl.sync.bfly.b32 %r3, %r2, 16, 31, 0xffffffff;
    st.global.u32 [%w], %r3;""",
        out,
        threads=32,
    )
    assert out.tolist() == [*range(16, 32), *([100] * 16)]


def test_activemask_and_elect() -> None:
    out = np.zeros(64, np.uint32)
    launch("    activemask.b32 %r0;\n    st.global.u32 [%w], %r0;", out, threads=40)
    assert out[:40].tolist() == [0xFFFFFFFF] * 32 + [0xFF] * 8
    leader, chosen = run("    elect.sync %d0|%d1, 0xffffffff;", [("u32", words())], ["u32", "pred"])
    assert (leader == 0).all() and np.flatnonzero(chosen).tolist() == [0, 32]
