"""Time lowering ResNet-50's topology to the uop floor against tinygrad's scheduling of it.

    python test/bench/resnet.py [--rounds 5] [--json FILE]

Ours imports the model of ONNX and runs the pipeline of the target `cpu` as far as that floor;
tinygrad, on its device NULL, schedules and rewrites what its own importer made of the same file,
whose time is not counted. Each sample is a new process; importing modules is no part of it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import resnet_model
from cold import answer, measure, spread, timed, values, write_json

MOST = 1 / 3
"""What ours may take of tinygrad's time."""


def teenyir_worker(path: str) -> None:
    import onnx

    import teenyir as ty
    from teenyir.pipeline.build import build_target_pipeline

    load, loaded = ty.load_onnx, onnx.load
    assert load and loaded and build_target_pipeline("cpu")  # what is imported when it is used
    facts: dict[str, float] = {}
    model, lowered = None, None

    def read() -> None:
        nonlocal model
        model = load(path)

    def lower() -> None:
        nonlocal lowered
        assert model is not None
        lowered = model.lower("interpret{floor=uop}")

    facts["import"] = timed(read)
    facts["lower"] = timed(lower)
    assert lowered is not None
    facts["launches"], facts["kernels"] = len(lowered.launches), len(set(lowered.launches))
    answer(facts | {"seconds": facts["import"] + facts["lower"]})


def tinygrad_worker(path: str) -> None:
    os.environ["DEV"] = "NULL"
    from tinygrad import Tensor
    from tinygrad.codegen import full_rewrite_to_sink
    from tinygrad.device import Device
    from tinygrad.nn.onnx import OnnxRunner
    from tinygrad.uop.ops import Ops

    renderer = Device[Device.DEFAULT].renderer
    facts: dict[str, float] = {}
    outputs: list[Tensor] = []
    kernels = {}

    def read() -> None:
        image = Tensor.empty(*resnet_model.SHAPE)
        outputs.extend(OnnxRunner(path)({"image": image}).values())

    def schedule() -> None:
        calls = outputs[0].schedule_linear().src
        sinks = [call.src[0] for call in calls if call.src[0].op is Ops.SINK]
        facts["launches"] = len(sinks)
        kernels.update({sink.key: sink for sink in sinks})

    def rewrite() -> None:
        for sink in kernels.values():
            full_rewrite_to_sink(sink, renderer)

    facts["import"] = timed(read)
    facts["schedule"] = timed(schedule)
    facts["rewrite"] = timed(rewrite)
    facts["kernels"] = len(kernels)
    answer(facts | {"seconds": facts["schedule"] + facts["rewrite"]})


WORKERS = {"teenyir": teenyir_worker, "tinygrad": tinygrad_worker}


def main() -> None:
    parser = argparse.ArgumentParser(description="Time lowering ResNet-50's topology.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the samples")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        peer, path = options.worker
        WORKERS[peer](path)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "resnet.onnx")
        resnet_model.write(Path(path))
        found = measure(__file__, tuple(WORKERS), (path,), options.rounds)[path]
    print(
        "ResNet-50's topology from ONNX, lowered to linear kernels; seconds of CPU, new processes"
    )
    for peer, samples in found.items():
        if isinstance(samples, str):
            print(f"  {peer}: {samples}")
            continue
        facts = samples[0]
        counts = f"{facts['launches']:.0f} launches of {facts['kernels']:.0f} kernels"
        print(f"  {peer:9} {spread(values(samples, 'seconds'))}, {counts}")
    if any(isinstance(samples, str) for samples in found.values()):
        sys.exit("a peer has no figure")
    ours, theirs = (values(found[peer], "seconds") for peer in ("teenyir", "tinygrad"))
    of_minima, of_medians = min(ours) / min(theirs), median(ours) / median(theirs)
    print(
        f"  ours is {of_minima:.2f} of it (medians {of_medians:.2f}; at most {MOST:.2f} is wanted)"
    )
    if options.json:
        write_json(options.json, {"resnet": found})


if __name__ == "__main__":
    main()
