"""Record what PyTorch computes, for `test_against_torch.py`: inputs, weights and results.

Run where torch (2.13.0 was used) is installed:

    PYTHONPATH=test/frontend python -m torch_reference.record

It writes `values.npz` (the cases of this file), `layers.npz` (those of the tables beside it, made
of the same text there and here) and `names.json` (the classes of `torch.nn` and what they are made
with) beside this file. Keys are `CASE/in0`, `CASE/state/NAME` and `CASE/out0`. Everything is
computed in float64 and kept in float32, but for what is integers or booleans.
"""

# pyright: basic, reportMissingImports=false
import inspect
import json
from collections import OrderedDict
from pathlib import Path
from typing import get_overloads

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch_reference.rows import drawn, generator, leaves
from torch_reference.tables import TABLES

torch.manual_seed(0)
RNG = np.random.default_rng(0)


def normal(*shape):
    return torch.tensor(RNG.normal(size=shape).astype(np.float32))


def positive(*shape):
    return torch.tensor(RNG.uniform(0.05, 0.95, size=shape).astype(np.float32))


def labels(high, *shape):
    return torch.tensor(RNG.integers(0, high, shape))


def booleans(*shape):
    return torch.tensor(RNG.random(shape) < 0.7)


X = normal(3, 8)
IMAGE = normal(2, 4, 5, 6)
LINE = normal(2, 4, 7)
CUBE = normal(1, 2, 4, 3, 5)

ACTIVATIONS = {
    "relu6": F.relu6,
    "hardtanh": F.hardtanh,
    "leaky_relu": F.leaky_relu,
    "sigmoid": F.sigmoid,
    "logsigmoid": F.logsigmoid,
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "elu": lambda x: F.elu(x, 1.5),
    "celu": lambda x: F.celu(x, 1.5),
    "selu": F.selu,
    "softplus": lambda x: F.softplus(x, 2.0),
    "softsign": F.softsign,
    "mish": F.mish,
    "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish,
    "glu": F.glu,
    "softmax": lambda x: F.softmax(x, 1),
    "log_softmax": lambda x: F.log_softmax(x, 0),
}

QUERY, KEY, VALUE = normal(2, 4, 3, 8), normal(2, 4, 5, 8), normal(2, 4, 5, 6)
FEW = normal(2, 2, 5, 8)
attend = F.scaled_dot_product_attention
TARGETS = labels(5, 3, 2)
IGNORED = torch.where(TARGETS == 1, torch.tensor(-100), TARGETS)
SCORES = normal(3, 5, 2)
CHANCES = torch.softmax(normal(3, 5, 2), 1)
WEIGHTS = positive(5)

FUNCTIONS = {
    **{name: (function, [X * 3]) for name, function in ACTIVATIONS.items()},
    "prelu": (F.prelu, [IMAGE, normal(4)]),
    "layer_norm": (
        lambda x, w, b: F.layer_norm(x, (5, 6), w, b),
        [IMAGE, normal(5, 6), normal(5, 6)],
    ),
    "rms_norm": (lambda x, w: F.rms_norm(x, (6,), w, 1e-6), [IMAGE, normal(6)]),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), [IMAGE, normal(4), normal(4)]),
    "instance_norm": (lambda x: F.instance_norm(x), [IMAGE]),
    "batch_norm": (
        lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b),
        [IMAGE, normal(4), positive(4), normal(4), normal(4)],
    ),
    "attention": (attend, [QUERY, KEY, VALUE]),
    "attention_mask": (attend, [QUERY, KEY, VALUE, booleans(2, 1, 3, 5)]),
    "attention_added": (attend, [QUERY, KEY, VALUE, normal(3, 5)]),
    "attention_causal": (
        lambda q, k, v: attend(q, k, v, is_causal=True, scale=0.3),
        [QUERY, KEY, VALUE],
    ),
    "attention_groups": (lambda q, k: attend(q, k, k, enable_gqa=True), [QUERY, FEW]),
    "max_pool": (lambda x: F.max_pool2d(x, 3, 2, 1), [IMAGE]),
    "max_pool_dilated": (lambda x: F.max_pool1d(x, 2, 1, 0, 3), [LINE]),
    "avg_pool": (lambda x: F.avg_pool2d(x, (3, 2), 2, 1), [IMAGE]),
    "avg_pool_inside": (
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        [IMAGE],
    ),
    "adaptive_avg_pool": (lambda x: F.adaptive_avg_pool2d(x, (1, 3)), [IMAGE]),
    "global_avg_pool": (lambda x: F.adaptive_avg_pool2d(x, 1), [IMAGE]),
    "mse_loss": (F.mse_loss, [X, normal(3, 8)]),
    "l1_loss": (lambda x, y: F.l1_loss(x, y, reduction="sum"), [X, normal(3, 8)]),
    "huber_loss": (lambda x, y: F.huber_loss(x, y, delta=0.7), [X, normal(3, 8)]),
    "smooth_l1_loss": (lambda x, y: F.smooth_l1_loss(x, y, beta=0.7), [X, normal(3, 8)]),
    "binary_cross_entropy": (F.binary_cross_entropy, [positive(3, 8), positive(3, 8)]),
    "binary_cross_entropy_with_logits": (
        F.binary_cross_entropy_with_logits,
        [X * 30, positive(3, 8)],
    ),
    "kl_div": (
        lambda x, y: F.kl_div(x, y, reduction="batchmean"),
        [torch.log_softmax(SCORES, 1), CHANCES],
    ),
    "kl_div_logs": (
        lambda x, y: F.kl_div(x, y, reduction="sum", log_target=True),
        [torch.log_softmax(SCORES, 1), torch.log(CHANCES)],
    ),
    "nll_loss": (F.nll_loss, [torch.log_softmax(SCORES, 1), TARGETS]),
    "nll_loss_weighted": (F.nll_loss, [torch.log_softmax(SCORES, 1), IGNORED, WEIGHTS]),
    "cross_entropy": (F.cross_entropy, [SCORES, TARGETS]),
    "cross_entropy_none": (
        lambda x, y: F.cross_entropy(x, y, reduction="none"),
        [SCORES, IGNORED],
    ),
    "cross_entropy_weighted": (F.cross_entropy, [SCORES, IGNORED, WEIGHTS]),
    "cross_entropy_dense": (F.cross_entropy, [SCORES, CHANCES]),
    "cross_entropy_smoothed": (
        lambda x, y, w: F.cross_entropy(x, y, w, label_smoothing=0.1),
        [SCORES, CHANCES, WEIGHTS],
    ),
    "cross_entropy_vector": (F.cross_entropy, [normal(5), torch.tensor(2)]),
}

MODULES = {
    "Linear": (nn.Linear(8, 3), [X]),
    "Embedding": (nn.Embedding(6, 3), [labels(6, 2, 4)]),
    "Conv1d": (nn.Conv1d(4, 6, 3, padding=2, dilation=2, groups=2), [LINE]),
    "Conv2d": (nn.Conv2d(4, 3, (3, 2), stride=2, padding="valid", bias=False), [IMAGE]),
    "Conv3d": (nn.Conv3d(2, 3, 2, padding=1), [CUBE]),
    "ConvTranspose1d": (nn.ConvTranspose1d(4, 6, 3, 2, groups=2), [LINE]),
    "ConvTranspose2d": (
        nn.ConvTranspose2d(4, 3, (3, 2), (2, 3), (1, 0), (1, 2), dilation=(1, 2)),
        [IMAGE],
    ),
    "ConvTranspose2d_cropped": (nn.ConvTranspose2d(4, 2, 2, 1, 2), [IMAGE]),
    "ConvTranspose3d": (nn.ConvTranspose3d(2, 1, 2, 2, bias=False), [CUBE]),
    "MaxPool3d": (nn.MaxPool3d(2, 1), [CUBE]),
    "AvgPool1d": (nn.AvgPool1d(3, 1, 1), [LINE]),
    "LayerNorm": (nn.LayerNorm(6), [IMAGE]),
    "RMSNorm": (nn.RMSNorm(6), [IMAGE]),
    "GroupNorm": (nn.GroupNorm(2, 4), [IMAGE]),
    "BatchNorm1d": (nn.BatchNorm1d(8), [X]),
    "BatchNorm2d": (nn.BatchNorm2d(4), [IMAGE]),
    "PReLU": (nn.PReLU(4), [IMAGE]),
    "PixelShuffle": (nn.PixelShuffle(2), [IMAGE]),
    "Upsample": (nn.Upsample(scale_factor=2), [IMAGE]),
    "MultiheadAttention": (
        nn.MultiheadAttention(8, 2),
        [normal(3, 2, 8), normal(5, 2, 8), normal(5, 2, 8)],
    ),
    "MultiheadAttention_masked": (
        nn.MultiheadAttention(8, 2, bias=False, batch_first=True),
        [
            *(normal(2, 3, 8), normal(2, 5, 8), normal(2, 5, 8)),
            torch.tensor([[False] * 4 + [True], [False] * 3 + [True] * 2]),
        ],
    ),
}

STEPS = normal(5, 2, 4)

MODULES |= {
    "RNN": (nn.RNN(4, 3, num_layers=2), [STEPS]),
    "RNN_relu": (
        nn.RNN(4, 3, nonlinearity="relu", bias=False, batch_first=True, bidirectional=True),
        [normal(2, 5, 4), normal(2, 2, 3)],
    ),
    "GRU": (nn.GRU(4, 3, num_layers=2, bidirectional=True), [STEPS, normal(4, 2, 3)]),
    "GRU_alone": (nn.GRU(4, 3, batch_first=True), [normal(5, 4), normal(1, 3)]),
    "LSTM": (nn.LSTM(4, 3, num_layers=2, bidirectional=True), [STEPS]),
    "LSTM_started": (
        nn.LSTM(4, 3, batch_first=True),
        [normal(2, 5, 4), (normal(1, 2, 3), normal(1, 2, 3))],
    ),
    "LSTM_step": (nn.LSTM(4, 3), [normal(1, 2, 4)]),
    "RNNCell": (nn.RNNCell(4, 3, nonlinearity="relu"), [normal(2, 4), normal(2, 3)]),
    "GRUCell": (nn.GRUCell(4, 3, bias=False), [normal(2, 4)]),
    "LSTMCell": (nn.LSTMCell(4, 3), [normal(2, 4), (normal(2, 3), normal(2, 3))]),
    "Upsample_size": (nn.Upsample(size=(7, 4)), [IMAGE]),
    "Upsample_fraction": (nn.Upsample(scale_factor=(1.5, 2.0)), [IMAGE]),
    "Upsample_linear": (nn.Upsample(scale_factor=2, mode="linear"), [LINE]),
    "Upsample_corners": (nn.Upsample(size=11, mode="linear", align_corners=True), [LINE]),
    "Upsample_bilinear": (nn.Upsample(scale_factor=(2.5, 2.0), mode="bilinear"), [IMAGE]),
    "Upsample_smaller": (nn.Upsample(size=(3, 9), mode="bilinear"), [IMAGE]),
    "Upsample_trilinear": (
        nn.Upsample(size=(5, 6, 7), mode="trilinear", align_corners=True),
        [CUBE],
    ),
    "PixelUnshuffle": (nn.PixelUnshuffle(2), [IMAGE[:, :, :4]]),
    "ModuleDict": (
        nn.Sequential(OrderedDict(one=nn.Linear(8, 3), two=nn.PReLU())),
        [X],
    ),
    "LPPool1d": (nn.LPPool1d(2, 3, 2), [LINE]),
    "LPPool2d": (nn.LPPool2d(4, (2, 3)), [IMAGE]),
    "LPPool3d": (nn.LPPool3d(2, 2, 1), [CUBE]),
    "AdaptiveAvgPool1d": (nn.AdaptiveAvgPool1d(3), [LINE]),
    "AdaptiveAvgPool2d": (nn.AdaptiveAvgPool2d((3, 4)), [IMAGE]),
    "AdaptiveAvgPool3d": (nn.AdaptiveAvgPool3d((3, 1, 7)), [CUBE]),
    "AdaptiveMaxPool1d": (nn.AdaptiveMaxPool1d(5), [LINE]),
    "AdaptiveMaxPool2d": (nn.AdaptiveMaxPool2d((5, 2)), [IMAGE]),
    "AdaptiveMaxPool3d": (nn.AdaptiveMaxPool3d(2), [CUBE]),
    "L1Loss": (nn.L1Loss(), [X, normal(3, 8)]),
    "MSELoss": (nn.MSELoss(reduction="sum"), [X, normal(3, 8)]),
    "SmoothL1Loss": (nn.SmoothL1Loss(beta=0.5), [X, normal(3, 8)]),
    "HuberLoss": (nn.HuberLoss(delta=0.5), [X, normal(3, 8)]),
    "BCELoss": (nn.BCELoss(), [positive(3, 8), positive(3, 8)]),
    "BCEWithLogitsLoss": (nn.BCEWithLogitsLoss(), [X, positive(3, 8)]),
    "KLDivLoss": (nn.KLDivLoss(reduction="batchmean"), [torch.log_softmax(SCORES, 1), CHANCES]),
    "NLLLoss": (nn.NLLLoss(WEIGHTS.clone()), [torch.log_softmax(SCORES, 1), IGNORED]),
    "CrossEntropyLoss": (
        nn.CrossEntropyLoss(WEIGHTS.clone(), label_smoothing=0.2, reduction="none"),
        [SCORES, CHANCES],
    ),
    **{
        name: (getattr(nn, name)(), [X * 3])
        for name in (
            *("CELU", "Softsign", "LogSigmoid", "Hardshrink", "Softshrink", "Tanhshrink"),
            "RReLU",
        )
    },
    "Threshold": (nn.Threshold(0.3, -2.0), [X]),
    "Softmin": (nn.Softmin(1), [X]),
    "Softmax2d": (nn.Softmax2d(), [IMAGE]),
    "InstanceNorm1d": (nn.InstanceNorm1d(4, affine=True), [LINE]),
    "InstanceNorm2d": (nn.InstanceNorm2d(4, affine=True, track_running_stats=True), [IMAGE]),
    "InstanceNorm3d": (nn.InstanceNorm3d(2, eps=1e-3), [CUBE]),
    "ConstantPad1d": (nn.ConstantPad1d((2, -1), 1.5), [LINE]),
    "ConstantPad2d": (nn.ConstantPad2d(1, -3.0), [IMAGE]),
    "ConstantPad3d": (nn.ConstantPad3d((1, 0, 2, 1, -1, 1), 0.5), [CUBE]),
    "ZeroPad1d": (nn.ZeroPad1d((2, 0)), [LINE]),
    "ZeroPad2d": (nn.ZeroPad2d((1, 2, 0, -1)), [IMAGE]),
    "ZeroPad3d": (nn.ZeroPad3d(1), [CUBE]),
    "ReflectionPad1d": (nn.ReflectionPad1d((6, 1)), [LINE]),
    "ReflectionPad2d": (nn.ReflectionPad2d((1, 2, 3, 0)), [IMAGE]),
    "ReflectionPad3d": (nn.ReflectionPad3d((1, 2, 0, 2, 3, 1)), [CUBE]),
    "ReplicationPad1d": (nn.ReplicationPad1d((9, 1)), [LINE]),
    "ReplicationPad2d": (nn.ReplicationPad2d((1, 2, 3, 0)), [IMAGE]),
    "ReplicationPad3d": (nn.ReplicationPad3d((1, 2, 0, 2, 3, 1)), [CUBE]),
    "CircularPad1d": (nn.CircularPad1d((7, 1)), [LINE]),
    "CircularPad2d": (nn.CircularPad2d((1, 2, 3, 0)), [IMAGE]),
    "CircularPad3d": (nn.CircularPad3d((1, 2, 0, 2, 3, 1)), [CUBE]),
    "Conv1d_reflect": (nn.Conv1d(4, 2, 3, padding=2, padding_mode="reflect"), [LINE]),
    "Conv2d_replicate": (nn.Conv2d(4, 2, 3, padding=(1, 2), padding_mode="replicate"), [IMAGE]),
    "Conv2d_circular": (
        nn.Conv2d(4, 2, 3, padding="same", dilation=2, padding_mode="circular"),
        [IMAGE],
    ),
}


def kept(value):
    array = value.detach().numpy()
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def wide(value):
    if isinstance(value, tuple | list):
        return type(value)(map(wide, value))
    if isinstance(value, np.ndarray):
        value = torch.tensor(value)
    floats = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if floats else value


def keep(found, name, kind, values):
    for k, value in enumerate(leaves(values)):
        found[f"{name}/{kind}{k}"] = value if isinstance(value, np.ndarray) else kept(value)


def keep_layer(found, name, module, inputs, draw):
    for key, tensor in module.state_dict().items():
        if tensor.is_floating_point() and not key.startswith("_"):  # zeros and ones too
            tensor.copy_(tensor * 0.5 + draw(*tensor.shape))
    for key, tensor in module.state_dict().items():
        found[f"{name}/state/{key}"] = kept(tensor)
    # RMSNorm's own eps is that of the input's dtype, which here is to be float32's
    if isinstance(module, nn.RMSNorm):
        module.eps = torch.finfo(torch.float32).eps
    keep(found, name, "in", inputs)
    keep(found, name, "out", module.double().eval()(*wide(list(inputs))))


def of_tables():
    found = {}
    for table in TABLES:
        for name, (module, draws) in table(nn, torch.tensor).items():
            rng = generator(name)
            inputs = drawn(name, draws, rng)

            def draw(*shape, rng=rng):
                return torch.tensor(rng.uniform(0.05, 0.95, size=shape).astype(np.float32))

            keep_layer(found, name, module, inputs, draw)
    return found


def classes():
    """The classes of `torch.nn`: each parameter's name, kind and default, as text."""
    found = {}
    for name in sorted(dir(nn)):
        thing = getattr(nn, name)
        if name.startswith("_") or not isinstance(thing, type):
            continue
        made = get_overloads(thing.__init__)[:1] if issubclass(thing, nn.RNNBase) else []
        parameters = inspect.signature(made[0] if made else thing).parameters.values()
        found[name] = [
            [p.name, p.kind.name, "" if p.default is p.empty else repr(p.default)]
            for p in parameters
            if p.name != "self"
        ]
    return found


def main():
    here, found = Path(__file__).parent, {}
    for name, (function, inputs) in FUNCTIONS.items():
        keep(found, name, "in", inputs)
        keep(found, name, "out", function(*map(wide, inputs)))
    for name, (module, inputs) in MODULES.items():
        keep_layer(found, name, module, inputs, positive)
    np.savez_compressed(here / "values.npz", **found)
    np.savez_compressed(here / "layers.npz", **of_tables())
    lines = [f"{json.dumps(name)}: {json.dumps(made)}" for name, made in classes().items()]
    (here / "names.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
