"""Sounds to try a detector of speech on: vowels, a hum, almost silence; and recordings.

A vowel is a buzz, the overtones of a pitch, in which the mouth lets the parts around some
frequencies through, its formants.
"""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from teenyir.diagnostics import InputError

FORMANTS = np.array(
    [
        [730, 1090, 2440],  # as in "hot"
        [270, 2290, 3010],  # "heed"
        [300, 870, 2240],  # "who'd"
        [530, 1840, 2480],  # "head"
        [570, 840, 2410],  # "hawed"
    ]
)
"""In Hz, of men; from G. E. Peterson, H. L. Barney, Control Methods Used in a Study of the Vowels,
Journal of the Acoustical Society of America 24, 1952."""
STRENGTHS = np.array([1.0, 0.5, 0.25])
WIDTHS = np.array([80.0, 100.0, 140.0])
"""How much of each formant there is, and how wide in Hz it is to either side."""
SYLLABLES = 4
"""A second."""
OVERTONES = range(1, 40)


def times(seconds: float, rate: int) -> NDArray[np.float64]:
    """The time of each sample, in seconds."""
    return np.arange(int(seconds * rate)) / rate


def voice(seconds: float, rate: int, pitch: float = 120.0) -> NDArray[np.float32]:
    """Vowels one after the other, at a pitch in Hz that sways a little."""
    t = times(seconds, rate)
    swaying = pitch * (1 + 0.06 * np.sin(2 * np.pi * 3 * t))
    phase = 2 * np.pi * np.cumsum(swaying) / rate
    formants = FORMANTS[(t * SYLLABLES).astype(int) % len(FORMANTS)]
    sound = np.zeros_like(t)
    for overtone in OVERTONES:
        away = ((overtone * swaying)[:, np.newaxis] - formants) / WIDTHS
        gain = (STRENGTHS / (1 + away**2)).sum(axis=1) * (overtone * swaying < rate / 2)
        sound += gain * np.sin(overtone * phase) / overtone**0.3
    opening = np.clip(1.6 * np.sin(np.pi * (t * SYLLABLES % 1)), 0, 1)
    return (0.25 * opening * sound / np.abs(sound).max()).astype(np.float32)


def hum(seconds: float, rate: int) -> NDArray[np.float32]:
    """A steady tone of 440 Hz, as loud as the voice."""
    return (0.25 * np.sin(2 * np.pi * 440 * times(seconds, rate))).astype(np.float32)


def quiet(seconds: float, rate: int) -> NDArray[np.float32]:
    """A faint hiss."""
    noise = np.random.default_rng(0).standard_normal(int(seconds * rate))
    return (1e-3 * noise).astype(np.float32)


def scene(rate: int) -> NDArray[np.float32]:
    """7.5 seconds: a low voice from 1 to 3, a high one from 4 to 5.5, a tone from 6.5 to 7.5."""
    parts = [
        quiet(1, rate),
        voice(2, rate),
        quiet(1, rate),
        voice(1.5, rate, pitch=200.0),
        quiet(1, rate),
        hum(1, rate),
    ]
    return np.concatenate(parts)


def recording(file: Path) -> tuple[int, NDArray[np.float32]]:
    """The rate and the samples of a WAV file of integers, its channels averaged.

    What a file that is cut off has of its last sample is left out. Raises InputError where it is
    anything else.
    """
    try:
        with wave.open(str(file), "rb") as stream:
            rate, width = stream.getframerate(), stream.getsampwidth()
            channels = stream.getnchannels()
            content = stream.readframes(stream.getnframes())
    except EOFError:
        raise InputError(f"cannot read '{file}': it ends before its sound begins") from None
    except wave.Error as problem:
        raise InputError(f"cannot read '{file}': {problem}") from None
    except OSError as problem:
        raise InputError(f"cannot read '{file}': {problem.strerror or problem}") from None
    whole = len(content) - len(content) % (width * channels)
    samples = numbers(content[:whole], width).reshape(-1, channels)
    return rate, samples.mean(axis=1).astype(np.float32)


def numbers(content: bytes, width: int) -> NDArray[np.float64]:
    """Samples of so many bytes, the lowest first, in -1..1; those of one byte are unsigned."""
    parts = np.frombuffer(content, np.uint8).reshape(-1, width)
    if width == 1:
        return (parts[:, 0] - 128.0) / 128
    wide = np.zeros((len(parts), 4), np.uint8)
    wide[:, 4 - width :] = parts
    return wide.view("<i4")[:, 0] / 2.0**31
