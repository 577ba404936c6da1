"""`expand-remainders` gives what C's fmod gives, to the bit."""

import numpy as np
import pytest

from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.runtime.lowered import lower

PROGRAM = """
uop.func @rest(out %y: !uop.ptr<T>, in %a: !uop.ptr<T>, in %b: !uop.ptr<T>) dims(%N: N in 1..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %N step %c1 {
    %x = uop.load %a[%i] : T
    %z = uop.load %b[%i] : T
    %r = arith.remf %x, %z : T
    uop.store %r, %y[%i]
  } {uop.parallel}
}
program.func @main(in %a: !kernel.buf<[N] x T>, in %b: !kernel.buf<[N] x T>,
    out %y: !kernel.buf<[N] x T>) dims(N in 1..) {
  program.launch @rest(%y, %a, %b)
}
"""


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_kind_of_number(dtype: type[np.floating]) -> None:
    info, bytes_ = np.finfo(dtype), np.dtype(dtype).itemsize
    random = np.random.default_rng(bytes_)
    bits = random.integers(0, 1 << 64, (2, 20_000), np.uint64) >> np.uint64(64 - 8 * bytes_)
    drawn = bits.astype(f"u{bytes_}").view(dtype)
    near = (random.standard_normal((2, 2000)) * [[100], [1]]).astype(dtype)
    special = [0, -0.0, 1, -1, 3, 7, -2.5, np.inf, -np.inf, np.nan]
    special += [info.tiny, info.smallest_subnormal, info.max, -info.max]
    some = np.array(special, dtype)
    pairs = np.stack([np.repeat(some, some.size), np.tile(some, some.size)])
    a, b = np.concatenate([drawn, near, pairs], axis=1)

    module = parse_module(PROGRAM.replace("T", f"f{8 * bytes_}"), "rest.mlir")
    PassManager.parse("expand-remainders").run(module)
    found = lower(module, "cpu").compile(cache=False)(a, b)
    with np.errstate(all="ignore"):
        expected = np.fmod(a, b)
    same = (found == expected) & (np.signbit(found) == np.signbit(expected))
    assert (same | (np.isnan(found) & np.isnan(expected))).all()
