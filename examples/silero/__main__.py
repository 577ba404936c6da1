"""`python -m examples.silero [FILE.wav]`: a line a quarter second of how likely it is speech."""

import argparse
import sys
from pathlib import Path
from time import perf_counter

from examples.silero import sound
from examples.silero.detect import CHUNK, Detector, chunks, network
from teenyir.diagnostics import CompileError, InputError

CHUNKS_A_LINE = 8
BAR = 40


def main() -> int:
    """Judge a recording, or the sounds that are made here; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m examples.silero", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="WAV of integers at 8 or 16 kHz")
    file: Path | None = parser.parse_args().file
    try:
        rate, samples = sound.recording(file) if file else (16000, sound.scene(16000))
        if rate not in CHUNK:
            raise InputError(f"{file}: 8000 or 16000 samples a second are needed, it has {rate}")
        start = perf_counter()
        detector = Detector(rate, network(rate).lower().compile())
        ready = perf_counter()
        scores = [detector(chunk) for chunk in chunks(samples, rate)]
    except CompileError as problem:
        print(problem, file=sys.stderr)
        return 1
    done = perf_counter()
    for first in range(0, len(scores), CHUNKS_A_LINE):
        part = scores[first : first + CHUNKS_A_LINE]
        likely, begin = sum(part) / len(part), first * CHUNK[rate] / rate
        print(f"{begin:6.2f} s {likely * 100:5.1f} %  {'#' * round(likely * BAR)}".rstrip())
    seconds = len(samples) / rate
    print(
        f"compiled in {ready - start:.1f} s, {seconds:.1f} s of sound in {done - ready:.3f} s",
        file=sys.stderr,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
