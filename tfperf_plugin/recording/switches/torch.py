"""Switches of PyTorch: its optimizers, modules and kernels."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Final
from weakref import WeakSet

from tfperf_plugin.recording.switches.switch import TIME_ONLY, Switch, Tell, fill, gives, wrap


def _fused_optimizer(torch: Any, _: str, tell: Tell) -> None:
    for kind in vars(torch.optim).values():
        if isinstance(kind, type) and "fused" in inspect.signature(kind).parameters:
            told = partial(gives, tell, f"{kind.__name__}(fused=True)")
            fill(kind, "__init__", "fused", True, told, others=["foreach"])


def _of_owners(torch: Any, change: Callable[[Any], None]) -> None:
    """Calls ``change`` with the smallest module that owns all parameters of an optimizer, for each one."""
    asked: WeakSet[Any] = WeakSet()

    def parameters(method: Any, module: Any, *args: Any, **named: Any) -> Any:
        if not torch.compiler.is_compiling():  # which is to trace no change of ``asked``
            asked.add(module)
        return method(module, *args, **named)

    def optimizer(method: Any, self: Any, *args: Any, **named: Any) -> None:
        method(self, *args, **named)
        updated = {id(weight) for group in self.param_groups for weight in group["params"]}
        owned = {each: {id(weight) for weight in named_parameters(each)} for each in asked}
        owners = [each for each, weights in owned.items() if updated <= weights]
        if owners:
            change(min(owners, key=lambda each: len(owned[each])))

    def named_parameters(module: Any) -> list[Any]:
        return [weight for part in module.modules() for weight in part._parameters.values()]

    wrap(torch.nn.Module, "parameters", parameters)
    wrap(torch.nn.Module, "named_parameters", parameters)
    wrap(torch.optim.Optimizer, "__init__", optimizer)


def _around_forward(module: Any, around: Callable[..., Any]) -> None:
    """Has ``around(forward, module, …)`` called in place of a module's forward, also in its copies."""
    bound = module.forward
    forward = getattr(bound, "__func__", lambda _, *args, **named: bound(*args, **named))

    @wraps(forward)
    def called(module: Any, *args: Any, **named: Any) -> Any:
        return around(forward, module, *args, **named)

    module.forward = types.MethodType(called, module)


def _compile(torch: Any, _: str, tell: Tell) -> None:
    def change(owner: Any) -> None:
        owner.compile()
        tell(f"{type(owner).__name__}.compile()")

    _of_owners(torch, change)


def _channels_last(torch: Any, _: str, tell: Tell) -> None:
    last = torch.channels_last

    def converted(value: Any) -> Any:
        is_image = isinstance(value, torch.Tensor) and value.dim() == 4
        return value.to(memory_format=last) if is_image else value

    def around(forward: Any, module: Any, *args: Any, **named: Any) -> Any:
        given = {name: converted(value) for name, value in named.items()}
        return forward(module, *map(converted, args), **given)

    def change(owner: Any) -> None:
        if any(each.dim() == 4 and not each.is_contiguous(memory_format=last) for each in owner.parameters()):
            owner.to(memory_format=last)
            _around_forward(owner, around)
            tell(f"{type(owner).__name__}.to(memory_format=torch.channels_last), and its inputs")

    _of_owners(torch, change)


def _autocast(torch: Any, _: str, tell: Tell) -> None:
    def around(forward: Any, module: Any, *args: Any, **named: Any) -> Any:
        if torch.is_autocast_enabled():
            return forward(module, *args, **named)
        device = next(module.parameters()).device.type
        tell(f"{type(module).__name__} under torch.autocast({device!r}, dtype=torch.bfloat16)")
        with torch.autocast(device, dtype=torch.bfloat16):
            result = forward(module, *args, **named)
        is_low = isinstance(result, torch.Tensor) and result.dtype == torch.bfloat16
        return result.float() if is_low else result  # for a loss that is computed outside

    _of_owners(torch, lambda owner: _around_forward(owner, around))


def _matmul_tf32(torch: Any, _: str, tell: Tell) -> None:
    torch.set_float32_matmul_precision("high")
    tell("torch.set_float32_matmul_precision('high')")


def _cudnn_benchmark(torch: Any, _: str, tell: Tell) -> None:
    torch.backends.cudnn.benchmark = True
    tell("torch.backends.cudnn.benchmark = True")


_IMPORTS: Final = "an import of torch"
_OWNER: Final = "an optimizer of parameters that one module owns"
SWITCHES: Final = (
    Switch(
        id="fused-optimizer",
        does="Updates all parameters in few kernels.",
        works_in=("PyTorch",),
        finds="an optimizer of torch.optim that can be fused, and leaves fused and foreach open",
        changes={"torch": _fused_optimizer},
        keep="torch.optim.AdamW(model.parameters(), fused=True)",
        limit="Results differ in their last bits.",
        helps_often=True,
    ),
    Switch(
        id="torch-compile",
        does="Compiles the module whose parameters the optimizer updates.",
        works_in=("PyTorch",),
        finds=_OWNER,
        changes={"torch": _compile},
        keep="model.compile()",
        limit="Results differ in their last bits. Each new shape of a batch may compile anew.",
        helps_often=True,
    ),
    Switch(
        id="channels-last",
        does="Stores images and the weights of convolutions with channels last.",
        works_in=("PyTorch",),
        finds=f"{_OWNER}, with convolutions of images that store channels first",
        changes={"torch": _channels_last},
        keep="model = model.to(memory_format=torch.channels_last)  # and each batch of images",
        limit="Results differ in their last bits. In FP32 without TF32, channels first may be faster.",
    ),
    Switch(
        id="autocast",
        does="Computes the forward pass in bfloat16 where that is safe, and keeps parameters in FP32.",
        works_in=("PyTorch",),
        finds=f"{_OWNER}, and whose forward runs without torch.autocast",
        changes={"torch": _autocast},
        keep="with torch.autocast('cuda', dtype=torch.bfloat16): output = model(batch)",
        differs=("Losses", "Number format"),
        alters="numerics",
        limit=f"{TIME_ONLY} GPUs before Ampere have no bfloat16.",
    ),
    Switch(
        id="matmul-tf32",
        does="Multiplies FP32 matrices in TF32 on Tensor Cores.",
        works_in=("PyTorch",),
        finds=_IMPORTS,
        changes={"torch": _matmul_tf32},
        keep="torch.set_float32_matmul_precision('high')",
        differs=("Losses",),
        alters="numerics",
        limit="Products have 10 bits of mantissa. GPUs before Ampere, and CPUs, have no TF32.",
    ),
    Switch(
        id="cudnn-benchmark",
        does="Lets cuDNN try which algorithm is fastest for each convolution.",
        works_in=("PyTorch",),
        finds=_IMPORTS,
        changes={"torch": _cudnn_benchmark},
        keep="torch.backends.cudnn.benchmark = True",
        limit="Each new shape is tried anew, so it costs time where shapes change.",
    ),
)
