"""Where somebody speaks, by Silero's published network: `python -m examples.silero [FILE.wav]`.

Read `detect.py` (the network, chunk by chunk, and the state between them), then `sound.py` (a voice
made of vowels, for want of a recording) and `__main__.py` (the command). The network is read out of
the wheel of the package `silero-vad`.
"""
