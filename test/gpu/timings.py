"""What is timed on a GPU: programs of ours beside torch's and, where there is Triton, those that
torch makes with it (`torch.compile`).

Each is given the same tensors, which stay in the GPU. Rounds of ours and theirs alternate; a ratio
is their time through ours within a round, so 2 is twice as fast as they are.
"""

from __future__ import annotations

import importlib.util
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import teenyir as ty

ROUNDS = 7
ROUND_SECONDS = 0.03
"""How long one side runs in a round, about."""


@dataclass(frozen=True)
class Timed:
    """A program in our words and in torch's."""

    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    """Given torch, then the tensors."""
    dtype: str
    shapes: Sequence[Sequence[int]]
    flops: float = 0
    """Of one run; 0 where it is memory that counts."""
    tolerance: float = 1e-2
    options: str = ""
    """Of the target."""


def product(a: Any, b: Any) -> Any:
    return a @ b


def row_norm(x: Any, g: Any, b: Any) -> Any:
    return ty.layer_norm(x, weight=g, bias=b)


def conv(x: Any, w: Any) -> Any:
    return ty.conv(x, w, padding=1)


def attention(q: Any, k: Any, v: Any) -> Any:
    return ty.scaled_dot_product_attention(q, k, v)


def _product(dtype: str, size: int, tolerance: float = 1e-2, options: str = "") -> Timed:
    shapes = ((size, size), (size, size))
    theirs = lambda torch, a, b: torch.matmul(a, b)  # noqa: E731
    return Timed(product, theirs, dtype, shapes, 2.0 * size**3, tolerance, options)


ROWS = (8192, 4096)
HEADS = ((4, 16, 1024, 64),) * 3

TIMED: dict[str, Timed] = {
    "product f16, 4096": _product("float16", 4096),
    "product bf16, 4096": _product("bfloat16", 4096, 3e-2),
    "product bf16, 8192": _product("bfloat16", 8192, 3e-2),
    "product tf32, 4096": _product("float32", 4096, 1e-2, "tf32=true"),
    "product f32, 2048": _product("float32", 2048, 1e-4),
    "softmax f32, 8192 x 4096": Timed(
        ty.softmax, lambda torch, x: torch.softmax(x, -1), "float32", (ROWS,), tolerance=1e-4
    ),
    "layer norm f32, 8192 x 4096": Timed(
        row_norm,
        lambda torch, x, g, b: torch.nn.functional.layer_norm(x, (ROWS[1],), g, b),
        *("float32", (ROWS, ROWS[1:], ROWS[1:])),
        tolerance=1e-4,
    ),
    "attention bf16, 4 x 16 heads of 1024 x 64": Timed(
        attention,
        lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v),
        *("bfloat16", HEADS, 4.0 * 64 * 1024 * 1024 * 64, 3e-2),
    ),
    "convolution f16, 32 x 128 x 28 x 28, 3 x 3": Timed(
        conv,
        lambda torch, x, w: torch.nn.functional.conv2d(x, w, padding=1),
        *("float16", ((32, 128, 28, 28), (128, 128, 3, 3)), 2.0 * 32 * 128 * 784 * 128 * 9, 2e-2),
    ),
}


def time_row(name: str, target: str) -> dict[str, Any]:
    """Times and ratios of one program, once it has given what torch gives."""
    import torch

    row = TIMED[name]
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = "tf32" in row.options
    torch.backends.cudnn.allow_tf32 = False
    tensors = [torch.randn(s, device="cuda").to(getattr(torch, row.dtype)) for s in row.shapes]
    specs = [ty.Spec(shape, getattr(ty, row.dtype)) for shape in row.shapes]
    compiled = ty.trace(row.ours, *specs).lower(target=with_options(target, row.options)).compile()
    ours = compiled.capture(*tensors)
    expected = row.theirs(torch, *tensors)
    found = torch.from_dlpack(ours())
    scale = expected.float().abs().max().item()
    off = (found.float() - expected.float()).abs().max().item()
    assert off <= row.tolerance * scale, f"off by {off} beside torch, of {scale}"
    peers: dict[str, Callable[[], Any]] = {"torch": lambda: row.theirs(torch, *tensors)}
    notes: dict[str, str] = {}
    if importlib.util.find_spec("triton") is not None:
        try:
            by_triton = torch.compile(lambda *tensors: row.theirs(torch, *tensors))
            by_triton(*tensors)
            peers["Triton"] = lambda: by_triton(*tensors)
        except Exception as problem:  # it is no part of what is checked
            notes["Triton"] = f"{type(problem).__name__}: {problem}".splitlines()[0]
    sides = {"ours": ours.seconds} | {n: _by_events(torch, p) for n, p in peers.items()}
    return {"name": name, "flops": row.flops, "notes": notes} | measured(sides)


def measured(sides: dict[str, Callable[[int], float]]) -> dict[str, Any]:
    """The median time of each side, in seconds, and how theirs compare with ours in each round."""
    times = {
        name: max(1, round(ROUND_SECONDS / max(side(2), 1e-6))) for name, side in sides.items()
    }
    rounds = [{name: side(times[name]) for name, side in sides.items()} for _ in range(ROUNDS)]
    medians = {name: statistics.median(each[name] for each in rounds) for name in sides}
    ratios = {
        name: sorted(each[name] / each["ours"] for each in rounds)
        for name in sides
        if name != "ours"
    }
    return {"seconds": medians, "ratios": ratios}


def _by_events(torch: Any, run: Callable[[], Any]) -> Callable[[int], float]:
    def seconds(times: int) -> float:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        for _ in range(times):
            run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e-3 / times

    return seconds


def with_options(target: str, options: str) -> str:
    """A target with more options."""
    if not options:
        return target
    name, _, rest = target.partition("{")
    given = " ".join(filter(None, (rest.removesuffix("}"), options)))
    return f"{name}{{{given}}}"


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as a table for the documents."""
    lines = ["| | ours, µs | TFLOP/s | torch / ours | Triton / ours |", "|---|---|---|---|---|"]
    for row in rows:
        ours = row["seconds"]["ours"]
        rate = f"{row['flops'] / ours / 1e12:.1f}" if row["flops"] else "-"
        peers = (_ratio(row["ratios"].get(name)) for name in ("torch", "Triton"))
        lines.append(f"| {row['name']} | {ours * 1e6:.1f} | {rate} | {' | '.join(peers)} |")
    return "\n".join(lines)


def _ratio(ratios: Sequence[float] | None) -> str:
    if not ratios:
        return "-"
    return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
