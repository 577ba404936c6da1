"""Refusals of verifiers that concern an op inside the one being verified."""

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException


class VerifyAt(VerifyException):
    """An invariant broken at `op`, where the diagnostic belongs."""

    def __init__(self, op: Operation, message: str):
        super().__init__(message)
        self.op = op
