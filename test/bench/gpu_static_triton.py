"""The kernels that `gpu_static` compares with, compiled by Triton, which needs no GPU for it.

`python gpu_static_triton.py CAPABILITY` prints a JSON object: by name the PTX, the bytes of shared
memory that a launch asks for, and the threads of a block.
"""

import json
import sys
import warnings

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    block, across = tl.program_id(0), tl.cdiv(N, BN)
    rows = (block // across) * BM + tl.arange(0, BM)
    columns = (block % across) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    at_a = a + rows[:, None] * K + depth[None, :]
    at_b = b + depth[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total += tl.dot(tl.load(at_a), tl.load(at_b))
        at_a += BK
        at_b += BK * N
    tl.store(c + rows[:, None] * N + columns[None, :], total)


@triton.jit
def softmax(x, y, N, B: tl.constexpr):
    at = tl.arange(0, B)
    row = tl.load(x + tl.program_id(0) * N + at, mask=at < N, other=-float("inf"))
    e = tl.exp(row - tl.max(row, 0))
    tl.store(y + tl.program_id(0) * N + at, e / tl.sum(e, 0), mask=at < N)


@triton.jit
def layer_norm(x, y, N, B: tl.constexpr):
    at = tl.arange(0, B)
    row = tl.load(x + tl.program_id(0) * N + at, mask=at < N, other=0.0)
    centred = tl.where(at < N, row - tl.sum(row, 0) / N, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / N + 1e-5)
    tl.store(y + tl.program_id(0) * N + at, centred * scale, mask=at < N)


@triton.jit
def attention(
    q, k, v, o, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, SCALE: tl.constexpr
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    features, columns = tl.arange(0, D), tl.arange(0, BN)
    at = rows[:, None] * D + features[None, :]
    queries = tl.load(q + at)
    highest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    for start in range(0, T, BN):
        keys = tl.load(k + (start + columns)[None, :] * D + features[:, None])
        scores = tl.dot(queries, keys) * SCALE
        above = tl.maximum(highest, tl.max(scores, 1))
        weights, shrink = tl.exp(scores - above[:, None]), tl.exp(highest - above)
        total = total * shrink + tl.sum(weights, 1)
        values = tl.load(v + (start + columns)[:, None] * D + features[None, :])
        out = out * shrink[:, None] + tl.dot(weights.to(tl.bfloat16), values)
        highest = above
    tl.store(o + at, (out / total[:, None]).to(tl.bfloat16))


def compiled(function, types, constants, capability, warps, stages):
    names = function.arg_names
    types = {**types, **dict.fromkeys(constants, "constexpr")}
    aligned = {(names.index(n),): [["tt.divisibility", 16]] for n in types if n not in constants}
    target = GPUTarget("cuda", capability, 32)
    options = {"num_warps": warps, "num_stages": stages}
    kernel = triton.compile(
        ASTSource(function, types, constants, aligned), target=target, options=options
    )
    return {
        "ptx": kernel.asm["ptx"],
        "shared": kernel.metadata.shared,
        "threads": 32 * kernel.metadata.num_warps,
    }


def main(capability):
    f32, bf16 = {"x": "*fp32", "y": "*fp32", "N": "i32"}, "*bf16"
    three = {"a": bf16, "b": bf16, "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    four = {"q": bf16, "k": bf16, "v": bf16, "o": bf16, "T": "i32"}
    tiles = {"BM": 64, "BN": 64, "D": 64, "SCALE": 0.125}
    return {
        "product": compiled(product, three, {"BM": 128, "BN": 128, "BK": 32}, capability, 8, 3),
        "softmax": compiled(softmax, f32, {"B": 1024}, capability, 4, 1),
        "layer norm": compiled(layer_norm, f32, {"B": 1024}, capability, 4, 1),
        "attention": compiled(attention, four, tiles, capability, 4, 2),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(main(int(sys.argv[1]))))
