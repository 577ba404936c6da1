"""`ty.Dim` arithmetic, order and refusals."""

import pytest

import teenyir as ty


def test_arithmetic_is_canonical():
    n = ty.Dim("N", min=1, max=64)
    assert n + 1 + n == 2 * n + 1
    assert (n * 4 + 6) // 4 == n + 1
    assert 1 + n - n == 1
    assert (8 * n) % 4 == 0
    assert str((n + 2 - 3) // 2 + 1) == "(N + 1) floordiv 2"
    assert hash(n + 1) == hash(1 + n)
    assert n != 3
    assert 10 - n == -1 * n + 10
    assert str(7 // n) == "7 floordiv N"
    assert str(7 % n) == "7 mod N"


def test_order_is_answered_where_it_is_known():
    n, m = ty.Dim("N", min=1, max=64), ty.Dim("M", min=100)
    assert n > 0
    assert n >= 1
    assert n < 65
    assert n <= 64
    assert not n < 1
    assert m > n
    assert bool(n)
    assert n // 2 < 33
    assert n % 4 < 4
    with pytest.raises(ty.CompileError, match=r"depends on the call \(N in 1..64\)"):
        n > 5  # noqa: B015
    with pytest.raises(ty.CompileError, match="depends on the call"):
        bool(ty.Dim("K"))


@pytest.mark.parametrize("use", [int, float, range, lambda d: [0][d]])
def test_a_dim_is_no_number(use):
    with pytest.raises(ty.CompileError, match="not known when the function is traced"):
        use(ty.Dim("N"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ty.Dim("2x"), "cannot name an extent"),
        (lambda: ty.Dim("mod"), "cannot name an extent"),
        (lambda: ty.Dim("N", min=-1), "cannot be negative"),
        (lambda: ty.Dim("N", min=5, max=4), "is empty"),
        (lambda: ty.Dim("N", step=0), "step of N must be positive"),
        (lambda: ty.Dim("N") // 0, "floordiv 0"),
        (lambda: ty.Dim("N") + ty.Dim("N", min=2), "two extents are called N"),
        (lambda: ty.Spec((2.0,)), "an extent is an integer or a ty.Dim"),
        (lambda: ty.Spec((True,)), "an extent is an integer or a ty.Dim"),
        (lambda: ty.Spec((-1,)), "extent -1 is negative"),
        (lambda: ty.Spec((1,), "float3"), "is not a dtype of tensors"),
    ],
)
def test_refused(make, message):
    with pytest.raises(ty.CompileError) as caught:
        make()
    assert message in str(caught.value)


def test_dims_do_not_add_to_other_things():
    with pytest.raises(TypeError):
        ty.Dim("N") + 1.5
