"""Objects on disk: found again, never half written, damage is a miss, no folder is no error."""

import os
import threading
from pathlib import Path

import pytest

from teenyir.files import cache_folder
from teenyir.runtime.jit import CodeOptions, compile_object, load
from teenyir.runtime.object_cache import ObjectCache, key_of
from teenyir.targets.cpu import host, named

TEXT = "define i64 @answer() {\n  ret i64 42\n}\n"


def test_round_trip(tmp_path: Path) -> None:
    objects = ObjectCache(tmp_path)
    assert objects.get("ab" * 32) is None
    objects.put("ab" * 32, b"code")
    assert objects.get("ab" * 32) == b"code"


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_damage_is_a_miss(tmp_path: Path, damage: bytes | None) -> None:
    objects = ObjectCache(tmp_path)
    code = compile_object(TEXT, objects=objects)
    (path,) = [p for p in tmp_path.rglob("*.o")]
    path.write_bytes(path.read_bytes()[:-1] + b"!" if damage is None else damage)
    assert compile_object(TEXT, objects=objects) == code
    assert load(compile_object(TEXT, objects=objects), ["answer"]).address("answer")


def test_hit_does_not_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = ObjectCache(tmp_path)
    code = compile_object(TEXT, objects=objects)
    monkeypatch.setattr("teenyir.runtime.jit.optimized", None)
    assert compile_object(TEXT, objects=objects) == code


def test_key_knows_all_that_matters(tmp_path: Path) -> None:
    objects = ObjectCache(tmp_path)
    for options in (CodeOptions(), CodeOptions(level=1), CodeOptions(loop_vectorize=False)):
        compile_object(TEXT, options=options, objects=objects)
    compile_object(TEXT + "\n", objects=objects)
    generic = named("x86-64" if "x86_64" in host().triple else "generic")
    compile_object(TEXT, generic, objects=objects)
    assert len(list(tmp_path.rglob("*.o"))) == 5
    assert key_of(("a", "bc")) != key_of(("ab", "c"))


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    objects = ObjectCache(blocked)
    objects.put("ab" * 32, b"code")
    assert objects.get("ab" * 32) is None


def test_writers_do_not_meet(tmp_path: Path) -> None:
    objects = ObjectCache(tmp_path)
    payload = os.urandom(100_000)

    def write() -> None:
        for _ in range(20):
            objects.put("cd" * 32, payload)
            assert objects.get("cd" * 32) == payload

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [p.name for p in objects.path("cd" * 32).parent.iterdir()] == [f"{'cd' * 31}.o"]


def test_folder_is_chosen_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    monkeypatch.delenv("TEENYIR_CACHE_DIR", raising=False)
    assert cache_folder() == Path("/somewhere/teenyir")
    monkeypatch.setenv("TEENYIR_CACHE_DIR", "/elsewhere")
    assert cache_folder() == Path("/elsewhere")
