"""Switches of PyTorch: its optimizers, modules and kernels."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakSet

from tfperf_plugin.recording.switches.switch import Switch, given, wrap

Tell = Callable[[str], None]


def _fused_optimizer(torch: Any, _: str, tell: Tell) -> None:
    def around(method: Any, optimizer: Any, *args: Any, **named: Any) -> None:
        if not any(given(method, name, (optimizer, *args), named) for name in ("fused", "foreach")):
            named["fused"] = True
            tell(f"{type(optimizer).__name__}(fused=True)")
        method(optimizer, *args, **named)

    for kind in vars(torch.optim).values():
        if isinstance(kind, type) and "fused" in inspect.signature(kind).parameters:
            wrap(kind, "__init__", around)


def _compile(torch: Any, _: str, tell: Tell) -> None:
    """Compiles the smallest module that owns all parameters of an optimizer."""
    asked: WeakSet[Any] = WeakSet()

    def parameters(method: Any, module: Any, *args: Any, **named: Any) -> Any:
        asked.add(module)
        return method(module, *args, **named)

    def optimizer(method: Any, self: Any, *args: Any, **named: Any) -> None:
        method(self, *args, **named)
        updated = {id(weight) for group in self.param_groups for weight in group["params"]}
        owned = {each: {id(weight) for weight in named_parameters(each)} for each in asked}
        owners = [each for each, weights in owned.items() if updated <= weights]
        if owners:
            owner = min(owners, key=lambda each: len(owned[each]))
            owner.compile()
            tell(f"{type(owner).__name__}.compile()")

    def named_parameters(module: Any) -> list[Any]:
        return [weight for part in module.modules() for weight in part._parameters.values()]

    wrap(torch.nn.Module, "parameters", parameters)
    wrap(torch.nn.Module, "named_parameters", parameters)
    wrap(torch.optim.Optimizer, "__init__", optimizer)


def _matmul_tf32(torch: Any, _: str, tell: Tell) -> None:
    torch.set_float32_matmul_precision("high")
    tell("torch.set_float32_matmul_precision('high')")


def _cudnn_benchmark(torch: Any, _: str, tell: Tell) -> None:
    torch.backends.cudnn.benchmark = True
    tell("torch.backends.cudnn.benchmark = True")


_IMPORTS: Final = "an import of torch"
SWITCHES: Final = (
    Switch(
        id="fused-optimizer",
        does="Updates all parameters in few kernels.",
        works_in="PyTorch",
        finds="an optimizer of torch.optim that can be fused, without fused and foreach",
        changes={"torch": _fused_optimizer},
        keep="torch.optim.AdamW(model.parameters(), fused=True)",
        limit="Results differ in their last bits.",
        helps_often=True,
    ),
    Switch(
        id="torch-compile",
        does="Compiles the module whose parameters the optimizer updates.",
        works_in="PyTorch",
        finds="an optimizer of parameters that one module owns",
        changes={"torch": _compile},
        keep="model.compile()",
        limit="Results differ in their last bits. Each new shape of a batch may compile anew.",
        helps_often=True,
    ),
    Switch(
        id="matmul-tf32",
        does="Multiplies FP32 matrices in TF32 on Tensor Cores.",
        works_in="PyTorch",
        finds=_IMPORTS,
        changes={"torch": _matmul_tf32},
        keep="torch.set_float32_matmul_precision('high')",
        differs=("Losses",),
        limit="Products have 10 bits of mantissa. GPUs before Ampere, and CPUs, have no TF32.",
    ),
    Switch(
        id="cudnn-benchmark",
        does="Lets cuDNN try which algorithm is fastest for each convolution.",
        works_in="PyTorch",
        finds=_IMPORTS,
        changes={"torch": _cudnn_benchmark},
        keep="torch.backends.cudnn.benchmark = True",
        limit="Each new shape is tried anew, so it costs time where shapes change.",
    ),
)
