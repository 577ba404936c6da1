"""Losses, as `rows.py` says."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch_reference.rows import N, integers, known, normal, signs, uniform


def losses(nn: Any, array: Any) -> dict[str, tuple[Any, list[Any]]]:
    """The layers by the names of their cases, with their inputs."""
    weights = array(np.array([0.3, 0.9, 0.5, 0.1, 0.7], np.float32))
    scores, chances = normal(N, 5, 2), uniform(N, 5, 2)
    lines, names, ignored = normal(N, 5), integers(5, N, 2), integers(5, N, 2, low=-1)
    vectors, sides = [normal(N, 4), normal(N, 4)], signs(N)
    return {
        "HuberLoss_sum": (nn.HuberLoss("sum", 0.3), [lines, normal(N, 5)]),
        "SmoothL1Loss_none": (nn.SmoothL1Loss(reduction="none", beta=2.0), [lines, normal(N, 5)]),
        "SmoothL1Loss_line": (nn.SmoothL1Loss(beta=0.0), [lines, normal(N, 5)]),
        "BCELoss_weight": (nn.BCELoss(weights), [uniform(N, 5), uniform(N, 5)]),
        "BCEWithLogitsLoss_weight": (
            nn.BCEWithLogitsLoss(weights, pos_weight=weights * 4, reduction="sum"),
            [lines, uniform(N, 5)],
        ),
        "KLDivLoss_logs": (
            nn.KLDivLoss(reduction="batchmean", log_target=True),
            [lines, uniform(N, 5, low=-3, high=0)],
        ),
        "NLLLoss_ignore": (nn.NLLLoss(ignore_index=-1, reduction="sum"), [scores, ignored]),
        "CrossEntropyLoss_smooth": (nn.CrossEntropyLoss(label_smoothing=0.3), [scores, names]),
        "CrossEntropyLoss_smooth_ignore": (
            nn.CrossEntropyLoss(ignore_index=-1, label_smoothing=0.3),
            [scores, ignored],
        ),
        "CrossEntropyLoss_smooth_weight": (
            nn.CrossEntropyLoss(weights, ignore_index=-1, label_smoothing=0.3),
            [scores, ignored],
        ),
        "CrossEntropyLoss_smooth_none": (
            nn.CrossEntropyLoss(weights, ignore_index=2, reduction="none", label_smoothing=0.3),
            [scores, names],
        ),
        "CrossEntropyLoss_chances": (
            nn.CrossEntropyLoss(weights, label_smoothing=0.3),
            [scores, chances],
        ),
        "CrossEntropyLoss_alone": (
            nn.CrossEntropyLoss(label_smoothing=0.1),
            [normal(5), np.array(3)],
        ),
        "HingeEmbeddingLoss": (nn.HingeEmbeddingLoss(0.7), [lines, signs(N, 5)]),
        "MarginRankingLoss": (
            nn.MarginRankingLoss(0.2, reduction="sum"),
            [normal(N), normal(N), sides],
        ),
        "SoftMarginLoss": (nn.SoftMarginLoss(), [lines, signs(N, 5)]),
        "MultiMarginLoss": (nn.MultiMarginLoss(), [lines, integers(5, N)]),
        "MultiMarginLoss_square": (
            nn.MultiMarginLoss(2, 0.5, weights, reduction="none"),
            [lines, integers(5, N)],
        ),
        "MultiMarginLoss_alone": (nn.MultiMarginLoss(), [normal(5), np.array(1)]),
        "MultiLabelMarginLoss": (
            nn.MultiLabelMarginLoss(reduction="none"),
            [lines, known([[3, 0, -1, 2, 1], [-1, 1, 2, 3, 4], [4, 1, 0, 2, 3]])],
        ),
        "MultiLabelMarginLoss_alone": (
            nn.MultiLabelMarginLoss(),
            [normal(4), np.array([3, 0, -1, 1])],
        ),
        "MultiLabelSoftMarginLoss": (
            nn.MultiLabelSoftMarginLoss(weights),
            [lines, uniform(N, 5)],
        ),
        "CosineEmbeddingLoss": (
            nn.CosineEmbeddingLoss(0.1, reduction="none"),
            [*vectors, known(np.array([1, -1, 1], np.float32))],
        ),
        "TripletMarginLoss": (nn.TripletMarginLoss(0.8), [*vectors, normal(N, 4)]),
        "TripletMarginLoss_swap": (
            nn.TripletMarginLoss(2.0, p=1.0, swap=True, reduction="none"),
            [*vectors, normal(N, 4)],
        ),
        "TripletMarginWithDistanceLoss": (
            nn.TripletMarginWithDistanceLoss(
                distance_function=nn.CosineSimilarity(), margin=0.4, swap=True
            ),
            [*vectors, normal(N, 4)],
        ),
        "PoissonNLLLoss": (nn.PoissonNLLLoss(full=True), [lines, uniform(N, 5, high=6)]),
        "PoissonNLLLoss_plain": (
            nn.PoissonNLLLoss(log_input=False, reduction="sum"),
            [uniform(N, 5), uniform(N, 5, high=6)],
        ),
        "GaussianNLLLoss": (
            nn.GaussianNLLLoss(full=True, reduction="none"),
            [lines, normal(N, 5), uniform(N, 5)],
        ),
        "GaussianNLLLoss_lines": (
            nn.GaussianNLLLoss(eps=0.5),
            [lines, normal(N, 5), uniform(N, 1)],
        ),
        "CTCLoss": (
            nn.CTCLoss(),
            [uniform(6, N, 5, low=-3, high=-1), integers(5, N, 3, low=1), *_LENGTHS],
        ),
        "CTCLoss_none": (
            nn.CTCLoss(blank=2, reduction="none", zero_infinity=True),
            [
                uniform(5, N, 5, low=-3, high=-1),
                known([[1, 1, 3], [4, 0, 0], [1, 3, 4]]),
                known([3, 5, 4]),
                known([3, 3, 0]),
            ],
        ),
        "CTCLoss_row": (
            nn.CTCLoss(reduction="sum"),
            [uniform(6, N, 5, low=-3, high=-1), integers(5, 6, low=1), *_LENGTHS],
        ),
        "CTCLoss_alone": (
            nn.CTCLoss(),
            [
                uniform(6, 5, low=-3, high=-1),
                np.array([1, 1, 4]),
                np.array(6),
                np.array(3),
            ],
        ),
    }


_LENGTHS = [known([6, 4, 5]), known([3, 1, 2])]
