"""The type of files, by Magika's published network: `python -m examples.magika FILE...`.

Read `identify.py` (what the network sees of a file, and what is made of its answer), then
`__main__.py` (the command). The network is read out of the wheel of the package `magika`.
"""
