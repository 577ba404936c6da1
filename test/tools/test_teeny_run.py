"""teeny-run on files: what it reads, writes, compares, and refuses."""

import json
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from teenyir.tools import run_targets
from teenyir.tools.run_targets import Call, Task
from teenyir.tools.teeny_run import main

SOURCE = """func.func @main(%x: tensor<2x3xTYPE> {graph.name = "x"}) -> tensor<2x3xTYPE> {
  %r = graph.neg %x : tensor<2x3xTYPE>
  func.return %r : tensor<2x3xTYPE>
}"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run teeny-run on SOURCE with an element type; the exit code and what it printed."""

    def call(*arguments: str, type: str = "f32") -> tuple[int, str, str]:
        file = tmp_path / "program.mlir"
        file.write_text(SOURCE.replace("TYPE", type))
        code = main([str(file), *arguments])
        return (code, *capsys.readouterr())

    return call


@pytest.mark.parametrize("target", ("cpu", "interpret"))
@pytest.mark.parametrize("type", ("f32", "f16", "bf16", "f8E5M2", "f8E4M3FN", "i8", "ui16"))
def test_files_in_and_out(run: Run, tmp_path: Path, target: str, type: str) -> None:
    names = {"f32": "f4", "f16": "f2", "bf16": ml_dtypes.bfloat16, "i8": "i1", "ui16": "u2",
             "f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3FN": ml_dtypes.float8_e4m3fn}  # fmt: skip
    dtype = np.dtype(names[type])
    x = np.arange(6).reshape(2, 3).astype(dtype)
    # of ml_dtypes' f8E5M2 numpy writes files that it cannot read
    stored = x.view("V1") if type == "f8E5M2" else x
    np.savez(tmp_path / "in.npz", x=stored, other=np.zeros(3))
    out = tmp_path / "out.npz"
    code, _, err = run(f"--target={target}", "--input", f"x={tmp_path / 'in.npz'}",
                       "--output", str(out), type=type)  # fmt: skip
    assert (code, err) == (0, "")
    with np.load(out, allow_pickle=False) as found:
        got = found["output"].view(dtype)
    np.testing.assert_array_equal(got.astype(float), (-x).astype(float))
    code, _, _ = run("--input", f"x={out}", type=type)  # the only array of a file will do
    assert code == 0


def test_big_endian_files(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 3), ">f4"))
    code, out, _ = run("--input", f"x={tmp_path / 'x.npy'}")
    assert code == 0
    assert "-1 to -1" in out


def refused(run: Run, path: Path) -> str:
    code, out, err = run("--input", f"x={path}")
    assert (code, out) == (1, "")
    assert "Traceback" not in err
    return err


def test_wrong_files(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.zeros((2, 3)))
    assert "input 'x': expected float32[2, 3], got float64[2, 3]" in refused(run, path)
    np.save(path, np.zeros((2, 4), "f4"))
    assert "input 'x': expected float32[2, 3], but axis 1 is 4, not 3" in refused(run, path)
    np.save(path, np.zeros(3, "f4"))
    assert "input 'x': expected float32[2, 3], got 1 axes: [3]" in refused(run, path)
    np.save(path, np.array([{}], object), allow_pickle=True)
    assert "holds no array of numbers: Object arrays cannot be loaded" in refused(run, path)
    path.write_bytes(b"\x93NUMPY nonsense")
    assert "holds no array of numbers" in refused(run, path)
    path.write_bytes(b"")
    assert "holds no array of numbers" in refused(run, path)
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999,), }"
    size = (len(header) + 1).to_bytes(2, "little")
    path.write_bytes(b"\x93NUMPY\x01\x00" + size + header + b"\n")
    assert "holds no array of numbers" in refused(run, path)
    archive = tmp_path / "x.npz"
    archive.write_bytes(b"PK\x03\x04 nonsense")
    assert "holds no array of numbers" in refused(run, archive)
    np.savez(archive, a=np.zeros(3), b=np.zeros(3))
    assert "holds no array of this name, but a, b" in refused(run, archive)


def test_random_inputs_are_reproducible(run: Run) -> None:
    first = run("--print")[1]
    assert run("--print", "--input", "x=random")[1] == first
    assert run("--print", "--input", "x=random:0")[1] == first
    assert run("--print", "--input", "x=random:1")[1] != first


def test_compare(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("--compare=interpret")[0] == 0

    def broken(task: Task) -> Call:
        def call() -> list[np.ndarray]:
            (output,) = run_targets.interpreted(task)()
            output = output.copy()
            output[1, 2] += 1
            return [output]

        return call

    monkeypatch.setitem(run_targets.TARGETS, "cpu", broken)
    code, _, err = run("--compare=interpret", "--input", "x=range")
    assert code == 3
    assert "output 'output' is not what the interpreter gives: 1 of 6 elements differ" in err
    assert "the worst at [1, 2]: -4.0, expected -5.0" in err
    assert run("--compare=interpret", "--input", "x=range", "--atol=2")[0] == 0


def test_stats_and_repeat(run: Run) -> None:
    code, out, err = run("--stats=json", "--repeat=3")
    stats = json.loads(out)
    assert code == 0
    assert (stats["kernels"], stats["launches"], stats["arena_bytes"]) == (1, 1, 0)
    assert set(stats["seconds"]) == {"read", "lower", "compile", "run"}
    assert "3 runs: best " in err


def test_python_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "import teenyir as ty\n"
        "from teenyir import nn\n"
        "N = ty.Dim('N', min=1, max=8)\n"
        "model = ty.trace(nn.Linear(4, 2), ty.Spec((N, 4), ty.float32))\n"
    )
    assert main([f"{file}:model", "--dim", "N=3", "--compare=interpret"]) == 0
    assert "float32[3, 2]" in capsys.readouterr().out


@pytest.mark.parametrize("mark", ("", " {uop.parallel}"), ids=("in order", "parallel"))
def test_deep_nests(tmp_path: Path, capsys: pytest.CaptureFixture[str], mark: str) -> None:
    depth = 240
    loops = "".join(f"scf.for %i{k} = %c0 to %c1 step %c1 {{\n" for k in range(depth))
    file = tmp_path / "deep.mlir"
    file.write_text(f"""uop.func @k(out %o: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      {loops} %v = uop.load %x[%c0] : f32
      uop.store %v, %o[%c0]
      {f"}}{mark}" * depth}
    }}
    program.func @main(in %x: !kernel.buf<[1] x f32>, out %y: !kernel.buf<[1] x f32>) {{
      program.launch @k(%y, %x)
    }}""")
    assert main([str(file), "--target=interpret", "--input", "x=range", "--print"]) == 0
    assert capsys.readouterr().out == "y: float32[1]\n[0.]\n"


def test_outputs_of_any_name_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "names.py", tmp_path / "out.npz"
    file.write_text(
        "import teenyir as ty\n"
        "def f(x: ty.Spec((2,))):\n"
        "    return {'file': x + 1, 'a/b': x, 'allow_pickle': x * 2}\n"
    )
    assert main([f"{file}:f", "--target=interpret", "--input", "x=range", "-o", str(out)]) == 0
    with np.load(out, allow_pickle=False) as found:
        assert {name: found[name].tolist() for name in found} == {
            "file": [1, 2], "a/b": [0, 1], "allow_pickle": [0, 2],
        }  # fmt: skip
    assert capsys.readouterr().err == ""


def test_inputs_that_do_not_fit_into_memory_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "large.mlir"
    file.write_text(SOURCE.replace("2x3xTYPE", "16777216x16777216xf32"))
    assert main([str(file)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "input 'x': float32[16777216, 16777216] needs too much memory" in err


@pytest.mark.parametrize("target", ("cpu{fast-math=true}", "c{fast-math=true}"))
def test_a_target_takes_the_options_of_its_pipeline(run: Run, target: str) -> None:
    assert run(f"--target={target}", "--compare=interpret")[0] == 0
