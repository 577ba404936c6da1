"""Passes on the graph floor: tensors in, tensors out."""
