"""Handwritten digits: the model, its training, and the demonstration that `make demo` runs.

Read `model.py` (the network), `demo.py` (the tower, floor by floor), then `train.py` (where the
weights come from). `README.md` says whose the data are.
"""
