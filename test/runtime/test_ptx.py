"""PTX from LLVM in a worker process: what it makes, and what is said where LLVM gives up."""

from pathlib import Path

import pytest

from teenyir.diagnostics import CompileError, InternalError
from teenyir.runtime import ptx
from teenyir.runtime.object_cache import ObjectCache
from teenyir.runtime.ptx import compile_ptx
from teenyir.runtime.worker import Worker
from teenyir.targets import cuda

KERNEL = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @fill(ptr %y) "nvvm.reqntid"="64,1,1" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %y, i32 %t
  store i32 %t, ptr %p
  ret void
}
"""
SHARED = """
@s = internal addrspace(3) global [64 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @put(float %x) "nvvm.reqntid"="64,1,1" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @s, i32 %t
  store volatile float %x, ptr addrspace(3) %p
  ret void
}
"""
NO_PTX = """
declare double @llvm.exp.f64(double)
define double @f(double %x) {
  %y = call double @llvm.exp.f64(double %x)
  ret double %y
}
"""


@pytest.mark.parametrize("name", list(cuda.FIRST_PTX))
def test_every_capability(name: str) -> None:
    gpu = cuda.find(name)
    ptx = compile_ptx(KERNEL, gpu)
    assert f".target {gpu.cpu}\n" in ptx
    assert f".version {gpu.ptx // 10}.{gpu.ptx % 10}\n" in ptx
    assert ".visible .entry fill(" in ptx and ".reqntid 64, 1, 1" in ptx


def test_every_version_of_a_capability() -> None:
    for version in [v for v in cuda.PTX_VERSIONS if v >= cuda.FIRST_PTX["75"]]:
        assert f".version {version // 10}.{version % 10}" in compile_ptx(
            KERNEL, cuda.find("75", version)
        )


def test_where_llvm_ends_its_process_it_is_an_error_and_the_next_request_is_answered() -> None:
    with pytest.raises(CompileError, match="no libcall available for fexp"):
        compile_ptx(NO_PTX, cuda.find())
    assert ".entry fill" in compile_ptx(KERNEL, cuda.find())


def test_text_that_is_no_llvm_ir() -> None:
    with pytest.raises(InternalError, match="expected function name"):
        compile_ptx("define double", cuda.find())


def test_addresses_of_shared_memory_are_of_32_bits() -> None:
    ptx = compile_ptx(SHARED, cuda.find())
    assert "st.volatile.shared" in ptx and ".b64" not in ptx and ".reg .b32" in ptx


def test_ptx_is_kept_on_disk(tmp_path) -> None:
    objects = ObjectCache(tmp_path)
    first = compile_ptx(KERNEL, cuda.find(), objects)
    (file,) = [path for path in tmp_path.rglob("*.o")]
    assert first.encode() in file.read_bytes()
    assert compile_ptx(KERNEL, cuda.find(), objects) == first


def test_a_worker_ends() -> None:
    worker = Worker(Path(ptx.__file__).with_name("ptx_worker.py"))
    worker.close()
    request = {"text": KERNEL, "triple": cuda.TRIPLE, "cpu": "sm_80", "features": "", "level": 0}
    assert "ptx" in worker.ask(request)
    worker.close()
