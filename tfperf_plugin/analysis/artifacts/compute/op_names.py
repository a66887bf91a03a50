"""Reads the layer of an op, and the code that wrote it, from its name "path/of/scopes/name:Type"."""

from __future__ import annotations

import re
from functools import lru_cache

from tfperf_plugin.trace.roles import op_type, split_op

TAPE = "gradient_tape"
# Scopes that say where an op runs, not what it is.
_PLACE = re.compile(
    r"^(StatefulPartitionedCall(_\d+)?|(Partitioned|Remote)Call(_\d+)?|replica_\d+|while|body|cond)$"
)
_OPTIMIZER = re.compile(
    r"(?i)(^|/)(\w*(adam|adamw|nadam|adamax|sgd|rmsprop|adagrad|adadelta|adafactor|ftrl|lamb|lion|muon)"
    r"(_\d+)?|(?=\w*optimizer|loss_?scale)\w*)(/|$)"
)
# "Conv2D" of "Conv2DBackpropFilter", "FusedBatchNorm" of "FusedBatchNormGradV3".
_FAMILY = re.compile(r"(Backprop\w{0,40}|Grad(WithArgmax)?)?(V\d)?(_\d+)?$")
# What the name of a kernel tells besides the kernel.
# A parenthesis after "<" or a comma is a cast of a template's argument: "reduce_kernel<(int)512, (int)1>".
_PARAMETERS = re.compile(r"^void |(?<![<\s,])\((?!anonymous namespace\)).*$", re.DOTALL)
# Names of kernels that libraries and compilers bring along.
_LIBRARY = re.compile(r"(?i)gemm|cudnn|cutlass|cublas|nvjet|\bat::|triton_|flash|fusion|cub::|thrust::")
# A function that takes arrays of numbers: products of libraries are templates, or take structures.
_PLAIN = re.compile(r"^\w+\((?!.*[<:]).*\b(float|double|half|int)( const)? ?\*")
_PRODUCT = re.compile(r"(?i)mat_?mul|gemm")
_CONVOLUTION = re.compile(r"(?i)conv(?!ert)")
_NAMES_COUNT = 1 << 14


@lru_cache(_NAMES_COUNT)
def path(op: str) -> tuple[str, ...]:
    """The scopes of the op's name, without scopes that only state where it runs; empty if it is not
    TensorFlow's."""
    return tuple(part for part in split_op(op)[0].split("/") if part and not _PLACE.match(part))


def title(op: str) -> str:
    """The op's name to show: without its type, and without scopes that only state where it runs."""
    return "/".join(path(op)) or op


def plain_kernel(name: str) -> str:
    """A kernel's name without the types of its result and its parameters."""
    return _PARAMETERS.sub("", name)


def is_convolution(name: str) -> bool:
    """Whether an op or kernel of this name is a convolution."""
    return bool(_CONVOLUTION.search(name))


def is_own(kernel: str) -> bool:
    """Whether a kernel's name is none that libraries and compilers give."""
    return not _LIBRARY.search(kernel) or bool(_PLAIN.search(kernel))


def is_own_product(kernel: str) -> bool:
    """Whether such a kernel multiplies matrices, by its name."""
    return is_own(kernel) and bool(_PRODUCT.search(kernel))


@lru_cache(_NAMES_COUNT)
def is_optimizer(op: str) -> bool:
    """Whether the op belongs to the optimizer, by its scope."""
    return bool(_OPTIMIZER.search("/".join(path(op)[:-1])))


@lru_cache(_NAMES_COUNT)
def scope(op: str) -> str:
    """The scope around the op, which ops of one piece of code share; "" if there is none.

    A gradient's name appends its own name to the path of its forward op, so it loses two names.
    """
    parts = path(op)
    if parts[:1] == (TAPE,):
        return "/".join((TAPE, *(parts[1:-2] or parts[1:-1]))) if len(parts) > 2 else ""
    return "/".join(parts[:-1])


@lru_cache(_NAMES_COUNT)
def work(op: str) -> tuple[str, str]:
    """The layer and the type without "Grad" and version, which an op and its gradients have in common.

    An instruction of XLA has no layer and shares them with no other.
    """
    parts = path(op)
    if not parts:
        return op, ""
    if parts[0] == TAPE:
        parts = parts[1:]
        # "conv/Conv2D/Conv2DBackpropFilter": the forward op's own name is no layer.
        if len(parts) > 2 and parts[-2][:1].isupper():
            parts = parts[:-1]
    family = _FAMILY.sub("", op_type(op)) or op_type(op)
    return "/".join(parts[:-1]), family
