"""Speech found by Silero's published network, with its state carried from call to call."""

import wave

import numpy as np
import onnxruntime
import pytest

import teenyir as ty
from examples import wheels
from examples.silero import sound
from examples.silero.__main__ import main
from examples.silero.detect import CHUNK, DIMS, MODELS, STATE, Detector, chunks, context, network
from teenyir.diagnostics import InputError
from teenyir.interpreter import run


def by_onnxruntime(model: str, rate: int, parts: np.ndarray) -> tuple[list[float], np.ndarray]:
    """The probabilities of all chunks, and the state after the last."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(wheels.read(wheels.SILERO, MODELS[model]), options)
    state, before, found = np.zeros(STATE, np.float32), np.zeros(context(rate), np.float32), []
    for chunk in parts:
        seen = np.concatenate([before, chunk])[np.newaxis]
        given = {"input": seen, "state": state, "sr": np.array(rate)}
        probability, state = session.run(None, given)
        before = chunk[-context(rate) :]
        found.append(float(probability[0, 0]))
    return found, state


def agrees(model: str, rate: int) -> list[float]:
    """Compare over the whole scene; return the probabilities."""
    parts = chunks(sound.scene(rate), rate)
    program = network(rate, model).trace()
    detector = Detector(rate, program.lower().compile())
    found = [detector(chunk) for chunk in parts]
    expected, state = by_onnxruntime(model, rate, parts)
    np.testing.assert_allclose(found, expected, atol=2e-4)
    np.testing.assert_allclose(detector.state, state, rtol=1e-3, atol=2e-3)

    def interpreted(**inputs: np.ndarray) -> list[np.ndarray]:
        return run(program.module, {**program.parameters, **inputs})

    interpreter = Detector(rate, interpreted)
    few = 36  # the quiet, and the beginning of the voice
    np.testing.assert_allclose(
        [interpreter(chunk) for chunk in parts[:few]], expected[:few], atol=2e-4
    )
    return found


def test_a_voice_is_speech_and_a_tone_is_not():
    scores = np.array(agrees("ifless", 16000))
    begins = np.arange(len(scores)) * CHUNK[16000] / 16000
    assert scores[(begins > 1.2) & (begins < 2.9)].min() > 0.5
    assert scores[(begins > 4.2) & (begins < 5.4)].min() > 0.5
    assert scores[begins < 0.9].max() < 0.1
    assert scores[begins > 6.6].max() < 0.1


@pytest.mark.long
@pytest.mark.parametrize(("model", "rate"), [("ifless", 8000), ("plain", 16000), ("plain", 8000)])
def test_the_network_computes_what_onnxruntime_does(model: str, rate: int):
    assert np.ptp(agrees(model, rate)) > 0.5


@pytest.mark.long
@pytest.mark.parametrize("target", ["cuda-emulated", "cuda-c-emulated"])
def test_the_network_on_a_gpu(target: str):
    """In the PTX emulator: some seven million thread-instructions a chunk."""
    program, parts = network(16000, "ifless").trace(), chunks(sound.scene(16000), 16000)[40:43]
    detectors = [Detector(16000, program.lower(each).compile()) for each in ("cpu", target)]
    expected, found = ([detector(part) for part in parts] for detector in detectors)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(detectors[1].state, detectors[0].state, atol=1e-4)


@pytest.mark.long
def test_the_rate_may_be_known_only_when_it_is_called():
    """Then the branches are there when it runs."""
    dims = dict(zip(DIMS["ifless"], (1, 576, 1), strict=True))
    model = ty.load_onnx(wheels.read(wheels.SILERO, MODELS["ifless"]), dims=dims)
    assert "graph.if" in model.as_text()
    parts = chunks(sound.scene(16000), 16000)[20:60]
    compiled = model.lower().compile()
    detector = Detector(16000, lambda **given: compiled(**given, sr=np.array(16000)))
    expected, _ = by_onnxruntime("ifless", 16000, parts)
    np.testing.assert_allclose([detector(chunk) for chunk in parts], expected, atol=2e-4)


def test_recordings_are_read(tmp_path):
    def written(name: str, rate: int, width: int, content: bytes, channels: int = 1):
        with wave.open(str(tmp_path / name), "wb") as stream:
            stream.setnchannels(channels)
            stream.setsampwidth(width)
            stream.setframerate(rate)
            stream.writeframes(content)
        return tmp_path / name

    two = np.array([[100, 300], [-32768, -32768]], "<i2").tobytes()
    rate, samples = sound.recording(written("two.wav", 8000, 2, two, 2))
    assert rate == 8000 and samples.tolist() == [200 / 2**15, -1.0]
    for width, content in (
        (1, b"\xc0\x00"),
        (3, b"\0\0\x40\0\0\x80"),
        (4, bytes(3) + b"\x40" + bytes(3) + b"\x80"),
    ):
        _, samples = sound.recording(written("other.wav", 8000, width, content))
        assert samples.tolist() == [0.5, -1.0]
    cut = written("two.wav", 8000, 2, two, 2).read_bytes()[:-3]  # within its second sample
    (tmp_path / "cut.wav").write_bytes(cut)
    assert sound.recording(tmp_path / "cut.wav")[1].tolist() == [200 / 2**15]
    (tmp_path / "empty.wav").write_bytes(b"")
    with pytest.raises(InputError, match="it ends before its sound begins"):
        sound.recording(tmp_path / "empty.wav")
    (tmp_path / "text.wav").write_text("no sound")
    with pytest.raises(InputError, match="cannot read"):
        sound.recording(tmp_path / "text.wav")
    with pytest.raises(InputError, match=r"cannot read .*: Is a directory$"):
        sound.recording(tmp_path)


def test_another_rate_is_an_error(tmp_path, monkeypatch, capsys):
    with wave.open(str(tmp_path / "cd.wav"), "wb") as stream:
        stream.setnchannels(1)
        stream.setsampwidth(2)
        stream.setframerate(44100)
        stream.writeframes(bytes(2000))
    monkeypatch.setattr("sys.argv", ["silero", str(tmp_path / "cd.wav")])
    assert main() == 1
    assert "8000 or 16000 samples a second are needed, it has 44100" in capsys.readouterr().err
