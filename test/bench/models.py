"""Time whole networks against onnxruntime: ResNet-50's topology and two published networks.

    python test/bench/models.py [--rounds 9] [--threads 1] [--json FILE] [NETWORK ...]

`rounds` says how the two are timed. Each result is compared with that of onnxruntime, in f32.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from resnet_model import SHAPE, resnet
from rounds import (
    Call,
    Refusal,
    Refused,
    measure,
    row,
    use_cpus,
    work,
    write_json,
)

sys.path.insert(0, str(Path(__file__).parents[2]))

from examples import wheels
from examples.magika import identify
from examples.silero import detect

PEERS = ("teenyir", "onnxruntime")
TOLERANCE = 1e-4
"""Of a result, as a share of its largest number."""


@dataclass(frozen=True)
class Network:
    """A model of ONNX and what one call of it is given."""

    content: Callable[[], bytes]
    inputs: Callable[[np.random.Generator], dict[str, np.ndarray]]
    least: float
    """The ratio to onnxruntime's time that is wanted at least, on one thread."""
    values: dict[str, int] = field(default_factory=dict[str, int])
    """Inputs that decide what is compiled."""


def image(rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {"image": rng.standard_normal(SHAPE).astype(np.float32)}


def contents(rng: np.random.Generator, files: int) -> dict[str, np.ndarray]:
    return {"bytes": rng.integers(0, 257, (files, 2048)).astype(np.int32)}


def sound(rng: np.random.Generator) -> dict[str, np.ndarray]:
    samples = rng.standard_normal((1, detect.context(16000) + detect.CHUNK[16000])) / 10
    return {"input": samples.astype(np.float32), "state": np.zeros(detect.STATE, np.float32)}


def magika() -> bytes:
    return wheels.read(wheels.MAGIKA, identify.MODEL)


NETWORKS = {
    "ResNet-50": Network(lambda: resnet().SerializeToString(), image, 0.85),
    "magika, 1 file": Network(magika, lambda rng: contents(rng, 1), 1.0),
    "magika, 8 files": Network(magika, lambda rng: contents(rng, 8), 1.0),
    "silero-vad": Network(
        lambda: wheels.read(wheels.SILERO, detect.MODELS["ifless"]), sound, 1.0, {"sr": 16000}
    ),
}


@cache
def session(name: str, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(NETWORKS[name].content(), options)


def prepare(peer: str, threads: int) -> Callable[[str], Call]:
    """What makes the call of a network, checked against onnxruntime."""

    def prepared(name: str) -> Call:
        network = NETWORKS[name]
        inputs = network.inputs(np.random.default_rng(0))
        given = inputs | {k: np.array(v, np.int64) for k, v in network.values.items()}
        reference = session(name, threads)
        if peer == "onnxruntime":
            return lambda: reference.run(None, given)
        import teenyir as ty

        shapes = {i.name: i.shape for i in reference.get_inputs()}
        dims = {
            dim: extent
            for key, array in inputs.items()
            for dim, extent in zip(shapes[key], array.shape, strict=True)
            if isinstance(dim, str)
        }
        model = ty.load_onnx(network.content(), values=network.values, dims=dims)
        compiled = model.lower(target="cpu").compile()
        results = compiled(**inputs)
        results = results if isinstance(results, tuple) else (results,)
        for ours, theirs in zip(results, reference.run(None, given), strict=True):
            error = np.abs(ours - theirs).max()
            if not error <= TOLERANCE * np.abs(theirs).max():
                raise Refused(f"a result is off by {error}")
        return lambda: compiled(**inputs)

    return prepared


def main() -> None:
    parser = argparse.ArgumentParser(description="Time whole networks against onnxruntime.")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=", ".join(NETWORKS))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1, help="of each peer")
    parser.add_argument("--json", metavar="FILE", help="write all samples")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(prepare(options.worker, int(os.environ["OMP_NUM_THREADS"])))
        return
    use_cpus(options.threads)
    wanted = options.networks or [""]
    cases = [name for name in NETWORKS if any(part in name for part in wanted)]
    results = measure(__file__, PEERS, cases, options.rounds, threads=options.threads)
    for name, found in results.items():
        for peer, samples in found.items():
            if isinstance(samples, Refusal):
                print(f"{name}: {peer}: {samples.reason}")
        compared = row(name, found, "teenyir")
        if compared is not None:
            ours, theirs = (compared.seconds[peer] * 1e3 for peer in PEERS)
            times = f"{ours:8.3f} ms, onnxruntime {theirs:8.3f} ms"
            ratio = f"ratio {compared.ratio:.2f} (medians {compared.of_medians:.2f})"
            print(f"{name:16} {times}, {ratio}, at least {NETWORKS[name].least} is wanted")
    if options.json:
        write_json(options.json, results)


if __name__ == "__main__":
    main()
