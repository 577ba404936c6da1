"""The tables of layers, as `rows.py` says."""

from __future__ import annotations

from torch_reference.images import activations, arrangements, convolutions, pools, upsampling
from torch_reference.losses import losses
from torch_reference.sequences import attention, recurrent, tables

TABLES = (
    *(activations, arrangements, attention, convolutions, losses, pools, recurrent, tables),
    upsampling,
)
