"""The database of measured schedules, and schedules read back from their text."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.tuned import (
    Damaged,
    Database,
    Tuned,
    find_database,
    key_of,
    machine,
)
from teenyir.passes.kernel.schedule.primitive import as_text
from teenyir.passes.kernel.schedule.replay import PRIMITIVES, parse_schedule
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.registry import PASSES

TUNED = Tuned("k", "here", "set-kind{range=i kind=vector}", ("i", ""), ("y", "x"), 1e-6, 2e-6)


def kernel_of(text: str) -> kernel.FuncOp:
    (func,) = parse_module(text, "<test>").body.ops
    assert isinstance(func, kernel.FuncOp)
    return func


def copy_of(name: str, i: str, extent: int) -> str:
    buffer = f"!kernel.buf<[{extent}] x f32>"
    return f"""kernel.func @{name}(out %y{i}: {buffer}, in %x{i}: {buffer}) {{
      %{i} = kernel.range 0 to {extent}
      %v = kernel.load %x{i}[%{i}]
      kernel.store %v, %y{i}[%{i}]
    }}"""


def test_what_is_put_is_got(tmp_path: Path) -> None:
    database = Database(tmp_path / "made" / "here")
    assert database.get("key") is None
    database.put("key", TUNED)
    assert database.get("key") == TUNED
    database.put("key", replace(TUNED, schedule=""))
    assert database.get("key") == replace(TUNED, schedule="")
    assert [path.name for path in database.folder.iterdir()] == ["key.json"]


def test_the_better_of_two_that_write_at_once_stays(tmp_path: Path) -> None:
    database = Database(tmp_path)
    seen = database.readable("key")
    better = replace(TUNED, untuned=3e-6)
    assert database.offer("key", better, seen) == better  # by somebody else, meanwhile
    assert database.offer("key", TUNED, seen) == better == database.get("key")
    # who has seen it may find that it is not so good after all
    assert database.offer("key", TUNED, better) == TUNED == database.get("key")


def test_processes_that_write_at_once_take_turns(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path;"
        "from teenyir.passes.kernel.choose.tuned import Database, Tuned\n"
        "for i in range(40): Database(Path(sys.argv[1])).offer('key',"
        " Tuned('k', 'm', 's', (), (), 1.0, 1.0 + (i * 7 + int(sys.argv[2])) % 83), None)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(k)], env=environment)
        for k in (0, 3, 5)
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    best = max((i * 7 + k) % 83 for i in range(40) for k in (0, 3, 5))
    tuned = Database(tmp_path).get("key")
    assert tuned is not None and tuned.untuned == 1.0 + best


@pytest.mark.parametrize(
    "content, why",
    [
        (b"\xff\xfe", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"[1, 2]", "it is not of format 1"),
        (b'{"format": 2}', "it is not of format 1"),
        (b'{"format": 1, "kernel": "k"}', "what it should say is missing"),
    ],
)
def test_a_damaged_file_says_what_is_wrong(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "key.json").write_bytes(content)
    with pytest.raises(Damaged, match=f"^key.json is damaged: {why}$"):
        Database(tmp_path).get("key")


@pytest.mark.parametrize("field, value", [("ranges", [1]), ("seconds", "1"), ("schedule", None)])
def test_a_file_with_a_wrong_type_is_damaged(tmp_path: Path, field: str, value: object) -> None:
    database = Database(tmp_path)
    database.put("key", TUNED)
    found = json.loads(database.path("key").read_text())
    database.path("key").write_text(json.dumps(found | {field: value}))
    with pytest.raises(Damaged, match="missing"):
        database.get("key")


def test_keys_tell_kernels_and_machines_apart_and_names_not() -> None:
    key = key_of(kernel_of(copy_of("a", "i", 8)), "here")
    assert key == key_of(kernel_of(copy_of("b", "j", 8)), "here")
    assert key != key_of(kernel_of(copy_of("a", "i", 9)), "here")
    assert key != key_of(kernel_of(copy_of("a", "i", 8)), "there")
    assert machine(1) != machine(2)


def test_a_key_leaves_the_kernel_as_it_is() -> None:
    func = kernel_of(copy_of("a", "i", 8))
    before = str(func)
    key_of(func, "here")
    assert str(func) == before


def test_which_folder_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEENYIR_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TEENYIR_TUNED")
    assert find_database() is None
    (tmp_path / "tuned").mkdir()
    assert find_database() == Database(tmp_path / "tuned")
    monkeypatch.setenv("TEENYIR_TUNED", "elsewhere")
    assert find_database() == Database(Path("elsewhere"))
    assert find_database("named") == Database(Path("named"))
    assert find_database("none") is None


def test_a_schedule_is_its_text() -> None:
    text = (
        "split-range{range=i by=8 outer=io inner=iu loads=clamped},"
        "set-kind{range=iu kind=unroll},pack-buffer{buffer=fc1.weight over=k,iu scalar=true},"
        "part-reduction{range=k parts=4},order-ranges{order=jo}"
    )
    assert as_text(parse_schedule(text)) == text
    assert parse_schedule("") == []


@pytest.mark.parametrize(
    "text, why",
    [
        ("split-rang{range=i}", "no primitive 'split-rang'; did you mean 'split-range'"),
        ("split-range{range=i by=x}", "split-range: "),
        ("split-range{range=i by=2 of=3}", "split-range: "),
        ("split-range{range=i}", "split-range: .*by"),
        ("set-kind{range=i kind=vector};", "expected ','"),
        ("canonicalize", "is not the name of a primitive with options"),
    ],
)
def test_what_is_no_schedule_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_schedule(text)


def test_every_primitive_can_be_replayed() -> None:
    for name, reference in PASSES.items():
        if ".kernel.schedule." in reference:
            assert reference.endswith(f":{PRIMITIVES[name].__name__}")
