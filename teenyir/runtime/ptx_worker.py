"""The process that makes PTX of LLVM IR: run as a script, it answers requests on standard input.

LLVM ends the process where it meets what a target cannot do, so it is not the user's process that
does this. A request is a line of JSON, `{"text": .., "triple": .., "cpu": .., "features": ..,
"level": ..}`, and so is the answer: `{"ptx": ..}`, or `{"refused": ..}` for what is no LLVM IR.
It needs llvmlite alone.
"""

import json
import sys
from typing import Any

from llvmlite import binding  # pyright: ignore[reportMissingTypeStubs]

llvm: Any = binding


def ptx_of(request: dict[str, Any]) -> str:
    """The PTX of a request's LLVM IR, optimised. Raises RuntimeError for text that is none."""
    target = llvm.Target.from_triple(request["triple"])
    machine = target.create_target_machine(
        cpu=request["cpu"], features=request["features"], opt=request["level"]
    )
    module = llvm.parse_assembly(request["text"])
    module.triple = request["triple"]
    module.data_layout = str(machine.target_data)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(request["level"])
    # lanes are what the threads of a warp are
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module)


def main() -> None:
    """Answer requests until there are no more."""
    # addresses of shared and local memory are of 32 bits: half the registers, fewer instructions
    llvm.set_option("", "-nvptx-short-ptr")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    for line in sys.stdin:
        try:
            answer = {"ptx": ptx_of(json.loads(line))}
        except RuntimeError as problem:
            answer = {"refused": str(problem)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
